/**
 * {@code roce4j bench}: one table of what the devices of this build do on this machine. Entry
 * point: {@link org.roce4j.benchmarks.table.BenchCommand}; each row is a run of {@code roce4j
 * perf}.
 */
package org.roce4j.benchmarks.table;
