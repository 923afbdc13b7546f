package org.roce4j.engine.qp;

import org.roce4j.engine.counter.Counters;
import org.roce4j.engine.memory.Accessor;
import org.roce4j.engine.memory.Domain;
import org.roce4j.engine.memory.KeyTable;
import org.roce4j.engine.path.Peer;
import org.roce4j.engine.queue.CompletionRing;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.engine.requester.DatagramRequester;
import org.roce4j.engine.requester.ReliableRequester;
import org.roce4j.engine.requester.Requester;
import org.roce4j.engine.requester.SendSide;
import org.roce4j.engine.requester.UnreliableRequester;
import org.roce4j.engine.responder.DatagramResponder;
import org.roce4j.engine.responder.ReceiveSide;
import org.roce4j.engine.responder.ReceiveSource;
import org.roce4j.engine.responder.ReliableResponder;
import org.roce4j.engine.responder.Responder;
import org.roce4j.engine.responder.UnreliableResponder;
import org.roce4j.engine.responder.XrcScope;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.QpType;

/**
 * The parts of a queue pair, and the halves that its type has.
 *
 * @param listener receives its asynchronous events
 * @param maxRecvSge scatter entries of a receive request
 * @param signalAll whether every send request is signaled ({@code sq_sig_all})
 * @param xrc domain of an XRC_RECV queue pair; null for other types
 */
public record QpParts(
    QpListener listener,
    int qpNum,
    QpType type,
    SendQueue sendQueue,
    ReceiveSource receiveSource,
    int maxRecvSge,
    CompletionRing sendCompletions,
    CompletionRing recvCompletions,
    KeyTable keys,
    Domain domain,
    boolean signalAll,
    XrcScope xrc) {

  /**
   * The identity under which both halves access memory, so that a window bound to the queue pair
   * serves both.
   */
  Accessor accessor() {
    return switch (type) {
      case XRC_SEND, XRC_RECV -> domain.extended();
      default -> new Accessor(domain);
    };
  }

  /** Whether receives come from a shared queue, so that LAST_WQE_REACHED is raised. */
  boolean sharesReceives() {
    return receiveSource.shared() && xrc == null;
  }

  SendSide sendSide(
      Accessor accessor,
      Peer peer,
      Counters counters,
      EngineTrace trace,
      SendSide.Verdicts verdicts) {
    return new SendSide(
        qpNum,
        PacketChecks.service(type),
        sendQueue,
        sendCompletions,
        keys,
        accessor,
        peer,
        counters,
        trace,
        signalAll,
        verdicts);
  }

  ReceiveSide receiveSide(
      Accessor accessor,
      Peer peer,
      Counters counters,
      EngineTrace trace,
      ReceiveSide.Verdicts verdicts) {
    return new ReceiveSide(
        qpNum,
        receiveSource,
        recvCompletions,
        keys,
        accessor,
        peer,
        counters,
        trace,
        verdicts,
        xrc);
  }

  Requester requester(SendSide side, DeviceFacts device) {
    return switch (type) {
      case RC, XRC_SEND, XRC_RECV ->
          new ReliableRequester(side, device.maxProbingQp() != 0, device.leastProbedPackets());
      case UC -> new UnreliableRequester(side);
      case UD -> new DatagramRequester(side, device.portMtu());
      default -> throw refusedBefore();
    };
  }

  Responder responder(ReceiveSide side) {
    return switch (type) {
      case RC, XRC_SEND, XRC_RECV -> new ReliableResponder(side, maxRecvSge);
      case UC -> new UnreliableResponder(side, maxRecvSge);
      case UD -> new DatagramResponder(side, maxRecvSge);
      default -> throw refusedBefore();
    };
  }

  private AssertionError refusedBefore() {
    return new AssertionError(type + " was refused before");
  }
}
