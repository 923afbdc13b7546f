/**
 * {@code roce4j bench}: a table of the performance of this build's devices on this machine. Each
 * row is a run of {@code roce4j perf}. Entry point: {@link
 * org.roce4j.benchmarks.table.BenchCommand}.
 */
package org.roce4j.benchmarks.table;
