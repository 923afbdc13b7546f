package org.roce4j.engine.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.cm.CmOracle.Rule;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.mad.AddressHeader;
import org.roce4j.wire.mad.CmAttribute;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.Rej;
import org.roce4j.wire.mad.RejCode;
import org.roce4j.wire.mad.Rep;

/**
 * Random programs set up and take down connections over a network that loses, duplicates and
 * reorders messages, while hosts die and come back. An oracle judges: every attempt leads to a
 * connection with two ends or to an event that it is over; there is no event after the end; and
 * when all programs have closed everything, nothing is left.
 */
class CmSimulationTest {
  private static final long MS = CmNode.MS;
  private static final long MINUTE = 60_000 * MS;
  private static final int HOSTS = 4;

  /**
   * The actions of the programs within two minutes, and the quality of the network.
   *
   * @param closeIn the state in which programs close their ends; null: any state
   * @param dieIn the state in which hosts die, instead of {@code deaths} at any time
   */
  private record Plan(
      int connections,
      int lossPercent,
      int duplicatePercent,
      int deaths,
      ConnectionState closeIn,
      ConnectionState dieIn) {
    Plan(int connections, int lossPercent, int duplicatePercent, int deaths) {
      this(connections, lossPercent, duplicatePercent, deaths, null, null);
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void everyAttemptComesToAConnectionOrToItsEnd(long seed) {
    new World(seed, new Plan(400, 10, 5, 0)).run();
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
  void hostsThatDieLeaveNothingBehind(long seed) {
    new World(seed, new Plan(400, 10, 5, 12)).run();
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IDLE")
  void anEndThatIsClosedInAnyStateLeavesNothingBehind(ConnectionState state) {
    World world = new World(30 + state.ordinal(), new Plan(200, 20, 5, 0, state, null));
    world.run();
    assertTrue(world.killed > 5, () -> "closed in " + state + ": " + world.killed);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "IDLE")
  void aHostThatDiesInAnyStateLeavesNothingBehind(ConnectionState state) {
    World world = new World(50 + state.ordinal(), new Plan(200, 20, 5, 12, null, state));
    world.run();
    assertTrue(world.killed > 5, () -> "died in " + state + ": " + world.killed);
  }

  @Test
  void aPerfectNetworkConnectsAThousand() {
    new World(21, new Plan(1000, 0, 0, 0)).run();
  }

  /** An action at a time. */
  private record Event(long atNs, long order, Runnable what) {}

  private static final class World {
    private final long seed;
    private final Plan plan;
    private final SplittableRandom random;
    private final PriorityQueue<Event> agenda =
        new PriorityQueue<>(Comparator.comparingLong(Event::atNs).thenComparing(Event::order));
    private final CmNode[] hosts = new CmNode[HOSTS + 1];
    private final List<Program> programs = new ArrayList<>();
    private long nowNs;
    private long order;
    private final CmOracle oracle = new CmOracle();
    private int nextQpn = 0x100;
    private boolean closing;
    private long lookedNs;

    /** Programs before this index are settled. */
    private int settled;

    /** Ends that were closed, or hosts that died, in the plan's state. */
    private int killed;

    World(long seed, Plan plan) {
      this.seed = seed;
      this.plan = plan;
      random = new SplittableRandom(seed);
      for (int host = 1; host <= HOSTS; host++) {
        born(host);
      }
    }

    void born(int host) {
      hosts[host] = new CmNode(host, random.nextLong());
      CmNode node = hosts[host];
      node.manager.listen(CmNode.SERVICE, new Listener(node));
    }

    void run() {
      for (int i = 0; i < plan.connections(); i++) {
        after(random.nextLong(2 * MINUTE), this::connect);
      }
      for (int i = 0; i < plan.deaths() && plan.dieIn() == null; i++) {
        after(random.nextLong(2 * MINUTE), () -> die(1 + random.nextInt(HOSTS)));
      }
      runUntil(15 * MINUTE);
      programs.forEach(this::judge);
      closing = true;
      programs.forEach(Program::close);
      runUntil(nowNs + 15 * MINUTE);
      for (int host = 1; host <= HOSTS; host++) {
        int left = hosts[host].manager.remaining() + hosts[host].deadlines().size();
        if (left != 0) {
          throw Rule.NOTHING_LEFT.broken(left + " at host " + host + " of " + this);
        }
      }
      int least = plan.connections() / (plan.closeIn() == null ? 4 : 8);
      assertTrue(connected() > least, this + ": too few connections to judge");
    }

    private long connected() {
      return programs.stream().filter(each -> each.established).count();
    }

    private void after(long ns, Runnable what) {
      agenda.add(new Event(nowNs + ns, order++, what));
    }

    private void runUntil(long endNs) {
      long before = nowNs;
      for (int idle = 0; nowNs < endNs; idle = nowNs == before ? idle + 1 : 0) {
        if (idle > 1000) {
          throw Rule.CLOCK_ADVANCES.broken(this);
        }
        before = nowNs;
        long next = endNs;
        if (!agenda.isEmpty()) {
          next = Math.min(next, agenda.peek().atNs());
        }
        for (int host = 1; host <= HOSTS; host++) {
          if (hosts[host].deadlines().size() > 0) {
            next = Math.min(next, hosts[host].deadlines().nextNs());
          }
        }
        nowNs = Math.max(nowNs, next);
        while (!agenda.isEmpty() && agenda.peek().atNs() <= nowNs) {
          agenda.poll().what().run();
          send();
        }
        for (int host = 1; host <= HOSTS; host++) {
          hosts[host].handleTimeout(nowNs);
        }
        send();
        if (nowNs - lookedNs > 100 * MS) {
          look();
        }
      }
    }

    private void look() {
      lookedNs = nowNs;
      oracle.look(nowNs);
      List.copyOf(programs.subList(settled, programs.size())).forEach(this::look);
      while (settled < programs.size() && programs.get(settled).isSettled()) {
        settled++;
      }
    }

    private void look(Program program) {
      ConnectionState state = program.end.state();
      if (program.dead) {
        return;
      }
      if (state == ConnectionState.ESTABLISHED && random.nextInt(100) == 0) {
        Program peer = peerOf(program);
        if (peer == null ? plan.deaths() == 0 : !peer.dead) {
          oracle.stands(program.end, peer == null ? null : peer.end, nowNs);
        }
      }
      if (closing || program.closed || nowNs > 2 * MINUTE) {
        return;
      }
      if (state == plan.closeIn() && random.nextInt(4) == 0) {
        killed++;
        program.close();
      } else if (state == plan.dieIn() && killed < plan.deaths() && random.nextInt(4) == 0) {
        killed++;
        die(program.node.number);
      }
    }

    private void send() {
      for (int host = 1; host <= HOSTS; host++) {
        for (Outgoing out : hosts[host].sent()) {
          int from = host;
          oracle.sent(hosts[host], out.mad().message(), nowNs);
          int to = (int) (out.path().remoteLow() & 0xFF);
          int copies = random.nextInt(100) < plan.duplicatePercent() ? 2 : 1;
          for (int copy = 0; copy < copies; copy++) {
            if (random.nextInt(100) >= plan.lossPercent()) {
              Mad mad = out.mad();
              after(random.nextLong(40 * MS), () -> hosts[to].handle(nowNs, from, mad));
            }
          }
        }
      }
    }

    private void connect() {
      int from = 1 + random.nextInt(HOSTS);
      int to = 1 + (from - 1 + 1 + random.nextInt(HOSTS - 1)) % HOSTS;
      Program program = new Program(this, hosts[from]);
      program.end = hosts[from].connect(nowNs, to, nextQpn++, program);
      oracle.watch(program.end, nowNs);
      if (random.nextInt(10) == 0) {
        after(random.nextLong(2000 * MS), program::close);
      }
    }

    /** A host dies silently and restarts without memory. */
    private void die(int host) {
      for (Program program : programs) {
        if (program.node == hosts[host]) {
          program.dead = true;
          oracle.forget(program.end);
        }
      }
      born(host);
    }

    /** Judges a program. */
    private void judge(Program program) {
      if (program.dead || program.closed || program.over) {
        return;
      }
      String what = this + " " + program;
      if (program.end.state() == ConnectionState.DREQ_RCVD) {
        return; // its program has the event, and has not confirmed yet
      }
      assertEquals(ConnectionState.ESTABLISHED, program.end.state(), what);
      Program peer = peerOf(program);
      if (peer == null || peer.dead) {
        assertTrue(plan.deaths() > 0, what + " has no peer");
        return;
      }
      assertEquals(ConnectionState.ESTABLISHED, peer.end.state(), what + " and " + peer);
      assertEquals(program.end.remoteQpn(), peer.qpn(), what);
    }

    private Program peerOf(Program program) {
      for (Program other : programs) {
        if (other != program
            && other.end.localId() == program.end.remoteId()
            && other.node.caGuid() == program.end.remoteGuid()
            && other.end.remoteId() == program.end.localId()) {
          return other;
        }
      }
      return null;
    }

    @Override
    public String toString() {
      return "seed " + seed + " " + plan + " at " + nowNs / MS + " ms";
    }

    /** Answers requests after a random time, in a random way. */
    private final class Listener implements Service {
      private final CmNode node;

      Listener(CmNode node) {
        this.node = node;
      }

      @Override
      public boolean hears(AddressHeader addresses) {
        return true;
      }

      @Override
      public Verdict requested(CmConnection connection, AddressHeader addresses) {
        if (random.nextInt(20) == 0) {
          return Verdict.FULL;
        }
        Program program = new Program(World.this, node);
        program.end = connection;
        connection.user(program);
        oracle.watch(connection, nowNs);
        after(random.nextLong(3000 * MS), program::answer);
        return Verdict.TAKEN;
      }

      @Override
      public Verdict asked(ServiceRequest request, AddressHeader addresses) {
        return Verdict.FULL;
      }
    }
  }

  /** The program of one end: its events, and its reactions after a while. */
  private static final class Program implements ConnectionUser {
    private final World world;
    private final CmNode node;
    private final List<String> told = new ArrayList<>();
    private CmConnection end;
    private int acceptedQpn;
    private boolean established;
    private boolean closed;
    private boolean dead;

    /** Whether it got the event that there is no connection, or that it has ended. */
    private boolean over;

    Program(World world, CmNode node) {
      this.world = world;
      this.node = node;
      world.programs.add(this);
      if (world.closing) {
        closed = true;
      }
    }

    int qpn() {
      return acceptedQpn != 0 ? acceptedQpn : end.request().qpn();
    }

    private void later(Runnable what) {
      world.after(
          world.random.nextLong(3000 * MS),
          () -> {
            if (!dead && !closed) {
              what.run();
            }
          });
    }

    void answer() {
      if (dead || over) {
        return;
      }
      int chance = world.random.nextInt(20);
      if (chance == 0 || closed) {
        close();
      } else if (chance == 1) {
        over = end.reject(world.nowNs, RejCode.CONSUMER_DEFINED, Bytes.NONE);
      } else {
        acceptedQpn = world.nextQpn++;
        end.accept(world.nowNs, CmNode.offer(acceptedQpn));
        if (chance == 2) {
          later(() -> over |= end.reject(world.nowNs, RejCode.CONSUMER_DEFINED, Bytes.NONE));
        }
        later(this::heardPackets);
      }
    }

    /** Its queue pair gets the peer's packets, perhaps before RTU; any packet would do. */
    private void heardPackets() {
      Program peer = world.peerOf(this);
      if (peer != null && peer.end.state() == ConnectionState.ESTABLISHED) {
        end.confirm(world.nowNs);
        end.confirm(world.nowNs);
      }
    }

    void close() {
      if (!dead && (!closed || world.closing)) {
        closed = true;
        end.close(world.nowNs);
        world.send();
      }
    }

    private void told(String what) {
      boolean again = told.contains(what) && !what.startsWith("rejected");
      if (closed && !world.closing || over && !what.equals("over") || again) {
        throw Rule.TOLD_ONCE.broken(this + " is told " + what);
      }
      told.add(what);
    }

    /** Whether nothing more can come of it. */
    boolean isSettled() {
      return dead || end.state() == ConnectionState.IDLE;
    }

    private void ended(String what) {
      told(what);
      over = true;
    }

    /** Whether an answering peer is alive; the peer of a request may be any host. */
    private boolean peerLives() {
      if (world.plan.deaths() > 0) {
        return false;
      }
      for (Program other : world.programs) {
        if (other.end.localId() == end.remoteId() && other.node.caGuid() == end.remoteGuid()) {
          return !other.closed && !other.over;
        }
      }
      return true;
    }

    @Override
    public void replied(Rep reply) {
      told("replied");
      later(
          () -> {
            int chance = world.random.nextInt(20);
            if (chance == 0) {
              close();
            } else if (chance == 1) {
              over |= end.reject(world.nowNs, RejCode.CONSUMER_DEFINED, Bytes.NONE);
            } else if (end.establish(world.nowNs)) {
              stands();
            }
          });
    }

    @Override
    public void established() {
      told("established");
      stands();
    }

    private void stands() {
      established = true;
      switch (world.random.nextInt(4)) {
        case 0 -> later(this::close);
        case 1 -> later(() -> end.release(world.nowNs));
        default -> {
          // The connection stays.
        }
      }
    }

    @Override
    public void rejected(Rej why) {
      ended("rejected " + why.reason());
    }

    @Override
    public void unreachable() {
      CmAttribute unanswered = acceptedQpn != 0 ? CmAttribute.REP : CmAttribute.REQ;
      world.oracle.gaveUp(node, unanswered, end, peerLives());
      ended("unreachable");
    }

    @Override
    public void released(boolean unanswered) {
      if (unanswered) {
        world.oracle.gaveUp(node, CmAttribute.DREQ, end, peerLives());
      }
      if (over) {
        return; // both ends have taken it down
      }
      ended("released");
      later(world.random.nextBoolean() ? () -> end.release(world.nowNs) : this::close);
    }

    @Override
    public void timeWaitOver() {
      told("over");
    }

    @Override
    public String toString() {
      return "host " + node.number + " " + end + " " + told + (closed ? " closed" : "");
    }
  }
}
