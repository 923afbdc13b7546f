package org.roce4j.fabric;

/** The reason why a datagram did not arrive. */
public enum DropReason {
  /** Random loss. */
  LOSS("random loss"),
  /** Lost in a burst (Gilbert-Elliott). */
  BURST("a burst of losses"),
  /** The queue before the link was full. */
  QUEUE_FULL("the queue before the link was full"),
  /** The link was down when it was sent or when it would have arrived. */
  LINK_DOWN("the link was down"),
  /** A {@link FabricFilter} or a plan of faults dropped it. */
  FILTERED("a filter"),
  /**
   * The address has no holder or the group no member, or lost it while the datagram was in flight.
   */
  UNREACHABLE("nobody has that address"),
  /** 2<sup>22</sup> datagrams were sent since: its PSN could be taken for a new one. */
  EXPIRED("it was under way for too long"),
  /** The receiving port's buffer was full. */
  RECEIVE_BUFFER_FULL("the receive buffer was full"),
  /** The memory granted to the fabric is used up. */
  MEMORY_FULL("the fabric's memory was full");

  private final String text;

  DropReason(String text) {
    this.text = text;
  }

  /** The reason in words. */
  public String text() {
    return text;
  }
}
