package org.roce4j.lab;

import org.roce4j.wire.Bytes;

/**
 * A packet of a lab.
 *
 * @param number number in the order of sending, from 1
 * @param from name of the device that sent it
 * @param to name of the destination device; empty: no device has the address
 * @param sentNs time of sending in virtual nanoseconds
 * @param endNs time at which it will arrive, has arrived or was lost
 * @param what its headers as text
 * @param comment what the network did to it, or empty
 * @param copyOf number of the packet that the network copied; 0: it is not a copy
 * @param bytes the IP packet in its latest form
 */
public record LabPacket(
    int number,
    String from,
    String to,
    long sentNs,
    long endNs,
    Stage fate,
    String what,
    String comment,
    int copyOf,
    Bytes bytes) {
  /** The fate of a packet. */
  public enum Stage {
    /** It will arrive. */
    UNDER_WAY,
    /** It waits in the receiving port, or was received. */
    ARRIVED,
    /** The network dropped it. */
    LOST
  }
}
