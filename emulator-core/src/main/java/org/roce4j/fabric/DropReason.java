package org.roce4j.fabric;

/** Why a datagram did not arrive. */
public enum DropReason {
  /** Random loss. */
  LOSS("random loss"),
  /** Lost in a burst (Gilbert-Elliott). */
  BURST("a burst of losses"),
  /** The queue before the link was full. */
  QUEUE_FULL("the queue before the link was full"),
  /** The link was down when it was sent or when it would have arrived. */
  LINK_DOWN("the link was down"),
  /** A {@link FabricFilter} or a plan of faults said so. */
  FILTERED("a filter"),
  /** Nobody has that address or joined that group, or it went away meanwhile. */
  UNREACHABLE("nobody has that address"),
  /** After the datagrams sent between the two addresses meanwhile, its PSN could look new. */
  EXPIRED("it was under way for too long"),
  /** The receiving port's buffer was full. */
  RECEIVE_BUFFER_FULL("the receive buffer was full"),
  /** The memory granted to the fabric is used up. */
  MEMORY_FULL("the fabric's memory was full");

  private final String text;

  DropReason(String text) {
    this.text = text;
  }

  /** For people. */
  public String text() {
    return text;
  }
}
