package org.roce4j.engine.cm;

/** What an end does about a message that names it. */
enum Reaction {
  /** Nothing: a duplicate, or too late. */
  IGNORE("-"),
  /** The peer is told that its program takes its time. */
  ASK_FOR_TIME("mra"),
  /** A new request of an end that has not been forgotten yet. */
  REJECT_STALE("stale"),
  /** The reply: the program goes on. */
  TAKE_REPLY("reply"),
  /** The peer has missed RTU. */
  REPEAT_RTU("rtu"),
  /** RTU: the connection stands. */
  ESTABLISH("establish"),
  /** The peer takes its time. */
  WAIT_LONGER("wait"),
  /** The attempt is over. */
  END("end"),
  /** The connection is over. */
  END_IN_TIME_WAIT("end-wait"),
  /** The peer takes the connection down. */
  TAKE_RELEASE("release"),
  /** The peer takes down what this end has not heard of yet: it has accepted and gone. */
  TAKE_REFUSAL("refusal"),
  /** Both take it down. */
  CROSS_RELEASE("cross"),
  /** The peer has missed DREP. */
  REPEAT_DREP("drep"),
  /** The peer has confirmed. */
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
