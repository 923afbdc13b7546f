package org.roce4j.tools.perf;

import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.perf.exchange.BandwidthReport;
import org.roce4j.tools.perf.exchange.PerftestExchange;
import org.roce4j.tools.perf.exchange.QueuePairKey;
import org.roce4j.tools.perf.traffic.Measurement;
import org.roce4j.tools.perf.traffic.PerfPlan;
import org.roce4j.tools.perf.traffic.PerfSide;
import org.roce4j.tools.perf.traffic.PerfTest;
import org.roce4j.tools.perf.traffic.Player;
import org.roce4j.tools.perf.traffic.Round;
import org.roce4j.tools.perf.traffic.Verb;
import org.roce4j.tools.side.Role;
import org.roce4j.tools.side.Side;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.QpType;

/** A connected pair of sides, seen from one of them: the exchange over TCP and the traffic. */
public final class Session implements AutoCloseable {
  /** Longer than one retransmission timeout, 67.1 ms. */
  private static final long LINGER_NS = 200_000_000L;

  /** Longer than several retransmissions. */
  private static final long MOST_UNDER_WAY_NS = 1_000_000_000L;

  private static final int WARM = 0;
  private static final int COLD = 1;
  private static final int TIME_IS_OVER = 2;

  private final PerftestExchange exchange;
  private final boolean client;
  private final PerfPlan plan;
  private final PerfSide side;
  private final Player player;
  private final Round rounds;
  private final QueuePairKey first;
  private final Onlooker onlooker;

  /** When the server was first found to have hung up, {@link System#nanoTime}; 0: it has not. */
  private long goneNs;

  /** Null where the exchange connects. */
  private final CmConnections connections;

  private Session(
      PerfOptions options,
      PerfPlan plan,
      PerfSide side,
      PerftestExchange exchange,
      boolean client,
      InetSocketAddress server,
      Onlooker onlooker) {
    this.onlooker = onlooker;
    this.plan = plan;
    this.side = side;
    this.exchange = exchange;
    this.client = client;
    this.first = side.addresses().getFirst();
    this.rounds = new Round(System::nanoTime, options.patience().toNanos());
    this.connections =
        server != null ? new CmConnections(side, plan.ackTimeout(), plan.test().latency()) : null;
    boolean complete = false;
    try {
      if (connections != null) {
        connectByCm(options, server);
      }
      this.player = connect();
      complete = true;
    } finally {
      if (!complete) {
        closeConnections();
      }
    }
  }

  /**
   * Agrees with the peer, makes the queue pairs and connects them.
   *
   * @param server where queue pairs are connected by rdma_cm; null: the exchange does that
   */
  static Session open(
      PerfOptions options,
      Context context,
      PerftestExchange exchange,
      boolean client,
      InetSocketAddress server,
      Onlooker onlooker) {
    PerftestExchange.Agreement agreement =
        exchange.agree(
            Side.mtu(context, options.localAddress().port(), options.plan().mtu(), "-m"));
    PerfPlan plan = checked(options.plan().over(agreement.mtu()));
    Role role = client ? Role.CLIENT : Role.SERVER;
    PerfSide side =
        new PerfSide(context, role, plan, agreement, options.localAddress(), new SecureRandom());
    boolean complete = false;
    try {
      Session session = new Session(options, plan, side, exchange, client, server, onlooker);
      complete = true;
      return session;
    } finally {
      if (!complete) {
        side.close();
      }
    }
  }

  /** A datagram has no second packet. */
  static PerfPlan checked(PerfPlan plan) {
    if (plan.service() == QpType.UD && plan.size() > plan.mtu().bytes()) {
      throw ToolFailure.atRunTime(
          "a datagram has no second packet: -s %d is over the path MTU of %d; both sides need a"
              + " smaller -s or a larger -m",
          plan.size(), plan.mtu().bytes());
    }
    return plan;
  }

  private void connectByCm(PerfOptions options, InetSocketAddress server) {
    if (!client) {
      connections.listen(server.getPort());
    }
    meet("word that it listens");
    if (client) {
      connections.call(server);
    }
    connections.complete(options.patience());
    meet("word that its queue pairs are connected");
  }

  private void connectTo(List<QueuePairKey> peers) {
    if (connections == null) {
      side.connect(peers);
    } else {
      side.learn(peers);
    }
  }

  private void closeConnections() {
    if (connections != null) {
      connections.close();
    }
  }

  private Player connect() {
    PerfTest test = plan.test();
    if (test.latency() && test != PerfTest.SEND_LAT) {
      meet("the first key");
    }
    connectTo(exchange.keys(side.addresses()));
    if (test.verb() == Verb.SEND) {
      meet("word that it is connected");
    }
    exchange.keys(side.addresses());
    Player made = side.player(); // before the last word: the peer may read or write at once
    meet("word that it is ready");
    return made;
  }

  /** Waits until the peer has come to the same point. */
  public void meet(String what) {
    exchange.meet(first, what);
  }

  /** Plays without measuring. */
  public void warmUp(WarmUp warmUp) {
    if (warmUp.untilWarm()) {
      onlooker.warmUp(warmUp.mostNs(), watch -> untilWarm(warmUp, watch));
    } else if (warmUp.mostNs() > 0) {
      onlooker.warmUp(warmUp.mostNs(), watch -> round(Long.MAX_VALUE, warmUp.mostNs(), watch));
      meet("word that the warm-up is over");
    }
  }

  /**
   * Plays part after part until both sides are warm. Each announces it in the LID field, which is 0
   * on RoCE; only the client watches the time.
   */
  private void untilWarm(WarmUp warmUp, Round.Watch watch) {
    Warmth warmth = new Warmth();
    long beginNs = System.nanoTime();
    int own;
    int theirs;
    do {
      boolean warm = warmth.after(round(Long.MAX_VALUE, Warmth.PART_NS, watch).rate());
      boolean over = client && System.nanoTime() - beginNs >= warmUp.mostNs();
      own = over ? TIME_IS_OVER : warm ? WARM : COLD;
      theirs = exchange.meet(first.withLid(own), "word whether it is warm").lid();
    } while (own != TIME_IS_OVER && theirs != TIME_IS_OVER && (own != WARM || theirs != WARM));
  }

  /** Plays as planned. */
  Measurement measure() {
    boolean timed = plan.durationNs() > 0;
    long messages = timed ? Long.MAX_VALUE : plan.iterations();
    onlooker.measure(plan, watch -> round(messages, plan.durationNs(), watch));
    return player.measurement();
  }

  /** Plays for {@code ns} nanoseconds, then waits until the peer has noticed the end. */
  public Measurement measure(long ns) {
    Measurement measurement = round(Long.MAX_VALUE, ns, Round.Watch.NONE);
    meet("word that the run is over");
    return measurement;
  }

  /**
   * Watches for the peer's next message; {@link #peerSpoke} then returns whether it has arrived.
   */
  public void watch() {
    exchange.line().watch();
  }

  public boolean peerSpoke() {
    return exchange.line().spoke();
  }

  private Measurement round(long messages, long ns, Round.Watch watch) {
    exchange.line().watch();
    BooleanSupplier peerIsDone = exchange.line()::spoke;
    Round.Watch also = client ? beside(watch) : watch;
    rounds.play(player, messages, client ? ns : 0, client ? this::peerIsGone : peerIsDone, also);
    return player.measurement();
  }

  /** Datagrams go on although nobody takes them, so that the client never has time to look. */
  private Round.Watch beside(Round.Watch watch) {
    return (messages, nowNs) -> {
      peerIsGone();
      return watch.seen(messages, nowNs);
    };
  }

  /** Whether Ctrl-C has ended the round early on this side. */
  boolean interrupted() {
    return onlooker.interrupted();
  }

  /**
   * A server never sends first, so a message means that it has hung up. A server of write_lat may
   * do so while its last message is in flight.
   */
  private boolean peerIsGone() {
    if (!exchange.line().spoke()) {
      return false;
    }
    long nowNs = System.nanoTime();
    goneNs = goneNs == 0 ? nowNs : goneNs;
    if (plan.test() != PerfTest.WRITE_LAT || nowNs - goneNs > MOST_UNDER_WAY_NS) {
      throw ToolFailure.atRunTime(
          "%s hung up after %d messages; its own output may say why",
          exchange.line().peer(), player.measurement().messages());
    }
    return false;
  }

  /**
   * Ends the session as the C programs do.
   *
   * @param report of the client of a bandwidth test
   * @return the peer's report, {@link BandwidthReport#NONE} where there is none
   */
  BandwidthReport finish(BandwidthReport report) {
    BandwidthReport theirs = BandwidthReport.NONE;
    PerfTest test = plan.test();
    if (test == PerfTest.WRITE_LAT) {
      linger();
      return theirs;
    }
    if (!test.latency() && test.verb() != Verb.SEND) {
      meet("word that it is done");
      theirs = exchange.reports(report);
    }
    meet("word that it is done");
    exchange.sayDone();
    demandComplete();
    return theirs;
  }

  /** The peer has its report by now, even an interrupted one. */
  private void demandComplete() {
    if (!client && player.missing() > 0 && !plan.lossy() && !interrupted()) {
      throw ToolFailure.atRunTime(
          "the peer ended %d messages early: it was interrupted, or has another -n, -q or -s",
          player.missing());
    }
  }

  /** This test ends without a farewell: acknowledges the peer's last message once more. */
  private void linger() {
    long endNs = System.nanoTime() + LINGER_NS;
    while (System.nanoTime() - endNs < 0) {
      player.lend();
    }
  }

  public PerfPlan plan() {
    return plan;
  }

  public PerfSide side() {
    return side;
  }

  public Player player() {
    return player;
  }

  @Override
  public void close() {
    try (side) {
      closeConnections();
    }
  }
}
