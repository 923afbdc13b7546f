package org.roce4j.fabric;

/**
 * Is told what becomes of each datagram, in the order in which it happens. The datagram is reused:
 * read it before returning. Observers are called on the thread that makes the fabric run; they
 * change nothing and call nothing of devices or fabric. What one throws is told ({@link
 * Fabric#onThrown}), and the other observers are called.
 */
public interface FabricObserver {
  /** A port sent it; once, also when it goes to a group. */
  default void sent(long nowNs, FabricDatagram datagram) {}

  /** It will not arrive; last of what is told of it. */
  default void dropped(long nowNs, FabricDatagram datagram, DropReason reason) {}

  /** The link made a copy, which has its own fate. */
  default void duplicated(long nowNs, FabricDatagram original, FabricDatagram copy) {}

  /** {@code bits} bits of it were flipped; it is shown after that. */
  default void corrupted(long nowNs, FabricDatagram datagram, int bits) {}

  /** It was held back so that later ones can overtake it. */
  default void delayed(long nowNs, FabricDatagram datagram, long delayNs) {}

  /** It waits in the receiving port. */
  default void delivered(long nowNs, FabricDatagram datagram) {}
}
