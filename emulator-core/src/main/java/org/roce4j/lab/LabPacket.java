package org.roce4j.lab;

import org.roce4j.wire.Bytes;

/**
 * A packet of a lab.
 *
 * @param number from 1, in the order of sending
 * @param from name of the device that sent it
 * @param to name of the device that it goes to; empty: nobody has that address
 * @param sentNs when it was sent, virtual nanoseconds
 * @param endNs when it arrives, arrived or was lost
 * @param what its headers in words
 * @param comment what befell it on its way; empty: nothing
 * @param copyOf the packet that the network copied; 0: it was sent
 * @param bytes the IP packet as it is now, or was last
 */
public record LabPacket(
    int number,
    String from,
    String to,
    long sentNs,
    long endNs,
    Fate fate,
    String what,
    String comment,
    int copyOf,
    Bytes bytes) {
  /** What has become of it. */
  public enum Fate {
    /** It will arrive. */
    UNDER_WAY,
    /** It waits in the receiving port, or was received. */
    ARRIVED,
    /** The network dropped it. */
    LOST
  }
}
