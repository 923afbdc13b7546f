package org.roce4j.wire.view;

/** The state of a queue pair as far as packets tell it. */
enum EndState {
  /** Nothing was heard from it. */
  UNKNOWN("unknown", "no packet from it yet"),
  /** It answers: RTR at least. */
  RTR("RTR, RTS", "it answers, so that it is in RTR at least"),
  /** It sends requests. */
  RTS("RTS", "it sends requests"),
  /** RTS, and it sends again. */
  RETRY("RTS, retry", "it sends requests again"),
  /** RTS, and an RNR NAK asked for a pause. */
  RNR_WAIT("RNR wait", "an RNR NAK has asked it to pause"),
  /** A fatal NAK has passed. */
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
