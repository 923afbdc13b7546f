package org.roce4j.engine.qp;

import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.path.Waiter;
import org.roce4j.engine.responder.ReliableResponder;
import org.roce4j.engine.responder.Responder;
import org.roce4j.wire.InboundPacket;

/**
 * The answers that a queue pair owes its peer, those of the responder and congestion notifications,
 * and whether they may be sent now. It is also the queue pair's place in the line of held
 * acknowledgements, so that the fields which a request and a turn use share a cache line. Confined
 * to the engine's owner.
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

  /** Whether a reply is in the train that leaves, and what {@link #replies} holds is due. */
  private boolean replying;

  /**
   * @param sender the queue pair
   */
  Answers(Waiter sender, Responder responder, CongestionNotifier congestion, AckHolding holding) {
    super(sender);
    this.responder = responder;
    this.congestion = congestion;
    this.holding = holding;
  }

  /** A packet marked by the network arrived. */
  void marked() {
    congestion.received();
    notificationDue = true;
  }

  /** Passes a request to the responder; returns whether it was accepted. */
  boolean handleRequest(long nowNs, InboundPacket packet, Inbound inbound) {
    holding.requestCame(this, nowNs);
    boolean accepted = responder.handleRequest(packet, inbound);
    answersDue = responder.hasAnswers();
    return accepted;
  }

  /** Whether there is something to send. */
  boolean due() {
    return answersDue || notificationDue;
  }

  /** Whether answers did not fit the last train, so that they go first in the next one. */
  boolean waited() {
    return waited;
  }

  /**
   * A reply is about to leave: a due acknowledgement may wait for the peer's next request. If it
   * may not wait, it leaves in the next turn, because in one train with the reply it would delay
   * it.
   */
  void replies() {
    if (holding.mayHold() && responder instanceof ReliableResponder rc && rc.onlyAcknowledges()) {
      holding.replies(this, rc.acknowledgementCanWait());
      replying = true;
    }
  }

  /** The reply has left. */
  void sent(long nowNs) {
    if (replying) {
      replying = false;
      holding.replied(this, nowNs);
    }
  }

  /**
   * Adds answers that are due to the train.
   *
   * @param mayAnswer whether the queue pair's state allows answers
   * @return whether the train took all answers that are due and not held
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

  /** Forgets all answers. */
  void forget() {
    notificationDue = false;
    answersDue = false;
    holding.forget(this);
  }
}
