package org.roce4j.lab;

import org.roce4j.verbs.text.Wording;

/**
 * An event of a lab.
 *
 * @param atNs virtual nanoseconds since the beginning
 * @param action number of the action that it follows, from 1
 * @param who device or queue pair; empty: the network or the player
 * @param what description, a clause
 */
public record Happening(long atNs, int action, Kind kind, String who, String what) {
  /** The kinds of events. */
  public enum Kind {
    /** An action of the player. */
    ACTION,
    /** A verb refused an action of the player. */
    REFUSED,
    /** A packet was sent, arrived, or was lost. */
    PACKET,
    /** A request has completed. */
    COMPLETION,
    /** A queue pair changed its state. */
    STATE,
    /** An engine retransmits, drops or refuses. */
    ENGINE,
    /** An asynchronous event. */
    EVENT
  }

  /** A line with time, device or queue pair, and description. */
  @Override
  public String toString() {
    String text = kind == Kind.ACTION ? "> " + what : who.isEmpty() ? what : who + ": " + what;
    return Wording.of("%12.3f us  %s", atNs / 1e3, text);
  }
}
