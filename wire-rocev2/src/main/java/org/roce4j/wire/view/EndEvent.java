package org.roce4j.wire.view;

/**
 * What no packet tells: a request was posted or has completed, a queue pair has another state.
 *
 * @param atNs when, on the clock of the packets
 * @param packetsBefore how many packets had been sent
 * @param address of the device
 * @param queuePair its number
 * @param kind whose colour it has
 * @param text a few words
 * @param whole all of it
 */
public record EndEvent(
    long atNs,
    int packetsBefore,
    String address,
    int queuePair,
    Kind kind,
    String text,
    String whole) {
  /** What kind of thing. */
  public enum Kind {
    /** A program posts a request. */
    POSTED,
    /** A request has completed. */
    COMPLETED,
    /** A request has failed. */
    FAILED,
    /** A state or an event of a queue pair, or what its engine does. */
    STATE
  }
}
