package org.roce4j.engine.qp;

import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.path.Waiter;
import org.roce4j.engine.responder.ReliableResponder;
import org.roce4j.engine.responder.Responder;
import org.roce4j.wire.InboundPacket;

/**
 * What a queue pair owes its peer, and whether it may leave: the answers of its responder and the
 * congestion notifications. It is the queue pair's place in the line of held acknowledgements too:
 * what a request and a turn ask of it shares a cache line. Confined to the engine's owner.
 */
final class Answers extends HeldAck {
  private final Responder responder;
  private final CongestionNotifier congestion;
  private final AckHolding holding;

  /** Whether the responder may have something to send. */
  private boolean answersDue;

  /** Whether a congestion notification is due. */
  private boolean notificationDue;

  /** Whether answers did not fit the last train. */
  private boolean waited;

  /**
   * @param sender the queue pair
   */
  Answers(Waiter sender, Responder responder, CongestionNotifier congestion, AckHolding holding) {
    super(sender);
    this.responder = responder;
    this.congestion = congestion;
    this.holding = holding;
  }

  /** A packet arrived that the network has marked. */
  void marked() {
    congestion.received();
    notificationDue = true;
  }

  /** Executes a request; whether it was accepted. */
  boolean handleRequest(long nowNs, InboundPacket packet, Inbound inbound) {
    holding.requestCame(this, nowNs);
    boolean accepted = responder.handleRequest(nowNs, packet, inbound);
    answersDue = responder.hasAnswers();
    return accepted;
  }

  /** Whether anything is owed. */
  boolean due() {
    return answersDue || notificationDue;
  }

  /** Whether answers found no room in the last train: they go first in this one. */
  boolean waited() {
    return waited;
  }

  /**
   * After a reply: the acknowledgement that is due may wait for the peer's next request. If not, it
   * leaves with the next turn: in one train with the reply it would delay that.
   */
  void replied(long nowNs) {
    if (holding.mayHold()
        && answersDue
        && responder instanceof ReliableResponder rc
        && rc.onlyAcknowledges()) {
      holding.replied(this, nowNs, rc.acknowledgementCanWait());
    }
  }

  /**
   * Adds what is due to the train.
   *
   * @param mayAnswer whether the state sends anything
   * @return whether all that is due, and is not held back, went into the train
   */
  boolean transmit(long nowNs, Transmit out, boolean mayAnswer) {
    waited = false;
    if (isHeld() || !mayAnswer) {
      return true;
    }
    if (answersDue) {
      answersDue = !responder.transmit(out);
      waited = answersDue;
    }
    if (notificationDue && !waited) {
      notificationDue = !congestion.transmit(nowNs, out);
      waited = notificationDue;
    }
    return !waited;
  }

  /** Nothing is owed any more. */
  void forget() {
    notificationDue = false;
    answersDue = false;
    holding.forget(this);
  }
}
