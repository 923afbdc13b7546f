package org.roce4j.engine.qp;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.path.Peer;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.PKey;
import org.roce4j.wire.Transport;

/**
 * The checks of a packet to a queue pair, in order: service, state, P_Key, and for connections the
 * addresses. A packet that fails a check is dropped and counted.
 */
final class PacketChecks {
  private final Transport service;
  private final Peer peer;
  private final DeviceFacts device;

  /** XRC: whether the queue pair is the initiator, which takes responses only. */
  private final boolean initiates;

  PacketChecks(QpType type, Peer peer, DeviceFacts device) {
    this.device = device;
    this.peer = peer;
    initiates = type == QpType.XRC_SEND;
    service = service(type);
  }

  static Transport service(QpType type) {
    return switch (type) {
      case RC -> Transport.RC;
      case UC -> Transport.UC;
      case XRC_SEND, XRC_RECV -> Transport.XRC;
      default -> Transport.UD;
    };
  }

  /** The counter of the first check that the packet fails; null if it passes all. */
  Counter refusal(QpState state, InboundPacket packet, Inbound inbound) {
    if (packet.opcode().transport() != service) {
      return Counter.WRONG_SERVICE;
    }
    if (service == Transport.XRC && packet.opcode().response() != initiates) {
      return Counter.WRONG_SERVICE;
    }
    if (!(packet.opcode().response() ? takesResponses(state) : takesRequests(state))) {
      return Counter.WRONG_STATE;
    }
    if (!PKey.match(packet.pkey(), peer.pkey())) {
      return Counter.BAD_PKEY;
    }
    boolean fits = service == Transport.UD ? atItsPort(inbound) : fromPeer(inbound);
    return fits ? null : Counter.WRONG_ADDRESS;
  }

  private static boolean takesResponses(QpState state) {
    return state == QpState.RTS || state == QpState.SQD;
  }

  private static boolean takesRequests(QpState state) {
    return state == QpState.RTR
        || state == QpState.RTS
        || state == QpState.SQD
        || state == QpState.SQE;
  }

  /** Whether a datagram to a group arrived at the queue pair's port. */
  private boolean atItsPort(Inbound inbound) {
    return device.ports() == 1
        || peer.port() == device.portOf(inbound.heardHigh(), inbound.heardLow());
  }

  private boolean fromPeer(Inbound inbound) {
    Path path = peer.path();
    return path != null
        && inbound.sourceLow() == path.remoteLow()
        && inbound.sourceHigh() == path.remoteHigh()
        && inbound.localLow() == path.localLow()
        && inbound.localHigh() == path.localHigh();
  }
}
