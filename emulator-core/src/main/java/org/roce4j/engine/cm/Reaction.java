package org.roce4j.engine.cm;

/** The reaction of an end to a message. */
enum Reaction {
  /** Nothing: a duplicate, or too late. */
  IGNORE("-"),
  /** Sends MRA, because the program has not answered yet. */
  ASK_FOR_TIME("mra"),
  /** Rejects a new request from an end that still has a connection in this device. */
  REJECT_STALE("stale"),
  /** Takes REP and informs the program. */
  TAKE_REPLY("reply"),
  /** Repeats RTU, which the peer has missed. */
  REPEAT_RTU("rtu"),
  /** Takes RTU: the connection is established. */
  ESTABLISH("establish"),
  /** Waits longer, because the peer needs more time. */
  WAIT_LONGER("wait"),
  /** Ends the attempt. */
  END("end"),
  /** Ends the connection and enters time wait. */
  END_IN_TIME_WAIT("end-wait"),
  /** Takes DREQ and informs the program. */
  TAKE_RELEASE("release"),
  /** Takes DREQ before REP: the peer has accepted and then closed. */
  TAKE_REFUSAL("refusal"),
  /** Takes DREQ after sending DREQ: both ends take the connection down. */
  CROSS_RELEASE("cross"),
  /** Repeats DREP, which the peer has missed. */
  REPEAT_DREP("drep"),
  /** Takes DREP: the peer has confirmed. */
  RELEASED("released");

  private final String word;

  Reaction(String word) {
    this.word = word;
  }

  static Reaction of(String word) {
    for (Reaction reaction : values()) {
      if (reaction.word.equals(word)) {
        return reaction;
      }
    }
    throw new IllegalArgumentException("no reaction is called " + word);
  }
}
