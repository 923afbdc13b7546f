/**
 * {@code roce4j perf}: the tests of linux-rdma's perftest, against another roce4j or against the C
 * programs. Entry point: {@link org.roce4j.tools.perf.PerfCommand}.
 *
 * <p>Order of reading: {@code PerfCommand} (options) makes {@code PerfOptions}; {@code PerfRun} is
 * one side, which opens a {@code PerfDevice} and a {@code Session}: the exchange over TCP and the
 * traffic. {@code LocalPair} starts the other side in a {@code SecondProcess}. {@code PerfReport}
 * prints.
 */
package org.roce4j.tools.perf;
