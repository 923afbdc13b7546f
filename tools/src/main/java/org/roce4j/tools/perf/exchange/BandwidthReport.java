package org.roce4j.tools.perf.exchange;

/**
 * The message that both sides of a bandwidth test send each other at its end, in the units of
 * perftest.
 *
 * @param size bytes of a message
 * @param iterations messages, of all queue pairs
 * @param peak the highest bandwidth of the run, in 2^20 bytes a second; 0 if it was not measured
 * @param average of the run, in 2^20 bytes a second
 * @param messageRate millions of messages a second
 */
public record BandwidthReport(
    long size, long iterations, double peak, double average, double messageRate) {
  /** The report of a side that measured nothing. */
  public static final BandwidthReport NONE = new BandwidthReport(0, 0, 0, 0, 0);
}
