package org.roce4j.conformance.error;

import static org.roce4j.verbs.QpState.ERR;
import static org.roce4j.verbs.QpState.INIT;
import static org.roce4j.verbs.QpState.RESET;
import static org.roce4j.verbs.QpState.RTR;
import static org.roce4j.verbs.QpState.RTS;
import static org.roce4j.verbs.QpState.SQD;
import static org.roce4j.verbs.QpState.SQE;

import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.roce4j.conformance.bench.Bench;
import org.roce4j.conformance.bench.BenchCompletion;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.conformance.bench.Station;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.text.Wording;

/** A queue pair is destroyed, reset or failed in each state while both sides are sending. */
final class UnderWayCases extends Cases {
  /** The states in which a call comes; reliable connections have no SQE. */
  static final List<QpState> ALL_STATES = List.of(INIT, RTR, RTS, SQD, SQE, ERR);

  private static final int MANY_PACKETS = 16384;
  private static final int REQUESTS = 4;
  private static final long MARK = 0x5253545556575859L;

  private enum Verb {
    DESTROY("verbs-tables 7.1"),
    RESET("rc-transport 5.1"),
    ERR("rc-transport 5.1");

    private final String source;

    Verb(String source) {
      this.source = source;
    }
  }

  @Override
  void collect() {
    for (Verb verb : Verb.values()) {
      for (QpType service : new QpType[] {QpType.RC, QpType.UC, QpType.UD}) {
        for (QpState state : states(service)) {
          row(verb, service, state);
        }
      }
    }
  }

  private static List<QpState> states(QpType service) {
    return ALL_STATES.stream().filter(state -> state != SQE || service != QpType.RC).toList();
  }

  private void row(Verb verb, QpType service, QpState state) {
    boolean rc = service == QpType.RC;
    ErrorCase error =
        ErrorCase.of(
                Chapter.UNDER_WAY,
                verb + "-" + service + "-" + state,
                verb.source,
                Wording.of(
                    "%s of a queue pair in %s (%s)",
                    verb == Verb.ERR ? "modify to ERR" : verb.name().toLowerCase(Locale.ROOT),
                    state,
                    service),
                bench -> play(bench, verb, service, state))
            .requester(
                verb == Verb.ERR ? WcStatus.WR_FLUSH_ERR : null,
                switch (verb) {
                  case DESTROY -> null;
                  case RESET -> RESET;
                  case ERR -> ERR;
                })
            .responder(rc ? WcStatus.RETRY_EXC_ERR : WcStatus.SUCCESS, rc ? ERR : RTS)
            .requesterCounts(verb == Verb.DESTROY ? "unknown_qp" : "wrong_state");
    if (rc) {
      error = error.responderCounts("req_cqe_error", "ack_timeout", "retry_exceeded_err");
    }
    if (state == RTR && verb != Verb.DESTROY && service != QpType.UD) {
      error = error.requesterEvent(EventType.COMM_EST);
    }
    add(error);
  }

  private static ErrorCase.Scene play(Bench bench, Verb verb, QpType service, QpState state) {
    Station near = bench.near();
    Station far = bench.far();
    CompletionChannel channel =
        verb == Verb.DESTROY ? near.context().createCompletionChannel() : null;
    CompletionQueue own =
        verb == Verb.ERR ? near.cq() : near.context().createCq(64, null, channel, 0);
    QueuePair qp = near.pd().createQp(near.qpInit(service).cq(own));
    Meeting meeting = new Meeting(bench, verb, state, channel, own, qp, far.qp(service));
    meeting.begin();
    meeting.leave();
    switch (verb) {
      case DESTROY -> qp.close();
      case RESET -> qp.modify(new QpAttr().qpState(RESET));
      case ERR -> qp.modify(new QpAttr().qpState(ERR));
    }
    post(far, meeting.peer(), near, qp);
    // The peer itself may have given up by now.
    late(bench, far, near, qp.qpNum(), service);
    return new ErrorCase.Scene(
        verb == Verb.DESTROY ? null : qp, meeting.peer(), meeting::checkAfterwards);
  }

  /**
   * Two queue pairs that send to each other.
   *
   * @param channel that of {@code own} if {@code qp} is destroyed, or null
   * @param own the completion queue of {@code qp}
   */
  private record Meeting(
      Bench bench,
      Verb verb,
      QpState state,
      CompletionChannel channel,
      CompletionQueue own,
      QueuePair qp,
      QueuePair peer) {

    /** Lets packets travel both ways, as far as the state allows. */
    void begin() {
      Station near = bench.near();
      Station far = bench.far();
      QpAttr values = Bench.attributes().ahAttr(near.pathTo(far)).destQpNum(peer.qpNum());
      bench.bring(near, qp, state == INIT || state == RTR ? state : RTS, values);
      bench.bring(far, peer, RTS, soonAlone().ahAttr(far.pathTo(near)).destQpNum(qp.qpNum()));
      receives(near, qp);
      receives(far, peer);
      if (channel != null) {
        own.requestNotification(false);
      }
      if (state == RTS || state == SQD) {
        post(near, qp, far, peer);
      }
      near.region().memory().set(ValueLayout.JAVA_LONG, 0, 0);
      far.region().memory().set(ValueLayout.JAVA_LONG, 0, MARK);
      post(far, peer, near, qp);
      boolean establishes = qp.qpType() != QpType.UD && state == RTR;
      bench.link().await(() -> establishes ? isWritten(near) : hasReceived(near), Bench.SOON_NS);
    }

    /** Brings the queue pair into the state in which the call comes. */
    void leave() {
      UnderWayCases.leave(bench, qp, own, state);
      if (channel != null && completes(qp.qpType(), state)) {
        // The call must drop at least one completion.
        boolean came = bench.link().await(() -> channel.getCqEvent(0) != null, Bench.SOON_NS);
        Expect.that(came, "nothing completed");
        own.ackEvents(1);
      }
    }

    void checkAfterwards() {
      if (verb != Verb.ERR) {
        boolean silent = bench.near().poll(own) == null;
        Expect.that(silent, "a completion of the queue pair came afterwards");
      }
      switch (verb) {
        case DESTROY -> {
          own.close();
          channel.close();
          bench.near().region().close();
        }
        case RESET -> beginsAnew(bench, qp);
        case ERR -> {}
      }
    }
  }

  /** Attributes of a peer that is left alone soon, and gives up after 134 ms. */
  private static QpAttr soonAlone() {
    return Bench.attributes().timeout(13).retryCnt(3);
  }

  /** Whether requests complete without the call: sends, received datagrams, flushed requests. */
  private static boolean completes(QpType service, QpState state) {
    return state == RTS || state == SQD || state == ERR || (state == RTR && service == QpType.UD);
  }

  /** Whether the first packet of a WRITE has come: a later one alone establishes nothing. */
  private static boolean isWritten(Station station) {
    return station.region().memory().get(ValueLayout.JAVA_LONG, 0) == MARK;
  }

  /**
   * Whether a packet has come, other than stragglers of the row before, whose queue pairs are gone.
   */
  private static boolean hasReceived(Station station) {
    boolean before = moreThanStragglers(station.counted());
    // Asked again, since a packet is counted before it is looked at.
    return before && moreThanStragglers(station.counted());
  }

  private static boolean moreThanStragglers(Map<String, Long> counted) {
    return arrived(counted) > 0;
  }

  /** The packets that came for queue pairs of this row. */
  private static long arrived(Map<String, Long> counted) {
    return counted.getOrDefault("rcvd_pkts", 0L) - counted.getOrDefault("unknown_qp", 0L);
  }

  private static long sent(Map<String, Long> counted) {
    return counted.getOrDefault("sent_pkts", 0L);
  }

  /** From RTS, where traffic runs, to the state in question. */
  private static void leave(Bench bench, QueuePair qp, CompletionQueue cq, QpState state) {
    switch (state) {
      case SQD, ERR -> qp.modify(new QpAttr().qpState(state));
      case SQE -> {
        Station near = bench.near();
        SendRequestList bad =
            near.send(0, WrOpcode.SEND).sge(near.region().address(), 8, Bench.noKey(near));
        if (qp.qpType() == QpType.UD) {
          bad.ud(near.ahTo(bench.far()), 0x17, bench.values().qkey());
        }
        Expect.posts(qp, bad);
        boolean[] failed = new boolean[1]; // receives may complete before and after it
        bench
            .link()
            .await(
                () -> {
                  for (BenchCompletion c = near.poll(cq); c != null; c = near.poll(cq)) {
                    failed[0] |= c.status() == WcStatus.LOC_PROT_ERR;
                  }
                  return failed[0] && qp.state() == SQE;
                },
                Bench.SOON_NS);
        Expect.that(failed[0], "a bad lkey did not fail");
        Expect.equal("the state after a bad lkey", SQE, qp.state());
      }
      default -> {}
    }
  }

  private static void receives(Station station, QueuePair qp) {
    station.postReceives(qp, 2 * REQUESTS + 2, BYTES + GRH);
  }

  /** Posts WRITEs of many packets each, or datagrams. */
  private static void post(Station from, QueuePair qp, Station to, QueuePair peer) {
    for (int i = 0; i < REQUESTS; i++) {
      SendRequestList request =
          qp.qpType() == QpType.UD
              ? from.send(1, WrOpcode.SEND)
                  .sge(from.region(), 0, BYTES)
                  .ud(from.ahTo(to), peer.qpNum(), Bench.attributes().qkey())
              : from.send(1, WrOpcode.RDMA_WRITE)
                  .sge(from.region(), 0, MANY_PACKETS)
                  .remote(to.region().address(), to.region().rkey());
      Expect.posts(qp, request);
    }
  }

  /**
   * A queue pair that was reset knows nothing of its past.
   *
   * <p>The WRITEs of its old peer arrive before it is connected again: UC accepts the first packet
   * of any message in RTR, and a late one would raise COMM_EST.
   */
  private static void beginsAnew(Bench bench, QueuePair qp) {
    Station far = bench.far();
    if (qp.qpType() == QpType.UC) {
      Station near = bench.near();
      bench.link().await(() -> arrived(near.counted()) >= sent(far.counted()), Bench.SOON_NS);
    }
    CompletionQueue cq = far.context().createCq(16);
    QueuePair peer = far.pd().createQp(far.qpInit(qp.qpType()).cq(cq));
    bench.connect(qp, peer, Bench.attributes(), Bench.attributes());
    far.postReceives(peer, 1, BYTES + GRH);
    Cases.post(bench, new Bench.Pair(qp, peer), send(bench, BYTES));
    bench.link().await(() -> far.poll(cq) != null, Bench.SOON_NS);
    Expect.equal("the state of the queue pair that began anew", RTS, qp.state());
  }
}
