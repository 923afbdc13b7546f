package org.roce4j.engine.cm;

import static org.roce4j.engine.cm.ConnectionState.DREQ_RCVD;
import static org.roce4j.engine.cm.ConnectionState.DREQ_SENT;
import static org.roce4j.engine.cm.ConnectionState.ESTABLISHED;
import static org.roce4j.engine.cm.ConnectionState.IDLE;
import static org.roce4j.engine.cm.ConnectionState.MRA_REP_RCVD;
import static org.roce4j.engine.cm.ConnectionState.MRA_REQ_RCVD;
import static org.roce4j.engine.cm.ConnectionState.REP_RCVD;
import static org.roce4j.engine.cm.ConnectionState.REP_SENT;
import static org.roce4j.engine.cm.ConnectionState.REQ_RCVD;
import static org.roce4j.engine.cm.ConnectionState.REQ_SENT;
import static org.roce4j.engine.cm.ConnectionState.TIMEWAIT;

import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.time.Deadline;
import org.roce4j.engine.time.Timed;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.mad.CmMessage;
import org.roce4j.wire.mad.Drep;
import org.roce4j.wire.mad.Dreq;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.Mra;
import org.roce4j.wire.mad.Rej;
import org.roce4j.wire.mad.RejCode;
import org.roce4j.wire.mad.Rep;
import org.roce4j.wire.mad.Req;
import org.roce4j.wire.mad.Rtu;

/**
 * One end of a connection. A call that its state does not allow returns false and changes nothing.
 *
 * <p>An end whose program is gone exists until the peer knows: DREQ is retransmitted until it is
 * confirmed, and then the end stays in time wait. Thus a lost message leaves no half-open
 * connection. Linux sends the DREQ of a destroyed id only once.
 */
public final class CmConnection implements Timed {
  private final CmHost host;
  private final ConnectionEnds ends;
  private final Outbox outbox;

  /** The local communication id, which its messages carry. */
  private final int localId;

  private final Deadline deadline = new Deadline(this);
  private final Repetition repetition;

  /** The first PSN of the local queue pair. */
  private final int startingPsn;

  /**
   * The program that is told; null: it is gone. An end that makes a connection, or has one, has a
   * program.
   */
  private ConnectionUser user;

  /** The state of the communication (cm-protocol). */
  private ConnectionState state = IDLE;

  /** Where the peer's connection manager is. */
  private Route route;

  /** The REQ, sent or received. */
  private Req request;

  /** The REP, sent or received; null: there is none. */
  private Rep reply;

  /** The number of the local queue pair. */
  private int localQpn;

  /** The peer's communication id; 0: unknown. */
  private int remoteId;

  /** The number of the peer's queue pair; 0: unknown. */
  private int remoteQpn;

  /** The GUID of the peer's device. */
  private long remoteGuid;

  /** The transaction of the message that is retransmitted, and of its answers. */
  private long transactionId;

  CmConnection(CmHost host, ConnectionEnds ends, Outbox outbox, ConnectionUser user, Route route) {
    this.host = host;
    this.ends = ends;
    this.outbox = outbox;
    this.user = user;
    this.route = route;
    repetition = new Repetition(host, outbox, deadline);
    localId = ends.freshId();
    startingPsn = host.random().nextInt(1 << 24);
    ends.add(this);
  }

  // ---- what it is

  public ConnectionState state() {
    return state;
  }

  int localId() {
    return localId;
  }

  int remoteId() {
    return remoteId;
  }

  /** The peer's queue pair; 0 as long as it is not known. */
  public int remoteQpn() {
    return remoteQpn;
  }

  long remoteGuid() {
    return remoteGuid;
  }

  public Route route() {
    return route;
  }

  /** REQ as sent or received; null at an active end that has not sent it. */
  public Req request() {
    return request;
  }

  /** REP as sent or received; null before. */
  public Rep reply() {
    return reply;
  }

  /** The first PSN that this end expects. */
  public int startingPsn() {
    return startingPsn;
  }

  /** Sets the user of this end; null: none. */
  public void user(ConnectionUser user) {
    this.user = user;
  }

  // ---- calls of the active end

  /** Sends REQ. */
  void request(long nowNs, Req message) {
    request = message;
    localQpn = message.qpn();
    transactionId = transaction();
    enter(nowNs, REQ_SENT, message);
  }

  /** Sends RTU, because the program's queue pair can receive. */
  public boolean establish(long nowNs) {
    if (state != REP_RCVD) {
      return false;
    }
    enter(nowNs, ESTABLISHED, null);
    send(new Rtu(localId, remoteId, Bytes.NONE));
    return true;
  }

  // ---- calls of the passive end

  /** REQ has arrived. */
  void requested(long nowNs, Mad mad, Req message) {
    request = message;
    transactionId = mad.header().transactionId();
    join(message.localId(), message.qpn(), message.caGuid());
    enter(nowNs, REQ_RCVD, null);
  }

  /** Sends REP. */
  public boolean accept(long nowNs, Offer offer) {
    if (state != REQ_RCVD) {
      return false;
    }
    localQpn = offer.qpn();
    boolean target = request.isExtended();
    reply =
        new Rep(
            localId,
            remoteId,
            0,
            target ? 0 : localQpn,
            0,
            target ? localQpn : 0,
            startingPsn,
            offer.responderResources(),
            offer.initiatorDepth(),
            CmTiming.ACK_DELAY,
            0,
            offer.flowControl(),
            offer.rnrRetryCount(),
            target || offer.srq(),
            host.caGuid(),
            offer.privateData());
    enter(nowNs, REP_SENT, reply);
    return true;
  }

  /**
   * The queue pair has received a packet, so the peer is established even if RTU was lost. Informs
   * the user.
   *
   * @return null, or the state in which this is not allowed
   */
  public ConnectionState confirm(long nowNs) {
    if (!state.awaitsReadyToUse()) {
      return state;
    }
    enter(nowNs, ESTABLISHED, null);
    user.established();
    return null;
  }

  // ---- calls of both

  /** Sends REJ to a peer that waits for an answer or has received one, which ends the attempt. */
  public boolean reject(long nowNs, RejCode reason, Bytes privateData) {
    switch (state) {
      case REQ_RCVD -> {
        Mad answer = Rej.of(localId, remoteId, Rej.REQ, reason, privateData).in(transactionId);
        outbox.send(route.path(), answer);
        ends.rejections().add(nowNs, request, answer);
        forget();
      }
      case REP_RCVD -> {
        send(Rej.of(localId, remoteId, Rej.REP, reason, privateData));
        forget();
      }
      case REP_SENT, MRA_REP_RCVD -> {
        // REJ may be lost. DREQ, which follows, is retransmitted, and its outcome concerns no
        // program.
        user = null;
        send(Rej.of(localId, remoteId, Rej.OTHER, reason, privateData));
        startRelease(nowNs);
      }
      default -> {
        return false;
      }
    }
    return true;
  }

  /** Takes the connection down, or confirms the peer's DREQ. */
  public boolean release(long nowNs) {
    switch (state) {
      case ESTABLISHED -> startRelease(nowNs);
      case DREQ_RCVD -> confirmRelease(nowNs);
      default -> {
        return false;
      }
    }
    return true;
  }

  /** The program is gone: informs the peer as the state requires. The user is informed no more. */
  public void close(long nowNs) {
    user = null;
    switch (state) {
      case REQ_SENT, MRA_REQ_RCVD -> {
        send(Rej.timedOut(localId, 0, host.caGuid()));
        forget();
      }
      case REQ_RCVD, REP_RCVD, REP_SENT, MRA_REP_RCVD ->
          reject(nowNs, RejCode.CONSUMER_DEFINED, Bytes.NONE);
      case ESTABLISHED, DREQ_RCVD -> release(nowNs);
      case IDLE, DREQ_SENT, TIMEWAIT -> {
        // It is forgotten, or the deadline ends these states.
      }
    }
  }

  /** Removes this end without informing its user. */
  void forget() {
    state = IDLE;
    host.deadlines().cancel(deadline);
    ends.remove(this);
  }

  private void startRelease(long nowNs) {
    transactionId = transaction();
    enter(nowNs, DREQ_SENT, new Dreq(localId, remoteId, remoteQpn, Bytes.NONE));
  }

  private void confirmRelease(long nowNs) {
    enter(nowNs, TIMEWAIT, null);
    send(new Drep(localId, remoteId, Bytes.NONE));
  }

  // ---- inputs

  /**
   * Whether the sender of a message is the peer, by its address: a stranger may have seen the ids.
   *
   * @param back the way back to the sender
   */
  boolean isFromPeer(Path back) {
    return route.path().hasRemoteOf(back);
  }

  /** Handles a message to this end. */
  void handle(long nowNs, Mad mad) {
    switch (Reactions.to(mad.message().attribute(), state)) {
      case IGNORE -> {}
      case ASK_FOR_TIME -> askForTime();
      case REJECT_STALE ->
          outbox.send(
              route.path(),
              mad.header().transactionId(),
              Rej.of(0, remoteId, Rej.REQ, RejCode.STALE_CONNECTION, Bytes.NONE));
      case TAKE_REPLY -> takeReply(nowNs, (Rep) mad.message());
      case REPEAT_RTU -> send(new Rtu(localId, remoteId, Bytes.NONE));
      case ESTABLISH -> confirm(nowNs);
      case WAIT_LONGER -> waitLonger(nowNs, (Mra) mad.message());
      case END -> end(nowNs, (Rej) mad.message(), false);
      case END_IN_TIME_WAIT -> end(nowNs, (Rej) mad.message(), true);
      case TAKE_RELEASE -> takeRelease(nowNs, mad);
      case TAKE_REFUSAL -> takeRefusal(nowNs, mad);
      case CROSS_RELEASE -> crossRelease(nowNs, mad);
      case REPEAT_DREP -> repeatDrep(mad);
      case RELEASED -> released(nowNs, false);
    }
  }

  private void askForTime() {
    int message = state == REQ_RCVD ? Mra.REQ : Mra.REP;
    send(new Mra(localId, remoteId, message, CmTiming.MRA_TIMEOUT, Bytes.NONE));
  }

  private void takeReply(long nowNs, Rep message) {
    int qpn = request.isExtended() ? message.eecn() : message.qpn();
    CmConnection known = ends.byRemoteId(route.path(), message.localId(), message.caGuid());
    CmConnection stale = ends.byRemoteQp(route.path(), qpn, message.caGuid());
    if (known != null) {
      return; // the peer reuses an id that belongs to another end of this device
    }
    if (stale != null) {
      send(Rej.of(localId, message.localId(), Rej.REP, RejCode.STALE_CONNECTION, Bytes.NONE));
      stale.release(nowNs); // the peer has started again, so that end is half-open
      return;
    }
    reply = message;
    join(message.localId(), qpn, message.caGuid());
    enter(nowNs, REP_RCVD, null);
    user.replied(message);
  }

  private void waitLonger(long nowNs, Mra message) {
    if (message.arrived() != (state == REQ_SENT ? Mra.REQ : Mra.REP)) {
      return;
    }
    state = state == REQ_SENT ? MRA_REQ_RCVD : MRA_REP_RCVD;
    wake(nowNs, CmTiming.serviceNs(message.serviceTimeout()) + CmTiming.RETRY_FIRST_NS);
  }

  private void end(long nowNs, Rej message, boolean timeWait) {
    ConnectionUser told = user;
    boolean stale = message.reason() == RejCode.STALE_CONNECTION.code();
    if (timeWait || stale) {
      enter(nowNs, TIMEWAIT, null);
    } else {
      forget();
    }
    if (told != null) {
      told.rejected(message);
    }
  }

  /**
   * Whether {@code CM_DREQ_REMOTE_QPN} is this end's queue pair, a check against forged and old
   * messages.
   */
  private boolean namesQueuePair(Mad mad) {
    return isNamedBy((Dreq) mad.message());
  }

  boolean isNamedBy(Dreq dreq) {
    return dreq.remoteQpn() == localQpn;
  }

  private void takeRelease(long nowNs, Mad mad) {
    if (!namesQueuePair(mad)) {
      return;
    }
    transactionId = mad.header().transactionId();
    enter(nowNs, DREQ_RCVD, null);
    user.released(false);
  }

  private void takeRefusal(long nowNs, Mad mad) {
    Dreq gone = (Dreq) mad.message();
    outbox.send(
        route.path(), mad.header().transactionId(), new Drep(localId, gone.localId(), Bytes.NONE));
    RejCode reason = RejCode.CONSUMER_DEFINED;
    end(nowNs, Rej.of(gone.localId(), localId, Rej.REP, reason, Bytes.NONE), false);
  }

  private void crossRelease(long nowNs, Mad mad) {
    if (namesQueuePair(mad)) {
      transactionId = mad.header().transactionId();
      confirmRelease(nowNs);
      if (user != null) {
        user.released(false);
      }
    }
  }

  private void repeatDrep(Mad mad) {
    if (namesQueuePair(mad)) {
      outbox.send(
          route.path(), mad.header().transactionId(), new Drep(localId, remoteId, Bytes.NONE));
    }
  }

  private void released(long nowNs, boolean unanswered) {
    enter(nowNs, TIMEWAIT, null);
    if (user != null) {
      user.released(unanswered);
    }
  }

  @Override
  public void handleTimeout(long nowNs) {
    switch (state.expiry()) {
      case NONE -> {}
      case RETRANSMIT -> {
        if (!repetition.again(nowNs, route.path())) {
          giveUp(nowNs);
        }
      }
      case FORGET -> {
        forget();
        if (user != null) {
          user.timeWaitOver();
        }
      }
    }
  }

  private void giveUp(long nowNs) {
    if (state == DREQ_SENT) {
      released(nowNs, true);
    } else {
      forget();
      user.unreachable();
    }
  }

  // ---- what they share

  private void join(int id, int qpn, long caGuid) {
    remoteId = id;
    remoteQpn = qpn;
    remoteGuid = caGuid;
    ends.join(this, id, qpn, caGuid);
  }

  /**
   * @param message sent and retransmitted until the state changes; null: none
   */
  private void enter(long nowNs, ConnectionState next, CmMessage message) {
    state = next;
    repetition.begin(route.path(), message == null ? null : message.in(transactionId));
    switch (next.expiry()) {
      case NONE -> host.deadlines().cancel(deadline);
      case RETRANSMIT -> repetition.await(nowNs);
      case FORGET -> wake(nowNs, CmTiming.timeWaitNs(route.ackTimeout()));
    }
  }

  private void wake(long nowNs, long afterNs) {
    host.deadlines().set(deadline, nowNs + afterNs);
  }

  private void send(CmMessage message) {
    outbox.send(route.path(), transactionId, message);
  }

  /**
   * A transaction id of this end: the lower half is the communication id, the upper half the
   * sender's own.
   */
  private long transaction() {
    return host.caGuid() << 32 | Integer.toUnsignedLong(localId);
  }

  @Override
  public String toString() {
    return Wording.of("connection 0x%08x to 0x%08x %s", localId, remoteId, state);
  }
}
