package org.roce4j.conformance.dialogue;

import org.roce4j.wire.capture.RocePacket;

/**
 * A question that is always answered, about something else: whatever the device had to say before
 * it comes before the answer. An empty RDMA WRITE to another queue pair of the device, which needs
 * no key and changes nothing.
 */
public final class Probe {
  private final ConnectedPackets peer;
  private final ConnectedPackets here;
  private int asked;

  /**
   * @param peer how we speak to that queue pair
   * @param here how it speaks to us
   */
  public Probe(ConnectedPackets peer, ConnectedPackets here) {
    this.peer = peer;
    this.here = here;
  }

  /** The next question. */
  PacketDraft question() {
    return peer.write(asked++, 0, 0, 0).ackReq();
  }

  /** Whether this answers the question that was asked last. */
  boolean isAnswer(RocePacket packet) {
    return here.ack(asked - 1, asked).means(packet);
  }
}
