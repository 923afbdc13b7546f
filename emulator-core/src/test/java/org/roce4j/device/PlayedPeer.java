package org.roce4j.device;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.roce4j.engine.Engine;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QueuePair;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;

/** The peer of a connection on a {@link LoneEngine}. */
final class PlayedPeer {
  static final Gid HERE = Gid.parse("10.0.0.1");
  private static final Gid PEER = Gid.parse("10.0.0.2");

  /** The next packet; the test writes what follows the BTH. */
  final ByteBuffer buffer = ByteBuffer.allocateDirect(OutboundPacket.MAX_SIZE);

  private final MemorySegment bytes = MemorySegment.ofBuffer(buffer);
  private final Inbound inbound =
      new Inbound().source(PEER.high(), PEER.low(), 4791).local(HERE.high(), HERE.low());
  private final Engine engine;
  private final QueuePair qp;

  PlayedPeer(Engine engine, QueuePair qp) {
    this.engine = engine;
    this.qp = qp;
  }

  /** Attributes of the peer's queue pair, without an ACK timeout. */
  static QpAttr attributes(Mtu pathMtu) {
    return QpBringUp.attributes(AhAttr.roce(PEER, 0), 17)
        .pathMtu(pathMtu)
        .qpAccessFlags(0)
        .minRnrTimer(1)
        .timeout(0);
  }

  /** Whether the network marks the following packets as congested. */
  void congested(boolean marks) {
    inbound.network(marks ? 3 : 0, 64);
  }

  void says(long nowNs, Opcode opcode, boolean ackReq, int psn) {
    says(nowNs, opcode, ackReq, psn, 0);
  }

  /** Sends a packet with {@code payload} bytes of payload, a multiple of 4. */
  void says(long nowNs, Opcode opcode, boolean ackReq, int psn, int payload) {
    Bth.put(buffer, 0, opcode.code(), false, 0, 0xffff, qp.qpNum(), ackReq, psn);
    engine.handleDatagram(
        nowNs, inbound.payload(buffer, bytes, 0, OutboundPacket.size(opcode, payload)));
  }
}
