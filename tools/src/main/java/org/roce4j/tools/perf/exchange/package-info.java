/**
 * The messages that the programs of linux-rdma's perftest exchange over TCP (facts of its version
 * 4.5, protocol 6.06). Entry point: {@link org.roce4j.tools.perf.exchange.PerftestExchange}; the
 * protocol is that of {@code docs/perftest-protocol.md}.
 */
package org.roce4j.tools.perf.exchange;
