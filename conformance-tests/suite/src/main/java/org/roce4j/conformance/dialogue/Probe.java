package org.roce4j.conformance.dialogue;

import org.roce4j.wire.capture.RocePacket;

/**
 * A request that is always answered, so that all packets which the device sends before the answer
 * have arrived. It is an empty RDMA WRITE to another queue pair of the device, which needs no key
 * and changes nothing.
 */
public final class Probe {
  private final ConnectedPackets peer;
  private final ConnectedPackets here;
  private int asked;

  /**
   * @param peer packets to that queue pair
   * @param here packets of that queue pair
   */
  public Probe(ConnectedPackets peer, ConnectedPackets here) {
    this.peer = peer;
    this.here = here;
  }

  /** The next request. */
  PacketDraft question() {
    return peer.write(asked++, 0, 0, 0).ackReq();
  }

  /** Whether a packet is the answer to the last request. */
  boolean isAnswer(RocePacket packet) {
    return here.ack(asked - 1, asked).means(packet);
  }
}
