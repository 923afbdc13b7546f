package org.roce4j.wire.inspect;

/** What a packet is beside the packets of its connection that the capture holds before it. */
public enum Mark {
  /** Nothing special: the next of its flow, or the first that the capture shows. */
  NONE(""),
  /** A request whose PSN was sent before. */
  RETRANSMISSION("retransmission"),
  /** A request whose PSN is beyond the expected one: packets before it are not in the capture. */
  GAP("gap"),
  /** A request that fills a gap: it was overtaken, or lost before the place of the capture. */
  LATE("late"),
  /** A response whose PSN was answered before. */
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
