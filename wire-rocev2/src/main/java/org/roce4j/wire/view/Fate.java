package org.roce4j.wire.view;

/** What became of a packet under way, as far as the captures tell. */
public enum Fate {
  /** One place saw it: whether it arrived is not told. */
  SEEN("seen"),
  /** Both ends saw it. */
  DELIVERED("delivered"),
  /** Its sender saw it and its destination did not, or its comment says that it was lost. */
  LOST("lost"),
  /** Its destination saw it and its sender did not: a copy that the network made. */
  APPEARED("appeared"),
  /** It has been sent and has neither arrived nor been lost: the network's time stands still. */
  UNDER_WAY("flying");

  private final String word;

  Fate(String word) {
    this.word = word;
  }

  /** One word for JSON and filters. */
  public String word() {
    return word;
  }
}
