/**
 * A device and its plain UDP twin, measured in turn between the same two processes on loopback.
 * {@link org.roce4j.benchmarks.loopback.Comparison} drives them from a third; {@link
 * org.roce4j.benchmarks.loopback.EndMain} is what each of the two runs.
 */
package org.roce4j.benchmarks.loopback;
