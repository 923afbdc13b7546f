package org.roce4j.fabric;

/** Why a datagram did not arrive. */
public enum DropReason {
  /** Random loss. */
  LOSS,
  /** Lost in a burst (Gilbert-Elliott). */
  BURST,
  /** The queue before the link was full. */
  QUEUE_FULL,
  /** The link was down when it was sent or when it would have arrived. */
  LINK_DOWN,
  /** A {@link FabricFilter} said so. */
  FILTERED,
  /** Nobody has that address or joined that group, or it went away meanwhile. */
  UNREACHABLE,
  /** So many datagrams were sent between the two addresses meanwhile that its PSN could be new. */
  EXPIRED,
  /** The receiving port's buffer was full. */
  RECEIVE_BUFFER_FULL,
  /** The memory granted to the fabric is used up. */
  MEMORY_FULL
}
