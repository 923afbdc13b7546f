package org.roce4j.wire.view;

/** The state of a queue pair, inferred from packets. */
enum EndState {
  /** It has sent no packet. */
  UNKNOWN("unknown", "no packet from it yet"),
  /** It responds or has sent a REP, so it is in RTR or RTS. */
  RTR("RTR, RTS", "it answers, or its REP says that it receives, so that it is in RTR at least"),
  /** It sends requests or has sent an RTU. */
  RTS("RTS", "it sends requests, or its RTU says that it may"),
  /** RTS, and it retransmits. */
  RETRY("RTS, retry", "it sends requests again"),
  /** RTS, and an RNR NAK has asked it to pause. */
  RNR_WAIT("RNR wait", "an RNR NAK has asked it to pause"),
  /** It sent or received a fatal NAK. */
  ERR("ERR", "a fatal NAK has ended it"),
  /** Its REQ names it: it is in INIT, or will be. */
  INIT("INIT", "its REQ names it, and it cannot receive before the REP comes"),
  /** Its connection manager takes the connection down. */
  CLOSED("closed", "its DREQ or DREP takes the connection down");

  private final String text;
  private final String meaning;

  EndState(String text, String meaning) {
    this.text = text;
    this.meaning = meaning;
  }

  String text() {
    return text;
  }

  String meaning() {
    return meaning;
  }
}
