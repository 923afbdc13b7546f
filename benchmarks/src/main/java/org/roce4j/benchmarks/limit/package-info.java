/**
 * The limit of the machine: plain UDP that sends the same sizes in the same mode as a device, its
 * {@link org.roce4j.benchmarks.limit.Twin}, and the {@link org.roce4j.benchmarks.limit.Ratios} of
 * both.
 */
package org.roce4j.benchmarks.limit;
