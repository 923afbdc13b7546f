package org.roce4j.lab;

/**
 * Something that has happened in a lab.
 *
 * @param atNs virtual nanoseconds since the beginning
 * @param action after which action, from 1
 * @param who a device or a queue pair; empty: the network, or the player
 * @param what a clause
 */
public record Happening(long atNs, int action, Kind kind, String who, String what) {
  /** What kind of thing. */
  public enum Kind {
    /** What the player did. */
    ACTION,
    /** What the player did was refused by a verb. */
    REFUSED,
    /** A packet was sent, arrived, or was lost. */
    PACKET,
    /** A request has completed. */
    COMPLETION,
    /** A queue pair has another state. */
    STATE,
    /** An engine sends again, drops or refuses something. */
    ENGINE,
    /** An asynchronous event. */
    EVENT
  }

  /** A line: time, who, what. */
  @Override
  public String toString() {
    String text = kind == Kind.ACTION ? "> " + what : who.isEmpty() ? what : who + ": " + what;
    return "%12.3f us  %s".formatted(atNs / 1e3, text);
  }
}
