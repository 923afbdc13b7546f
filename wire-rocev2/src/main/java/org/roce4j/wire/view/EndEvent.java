package org.roce4j.wire.view;

/**
 * An event that no packet shows: a request is posted or completes, or a queue pair changes its
 * state.
 *
 * @param atNs time of the event, by the clock of the packets
 * @param packetsBefore number of packets sent before the event
 * @param address address of the device
 * @param queuePair number of the queue pair
 * @param kind decides the colour
 * @param text a short description
 * @param whole the full description
 */
public record EndEvent(
    long atNs,
    int packetsBefore,
    String address,
    int queuePair,
    Kind kind,
    String text,
    String whole) {
  /** The kinds of events. */
  public enum Kind {
    /** A program posted a request. */
    POSTED,
    /** A request completed successfully. */
    COMPLETED,
    /** A request completed in error. */
    FAILED,
    /** A queue pair changed its state, raised an event, or its engine acted. */
    STATE
  }
}
