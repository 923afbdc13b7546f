package org.roce4j.engine;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.qp.DeviceFacts;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.QueuePair;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Operation;
import org.roce4j.wire.mad.Mad;

/**
 * Passes a received datagram to its queue pairs: drops it if its ICRC is wrong, decodes it once,
 * and finds the queue pairs by the DestQP of its BTH. A datagram without a queue pair is counted
 * and dropped.
 */
final class PacketRouter {
  private final DeviceFacts device;
  private final QpTable queuePairs;
  private final MulticastTable multicast;
  private final GeneralServices generalServices;
  private final Counters counters;
  private final EngineTrace trace;

  /** The decoded packet, reused for each datagram. */
  private final InboundPacket packet = new InboundPacket();

  /**
   * @param generalServices queue pair 1; null if another engine has it
   */
  PacketRouter(
      DeviceFacts device,
      QpTable queuePairs,
      MulticastTable multicast,
      GeneralServices generalServices,
      Counters counters,
      EngineTrace trace) {
    this.device = device;
    this.queuePairs = queuePairs;
    this.multicast = multicast;
    this.generalServices = generalServices;
    this.counters = counters;
    this.trace = trace;
  }

  void route(long nowNs, Inbound inbound) {
    counters.increment(Counter.RECEIVED_PACKETS);
    counters.add(Counter.RECEIVED_BYTES, inbound.length());
    if (!inbound.icrc().acceptable()) {
      trace.dropped(-1, -1, Counter.ICRC_ERROR);
      return;
    }
    InboundPacket.Verdict verdict = packet.decode(inbound.buffer(), inbound.at(), inbound.length());
    if (verdict != InboundPacket.Verdict.OK) {
      drop(Counter.MALFORMED, -1, -1);
    } else if (packet.opcode().operation() == Operation.CNP) {
      counters.increment(Counter.CNP_RECEIVED);
    } else if (packet.destQp() == QueuePair.MULTICAST_QPN) {
      toGroup(nowNs, inbound);
    } else {
      QpMachine qp = queuePairs.find(packet.destQp());
      if (qp == null) {
        toNoQueuePair(nowNs, inbound);
      } else {
        qp.handlePacket(nowNs, packet, inbound);
      }
    }
  }

  private void toNoQueuePair(long nowNs, Inbound inbound) {
    Counter refused = Counter.UNKNOWN_QP;
    if (packet.destQp() == Mad.QPN && generalServices != null) {
      refused = generalServices.handlePacket(nowNs, packet, inbound);
    }
    if (refused != null) {
      drop(refused, packet.destQp(), packet.psn());
    }
  }

  private void toGroup(long nowNs, Inbound inbound) {
    int port = device.ports() == 1 ? 0 : device.portOf(inbound.heardHigh(), inbound.heardLow());
    boolean delivered = false;
    for (QpMachine qp : multicast.members(inbound.localHigh(), inbound.localLow())) {
      boolean echo =
          packet.opcode().hasDeth()
              && multicast.isBlocked(qp, packet.sourceQp())
              && device.portOf(inbound.sourceHigh(), inbound.sourceLow()) != 0;
      boolean elsewhere = port != 0 && qp.peer().port() != port;
      if (!echo && !elsewhere) {
        qp.handlePacket(nowNs, packet, inbound);
      }
      delivered = true;
    }
    if (!delivered) {
      drop(Counter.UNKNOWN_QP, QueuePair.MULTICAST_QPN, packet.psn());
    }
  }

  private void drop(Counter reason, int qpNum, int psn) {
    counters.increment(reason);
    trace.dropped(qpNum, psn, reason);
  }
}
