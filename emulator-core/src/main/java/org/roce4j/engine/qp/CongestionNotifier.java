package org.roce4j.engine.qp;

import java.nio.ByteBuffer;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Ecn;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.path.Peer;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;

/**
 * Answers packets that the network marked (ECN: congestion experienced) with congestion
 * notification packets to their sender, at a bounded rate per queue pair (wire-format 8.3 and 8.4).
 * A CNP is neither acknowledged nor retransmitted.
 */
final class CongestionNotifier {
  /** The least time between two CNPs of a queue pair, in nanoseconds. */
  static final long INTERVAL_NS = 50_000;

  private final Peer peer;
  private final Counters counters;

  /** Whether a CNP was sent at all. */
  private boolean everSent;

  /** The time of the last CNP. */
  private long sentNs;

  CongestionNotifier(Peer peer, Counters counters) {
    this.peer = peer;
    this.counters = counters;
  }

  /** Whether the network has marked a packet. */
  static boolean marked(Inbound inbound) {
    return Ecn.isMarked(inbound.trafficClass());
  }

  /** A marked packet was received. */
  void received() {
    counters.increment(Counter.ECN_MARKED);
  }

  /** Adds a CNP to the train, unless one was sent recently; false if it does not fit. */
  boolean transmit(long nowNs, Transmit out) {
    if (everSent && nowNs - sentNs < INTERVAL_NS) {
      return true;
    }
    int size = OutboundPacket.size(Opcode.CNP, 0);
    int at = out.claim(peer.path(), peer.sourcePortHint(), size);
    if (at < 0) {
      return false;
    }
    ByteBuffer b = out.buffer();
    Bth.put(b, at, Opcode.CNP.code(), false, 0, peer.pkey(), peer.destQp(), false, 0);
    Bth.setBecn(b, at);
    b.putLong(at + Bth.SIZE, 0).putLong(at + Bth.SIZE + Long.BYTES, 0);
    out.commit(size);
    counters.increment(Counter.CNP_SENT);
    everSent = true;
    sentNs = nowNs;
    return true;
  }
}
