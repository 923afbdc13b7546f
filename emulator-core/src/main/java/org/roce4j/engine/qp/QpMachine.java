package org.roce4j.engine.qp;

import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.memory.Accessor;
import org.roce4j.engine.path.PathWindow;
import org.roce4j.engine.path.Peer;
import org.roce4j.engine.path.Waiter;
import org.roce4j.engine.queue.PublishedState;
import org.roce4j.engine.queue.ReceiveQueue;
import org.roce4j.engine.queue.Touchable;
import org.roce4j.engine.requester.InFlight;
import org.roce4j.engine.requester.ReliableRequester;
import org.roce4j.engine.requester.Requester;
import org.roce4j.engine.requester.TransmitOutcome;
import org.roce4j.engine.responder.ReceiveSource;
import org.roce4j.engine.responder.Responder;
import org.roce4j.engine.responder.XrcReceiver;
import org.roce4j.engine.time.Deadline;
import org.roce4j.engine.time.Timed;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.UdpSourcePort;

/**
 * A queue pair: its state, its attributes, one requester and one responder. An XRC queue pair uses
 * only one half; no request and no packet reaches the other. Confined to the engine's owner, except
 * for the published state.
 */
public final class QpMachine extends PublishedState implements Waiter, Timed {
  private final QpHost host;

  /** The number of the queue pair. */
  private final int qpNum;

  private final QpType type;

  /** The state as the engine's owner reads it; {@link #state} is what others see. */
  private QpState current = QpState.RESET;

  private final Peer peer = new Peer(this);
  private final Requester requester;
  private final Responder responder;
  private final PacketChecks checks;

  /** Whether receives come from a shared queue, so that LAST_WQE_REACHED is raised. */
  private final boolean sharedReceive;

  private final ReceiveSource receiveSource;

  private final Answers answers;
  private final Deadline deadline = new Deadline(this);
  private final Pacing pacing;
  private final QpListener listener;
  private final QpFailure failing;
  private final Drain drain;

  /** The attributes as set so far. Threads that post read max_rd_atomic. */
  private QpAttr attributes = new QpAttr();

  /** RTR: whether the first request has arrived and COMM_EST was raised. */
  private boolean established;

  /** Whether the requester may have something to send, because of an event since its last turn. */
  private boolean maySend;

  /** Whether it is in the engine's list of queue pairs that may have something to send. */
  private boolean active;

  /** Datagrams of the last turn's size that a train holds; 0 if {@link #sent} is not due. */
  private int trainCapacity;

  public QpMachine(QpHost host, QpParts parts) {
    this.host = host;
    listener = parts.listener();
    qpNum = parts.qpNum();
    type = parts.type();
    receiveSource = parts.receiveSource();
    sharedReceive = parts.sharesReceives();
    checks = new PacketChecks(type, peer, host.device());
    failing = new QpFailure(this, listener, host.trace());
    Accessor accessor = parts.accessor();
    requester =
        parts.requester(
            parts.sendSide(accessor, peer, host.counters(), host.trace(), failing), host.device());
    pacing = new Pacing(this, requester, host.deadlines());
    drain = new Drain(requester, listener);
    responder =
        parts.responder(parts.receiveSide(accessor, peer, host.counters(), host.trace(), failing));
    answers =
        new Answers(this, responder, new CongestionNotifier(peer, host.counters()), host.acks());
    if (type == QpType.UD) {
      peer.pathMtu(host.device().portMtu());
    }
  }

  public int qpNum() {
    return qpNum;
  }

  public QpType type() {
    return type;
  }

  /** The reasons why its requests failed. */
  public FailureLog failures() {
    return failing.log();
  }

  /** The other end, as set by modify. */
  public Peer peer() {
    return peer;
  }

  /** The number of send requests posted and not completed; approximate on other threads. */
  public int sendsOutstanding() {
    return requester.outstanding();
  }

  /** The number of send requests that have left the queue so far; approximate on other threads. */
  public long sendsDone() {
    return requester.retired();
  }

  /** The queue from which it takes receive requests, its own or a shared one. */
  public ReceiveQueue receiveQueue() {
    return receiveSource.queue();
  }

  /** Whether other queue pairs take receives from the same queue. */
  public boolean sharesReceives() {
    return sharedReceive;
  }

  /** The requests in flight. */
  public InFlight inFlight() {
    return requester.inFlight();
  }

  /** The greatest number of outstanding READ and atomic requests; 0: they cannot be posted. */
  public int maxRdAtomic() {
    return attributes.maxRdAtomic();
  }

  // ---- control

  /**
   * {@code ibv_modify_qp}: checks everything, then changes.
   *
   * @throws VerbsException with nothing changed
   */
  public void modify(QpAttr attr, int given) {
    int mask = given & ~QpAttributes.ofOtherHalf(type);
    QpState from = state();
    QpState to = QpAttributes.check(host.device(), type, attributes, from, attr, mask);
    drain.check(from, to, mask);
    QpHost.HeldPath newPath = reserve(attr, mask);
    take(attr, mask);
    if (newPath != null) {
      connect(newPath, attr.ahAttr());
    }
    if (from == QpState.RTS && to == QpState.SQD) {
      drain.begin(attr, mask);
    }
    if ((mask & QpAttrMask.STATE) != 0) {
      move(from, to);
    }
    maySend = true;
    host.activate(this);
  }

  /**
   * Allocates everything that a modify needs. Changes nothing if memory runs out.
   *
   * @return the path of a new address vector, in use; null if the path does not change
   */
  private QpHost.HeldPath reserve(QpAttr attr, int mask) {
    requester.reserve(attr, mask);
    responder.reserve(attr, mask);
    return has(mask, QpAttrMask.AV)
        ? host.hold(AddressVectors.check(host.device(), attr.ahAttr()))
        : null;
  }

  /** The device's P_Key table has changed: reads the key at the queue pair's index again. */
  public void pkeysChanged() {
    peer.local(attributes.portNum(), host.device().pkey(attributes.pkeyIndex()));
  }

  private void take(QpAttr attr, int mask) {
    QpAttributes.keep(attributes, attr, mask);
    if (has(mask, QpAttrMask.PKEY_INDEX | QpAttrMask.PORT)) {
      pkeysChanged();
    }
    if (has(mask, QpAttrMask.PATH_MTU)) {
      peer.pathMtu(attr.pathMtu().bytes());
    }
    if (has(mask, QpAttrMask.DEST_QPN)) {
      peer.destQp(attr.destQpNum());
    }
    requester.configure(attributes, mask);
    responder.configure(attributes, mask);
  }

  /**
   * @param held the new path, held before the old one, which it may equal, is released
   */
  private void connect(QpHost.HeldPath held, AhAttr to) {
    disconnect();
    int port = UdpSourcePort.ofConnection(AddressVectors.flowLabel(to), qpNum, peer.destQp());
    peer.path(held.path(), held.window(), port);
  }

  private void disconnect() {
    Path path = peer.path();
    if (path != null) {
      PathWindow window = peer.window();
      host.leavePath(this);
      peer.path(null, null, 0);
      host.release(path, window);
    }
  }

  private static boolean has(int mask, int attribute) {
    return (mask & attribute) != 0;
  }

  private void move(QpState from, QpState to) {
    switch (to) {
      case RESET -> {
        QpAttr none = new QpAttr(); // allocated first, because memory may run out
        publish(to);
        forget();
        attributes = none;
      }
      case INIT -> publish(to);
      case RTR -> {
        established = false;
        failing.log().clear();
        responder.start(attributes.rqPsn());
        publish(to);
      }
      case RTS -> {
        if (from == QpState.RTR) {
          requester.start(attributes.sqPsn());
        }
        requester.hold(false);
        publish(to);
      }
      case SQD -> {
        requester.hold(true);
        publish(to);
      }
      case ERR -> enterError(null);
      default -> throw new AssertionError("the table allows no move to " + to);
    }
  }

  void publish(QpState to) {
    QpState from = current;
    current = to;
    publishState(to);
    publishMayWait(0);
    if (from != to) {
      host.trace().stateChanged(qpNum, from, to);
    }
  }

  /**
   * {@code ibv_modify_qp_rate_limit}.
   *
   * @param limit within the device's bounds
   * @throws VerbsException EINVAL if its state does not send
   */
  public void rateLimit(QpRateLimitAttr limit) {
    if (current != QpState.RTS && current != QpState.SQD) {
      throw Errno.EINVAL.refusal("a rate is for a queue pair that sends: move it to RTS first");
    }
    pacing.limit(limit, peer.pathMtu());
    host.needTime();
    host.activate(this);
  }

  /** {@code ibv_query_qp}. */
  public QpAttr query() {
    boolean draining = current == QpState.SQD && !requester.drained();
    int expected = responder.expectedPsn();
    return QpAttributes.query(attributes, current, expected, requester.nextPsn(), draining)
        .rateLimit(pacing.rateLimit());
  }

  /** Clears timers, packets in flight and posted requests. */
  public void forget() {
    host.deadlines().cancel(deadline);
    pacing.limit(QpRateLimitAttr.NONE, 1);
    answers.forget();
    requester.discard();
    responder.discard();
    disconnect();
  }

  /** The queue pair is destroyed. A concurrent post finds a state that accepts no request. */
  public void retired() {
    current = QpState.RESET;
    publishState(QpState.RESET);
    publishMayWait(0);
  }

  /** XRC_RECV: a shared receive queue of its domain is destroyed. */
  public void receiverGone(XrcReceiver gone) {
    responder.receiverGone(gone);
  }

  // ---- failure

  /** RC and XRC: a send request that fails moves the queue pair to ERR, not to SQE. */
  boolean reliable() {
    return requester instanceof ReliableRequester;
  }

  /** ERR: everything outstanding is flushed, in order, exactly once. */
  public void enterError(EventType event) {
    failing.enterError(event);
  }

  void flushSends() {
    requester.flush();
  }

  /** Completes all posted requests, in order, and leaves nothing in flight. */
  void flush() {
    host.deadlines().cancel(deadline);
    pacing.stop();
    requester.flush();
    responder.flush();
    host.leavePath(this);
  }

  // ---- the data's way

  /** Handles a packet to this queue pair. */
  public void handlePacket(long nowNs, InboundPacket packet, Inbound inbound) {
    Opcode opcode = packet.opcode();
    Counter refusal = checks.refusal(current, packet, inbound);
    if (refusal != null) {
      host.counters().increment(refusal);
      host.trace().dropped(qpNum, packet.psn(), refusal);
      return;
    }
    if (type != QpType.UD && CongestionNotifier.marked(inbound)) {
      answers.marked();
      host.needTime();
    }
    if (opcode.response()) {
      if (requester instanceof ReliableRequester rc) {
        rc.handleResponse(nowNs, packet, inbound);
        host.holding().answered(this, rc);
        maySend = true;
      }
    } else {
      if (requester instanceof ReliableRequester rc) {
        rc.requestCame();
      }
      boolean accepted = answers.handleRequest(nowNs, packet, inbound);
      if (accepted && !established && type != QpType.UD && current == QpState.RTR) {
        established = true;
        listener.event(EventType.COMM_EST);
      }
    }
    if (maySend || answers.due()) {
      host.activate(this);
    }
    host.roomMade(peer.window());
  }

  @Override
  public void rung() {
    if (takeFailureRequest() && current != QpState.RESET) {
      enterError(EventType.QP_FATAL);
    }
    switch (current) {
      case ERR -> {
        requester.flush();
        responder.flush();
      }
      case SQE -> requester.flush();
      default -> {
        maySend = true;
        host.activate(this);
      }
    }
  }

  @Override
  public void resume() {
    host.activate(this);
  }

  /**
   * Adds packets to the train: requests, then answers, so that an acknowledgement can be the
   * shorter last datagram of a train. Answers that do not fit go first in the next train.
   */
  public TransmitOutcome transmit(long nowNs, Transmit out) {
    TransmitOutcome outcome = TransmitOutcome.IDLE;
    if (answers.waited() && !answer(nowNs, out)) {
      return TransmitOutcome.FULL;
    }
    if (maySend && (current == QpState.RTS || current == QpState.SQD)) {
      int before = out.segments();
      outcome = pacing.transmit(nowNs, out);
      maySend = outcome != TransmitOutcome.IDLE || pacing.waiting();
      if (trainCapacity == 0) {
        host.departs(this);
      }
      trainCapacity = out.capacity();
      if (out.segments() > before && !maySend) {
        answers.replies();
      }
    }
    if (!answer(nowNs, out)) {
      outcome = TransmitOutcome.FULL;
    }
    if (current == QpState.SQD) {
      drain.look();
    }
    return outcome;
  }

  private boolean answer(long nowNs, Transmit out) {
    return answers.transmit(nowNs, out, current != QpState.ERR && current != QpState.RESET);
  }

  @Override
  public void handleTimeout(long nowNs) {
    if (requester instanceof ReliableRequester rc && current != QpState.ERR) {
      rc.handleTimeout(nowNs);
      maySend = true;
      host.activate(this);
    }
    host.roomMade(peer.window());
  }

  /** The train of its last turn has left: what counts time from there begins. */
  public void sent(long nowNs) {
    if (requester instanceof ReliableRequester rc) {
      rc.sent(nowNs);
      boolean probing = host.deadlines().size() <= host.device().maxProbingQp();
      host.deadlines().want(deadline, rc.deadlineNs(probing));
      boolean idle = !maySend && current == QpState.RTS;
      host.holding().turnTaken(this, rc, idle, trainCapacity, peer.window());
    }
    answers.sent(nowNs);
    trainCapacity = 0;
  }

  // ---- reading ahead

  /** Touches the parts that a packet will need, as described in {@link Touchable}. */
  public long touch(Needs needs, int step) {
    long shared =
        switch (step) {
          case Touchable.ITSELF -> peer.destQp() + deadline.atNs();
          case Touchable.PARTS -> answers.due() ? 1 : 0;
          default -> 0;
        };
    return shared + needs.touch(requester, responder, step);
  }

  // ---- the engine's lists

  /** Whether the requester may have something to send. */
  public boolean maySend() {
    return maySend;
  }

  public boolean isActive() {
    return active;
  }

  public void active(boolean value) {
    active = value;
  }
}
