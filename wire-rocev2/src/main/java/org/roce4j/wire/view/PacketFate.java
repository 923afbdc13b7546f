package org.roce4j.wire.view;

/** The fate of a packet, as far as the captures show it. */
public enum PacketFate {
  /** One capture has it; whether it arrived is unknown. */
  SEEN("seen"),
  /** The captures of both ends have it. */
  DELIVERED("delivered"),
  /**
   * The sender's capture has it and the destination's does not, or its comment says that it was
   * lost.
   */
  LOST("lost"),
  /** The destination's capture has it and the sender's does not: the network duplicated it. */
  APPEARED("appeared"),
  /** It was sent and has neither arrived nor been lost, because the network's time stands still. */
  UNDER_WAY("flying");

  private final String word;

  PacketFate(String word) {
    this.word = word;
  }

  /** The word for it in JSON and filters. */
  public String word() {
    return word;
  }
}
