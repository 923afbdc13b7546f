package org.roce4j.wire.inspect;

/** The relation of a packet to the earlier packets of its connection in the capture. */
public enum Mark {
  /** Nothing special: the next of its flow, or the first that the capture shows. */
  NONE(""),
  /** A request whose PSN was sent before. */
  RETRANSMISSION("retransmission"),
  /** A request whose PSN is beyond the expected one: packets before it are not in the capture. */
  GAP("gap"),
  /**
   * A request that fills a gap: it was reordered, or retransmitted after a loss upstream of the
   * capture.
   */
  LATE("late"),
  /** A response to a PSN that was answered before. */
  DUPLICATE("duplicate"),
  /** A NAK other than RNR: the responder refuses, or asks for its PSN again. */
  NAK("nak"),
  /** An RNR NAK: the responder has no receive posted and asks for a pause. */
  RNR("rnr"),
  /** A congestion notification packet. */
  CNP("cnp");

  private final String word;

  Mark(String word) {
    this.word = word;
  }

  /** One word for text, JSON and filters; empty for {@link #NONE}. */
  public String word() {
    return word;
  }
}
