package org.roce4j.wire.view;

/** The state of a queue pair, inferred from packets. */
enum EndState {
  /** It has sent no packet. */
  UNKNOWN("unknown", "no packet from it yet"),
  /** It responds, so it is in RTR or RTS. */
  RTR("RTR, RTS", "it answers, so that it is in RTR at least"),
  /** It sends requests. */
  RTS("RTS", "it sends requests"),
  /** RTS, and it retransmits. */
  RETRY("RTS, retry", "it sends requests again"),
  /** RTS, and an RNR NAK has asked it to pause. */
  RNR_WAIT("RNR wait", "an RNR NAK has asked it to pause"),
  /** It sent or received a fatal NAK. */
  ERR("ERR", "a fatal NAK has ended it");

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
