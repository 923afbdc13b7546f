package org.roce4j.fabric;

/**
 * Observes the fate of each datagram, in the order of events. The datagram object is reused: read
 * it before returning. The thread that runs the fabric calls observers; they must not change
 * anything, nor call devices or the fabric. {@link Fabric#onThrown} gets the exceptions of an
 * observer; the other observers are called nevertheless.
 */
public interface FabricObserver {
  /** A port sent the datagram; called once even if it goes to a group. */
  default void sent(long nowNs, FabricDatagram datagram) {}

  /** The datagram was dropped; the last call about it. */
  default void dropped(long nowNs, FabricDatagram datagram, DropReason reason) {}

  /** The link made a copy, whose fate is independent. */
  default void duplicated(long nowNs, FabricDatagram original, FabricDatagram copy) {}

  /** A rule put {@code forged} in front of the original, as if its port had sent it. */
  default void forged(long nowNs, FabricDatagram original, FabricDatagram forged) {
    sent(nowNs, forged);
  }

  /** A router that met congestion marked the datagram CE. */
  default void marked(long nowNs, FabricDatagram datagram) {}

  /** The last {@code bytes} bytes before the ICRC were cut off. */
  default void cut(long nowNs, FabricDatagram datagram, int bytes) {}

  /** {@code bits} bits of the datagram were flipped; its buffer has them flipped. */
  default void corrupted(long nowNs, FabricDatagram datagram, int bits) {}

  /** The datagram is held back so that later ones can overtake it. */
  default void delayed(long nowNs, FabricDatagram datagram, long delayNs) {}

  /** The datagram has arrived and waits in the receiving port. */
  default void delivered(long nowNs, FabricDatagram datagram) {}
}
