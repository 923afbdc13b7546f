package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Reth;

/** R1: the acknowledgement of a duplicate stops before a READ, whose response may be lost. */
class AcknowledgedAgainTest {
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), Transmit.MAX_SEGMENTS);
  private final QueuePair qp = lone.qp(QpType.RC);
  private final PlayedPeer peer = new PlayedPeer(lone.engine, qp);

  /** A request without bytes, which needs no key. */
  private void says(Opcode opcode, int psn) {
    Reth.put(peer.buffer, opcode.rethAt(), 0, 0, 0);
    peer.says(0, opcode, true, psn);
  }

  @Test
  void aDuplicateIsAcknowledgedUpToTheNextRead() {
    QpBringUp.toRts(
        qp,
        PlayedPeer.attributes(Mtu.MTU_1024)
            .maxDestRdAtomic(1)
            .qpAccessFlags(AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE));
    says(Opcode.RC_RDMA_WRITE_ONLY, 0);
    says(Opcode.RC_RDMA_READ_REQUEST, 1);
    says(Opcode.RC_RDMA_WRITE_ONLY, 2);
    while (lone.engine.pollTransmit(0, train) > 0) {
      // all of them are lost
    }
    says(Opcode.RC_RDMA_WRITE_ONLY, 0);
    assertEquals(1, lone.engine.pollTransmit(0, train));
    assertEquals(Opcode.RC_ACKNOWLEDGE.code(), Bth.opcode(train.buffer(), 0));
    assertEquals(0, Bth.psn(train.buffer(), 0));
  }
}
