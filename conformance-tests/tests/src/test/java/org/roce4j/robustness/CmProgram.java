package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.roce4j.device.CmDevice;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.Limit;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.RdmaCm;

/**
 * A random program of 2 to 12 threads that use the connection manager, made of a seed. The threads
 * share connection managers, event channels and ids, and each executes random steps on any of them,
 * regardless of the others. The seed decides the steps of each thread, the operating system their
 * order.
 *
 * <p>Every call returns or throws a documented errno. When all connection managers are closed,
 * every call ends and no object is left.
 */
final class CmProgram {
  /** A program hangs if no call ends for this time; a busy machine may make it slow. */
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

  /** If all threads wait for so long, a connection manager is closed, which ends their waits. */
  private static final long STANDSTILL_NS = 30_000_000;

  /** The code of 4.3 s. A test in real time waits for the end of TIMEWAIT, which lasts as long. */
  private static final int LONGEST_REAL_ACK_TIMEOUT = 20;

  /** A device has room for few objects, so a leak makes a program fail. */
  private static final int MOST_OBJECTS = 300;

  private static final String NAME = "random-cm";
  private static final String[] LOSSES = {"0%", "0%", "5%", "20%"};

  private final long seed;
  private final String transport;
  private final int steps;
  private final SplittableRandom random;
  private final List<Context> contexts = new ArrayList<>();
  private final List<CmActor> actors = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private Thread disturber;
  private final ConcurrentLinkedQueue<Throwable> failures = new ConcurrentLinkedQueue<>();
  private final AtomicLong ended = new AtomicLong();

  /**
   * Creates a program.
   *
   * @param transport {@code fabric} or a socket port
   * @param steps number of steps of each thread
   */
  CmProgram(long seed, String transport, int steps) {
    this.seed = seed;
    this.transport = transport;
    this.steps = steps;
    random = new SplittableRandom(seed);
  }

  /**
   * Runs the program to its end; fails with the seed and the step of each thread if it does not
   * end.
   */
  void run() throws InterruptedException {
    String loss = LOSSES[random.nextInt(LOSSES.length)];
    String link = "seed=%d loss=%s delay=%dns".formatted(seed, loss, random.nextInt(20_000));
    try (FabricDevices network = new FabricDevices(FabricOptions.parse(link))) {
      try {
        play(network, open(network, loss));
      } catch (AssertionError e) {
        closeAll(e);
        throw e;
      }
    }
  }

  private void play(FabricDevices network, List<InetSocketAddress> places)
      throws InterruptedException {
    int ackTimeout = transport.equals(AnyNetwork.FABRIC) ? 31 : LONGEST_REAL_ACK_TIMEOUT;
    CmStock stock = new CmStock(contexts, places, ackTimeout, threads);
    start(stock);
    awaitEnds();
    if (!failures.isEmpty()) {
      throw new AssertionError("seed " + seed, failures.peek());
    }
    contexts.forEach(this::demandNothingLeft);
    network.fabric().run(TimeUnit.HOURS.toNanos(1)); // memories of peers expire
    long nextNs = network.fabric().nextEventNs();
    assertEquals(Deadlines.NEVER, nextNs, () -> "seed " + seed + ": a timer runs");
    contexts.forEach(Context::close);
    demandNoThreads();
  }

  /** Programs that come later find no threads of this one. */
  private void closeAll(AssertionError failure) {
    for (Context each : contexts) {
      try {
        each.close();
      } catch (VerbsException e) {
        failure.addSuppressed(e);
      }
    }
  }

  /** Opens 2 or 3 devices; returns the addresses for listening ids. */
  private List<InetSocketAddress> open(FabricDevices network, String loss) {
    List<InetSocketAddress> places = new ArrayList<>();
    for (int i = 0, count = 2 + random.nextInt(2); i < count; i++) {
      DeviceOptions options = options(network, i, loss).withEngines(1 << random.nextInt(2));
      for (Limit limit : List.of(Limit.MAX_PD, Limit.MAX_QP, Limit.MAX_CQ, Limit.MAX_SRQ)) {
        options = options.withLimit(limit, MOST_OBJECTS);
      }
      contexts.add(
          (transport.equals(AnyNetwork.FABRIC)
                  ? network.device(options)
                  : Emulator.device(options.withTransport(transport)))
              .open());
      for (Gid address : options.addresses()) {
        places.add(new InetSocketAddress(address.toInetAddress(), 7471 + random.nextInt(2)));
      }
    }
    return places;
  }

  private DeviceOptions options(FabricDevices network, int i, String loss) {
    return transport.equals(AnyNetwork.FABRIC)
        ? network.options(NAME + i, Gid.ofIpv4(0x0a00_0001 + i), Gid.parse("fd00::" + (i + 1)))
        : DeviceOptions.of(NAME + i, Loopback.fresh())
            .withFaults(FaultPlan.parse("seed=%d; loss=%s".formatted(seed + i, loss)));
  }

  private void start(CmStock stock) {
    int count = 2 + random.nextInt(11);
    for (int i = 0; i < count; i++) {
      CmActor actor = new CmActor(stock, random.split(), ended);
      actors.add(actor);
      Thread.Builder kind =
          random.nextBoolean() ? Thread.ofPlatform().daemon() : Thread.ofVirtual();
      threads.add(kind.name("actor-" + i).unstarted(() -> guarded(actor, () -> actor.act(steps))));
    }
    threads.forEach(Thread::start);
    disturber = Thread.ofPlatform().daemon().name("disturber").start(() -> disturb(stock));
  }

  private void guarded(Object who, Runnable task) {
    try {
      task.run();
    } catch (Throwable e) {
      failures.add(new AssertionError(who.toString(), e));
    }
  }

  /**
   * Ends standstills until all actors have ended; closes everything then, or when an actor fails.
   */
  private void disturb(CmStock stock) {
    long before = -1;
    while (failures.isEmpty() && actors.stream().anyMatch(actor -> !actor.hasEnded())) {
      LockSupport.parkNanos(STANDSTILL_NS);
      if (ended.get() == before) {
        guarded("disturbs", () -> stock.disturb(random));
      }
      before = ended.get();
    }
    guarded("closes all", stock::close);
  }

  /** Waits for the end of all threads without a call that could hang. */
  private void awaitEnds() throws InterruptedException {
    long before = -1;
    long sinceNs = System.nanoTime();
    for (Thread each : everybody()) {
      while (!each.join(Duration.ofMillis(100))) {
        if (ended.get() != before) {
          before = ended.get();
          sinceNs = System.nanoTime();
        } else if (System.nanoTime() - sinceNs > PATIENCE_NS) {
          throw new AssertionError("seed " + seed + " hangs: " + whoWaits(), failures.peek());
        }
      }
    }
  }

  private List<Thread> everybody() {
    List<Thread> all = new ArrayList<>(threads);
    all.add(disturber);
    return all;
  }

  private String whoWaits() {
    StringBuilder text = new StringBuilder();
    List<Thread> all = everybody();
    for (int i = 0; i < all.size(); i++) {
      if (all.get(i).isAlive()) {
        String does = i < actors.size() ? actors.get(i).toString() : "";
        text.append("\n").append(all.get(i).getName()).append(": ").append(does);
        for (StackTraceElement frame : all.get(i).getStackTrace()) {
          text.append("\n    at ").append(frame);
        }
      }
    }
    return text.toString();
  }

  // ---- leaks

  /** Lets time wait end; then no connections, ports or objects are left. */
  private void demandNothingLeft(Context context) {
    CmDevice device = CmDevice.of(context);
    try (RdmaCm cm = RdmaCm.open(context);
        EventChannel channel = cm.createEventChannel()) {
      long sinceNs = System.nanoTime();
      while (remaining(device) > 0 && System.nanoTime() - sinceNs < PATIENCE_NS) {
        channel.getCmEvent(TimeUnit.MILLISECONDS.toNanos(100));
      }
    }
    assertEquals(
        0,
        remaining(device),
        () -> "seed %d: connections of %s: %s".formatted(seed, context, connections(device)));
    assertEquals(0, device.bindings().size(), () -> "seed " + seed + ": ports of " + context);
    demandRoom(context);
  }

  /** The threads of devices end soon after their contexts are closed. */
  private void demandNoThreads() {
    long sinceNs = System.nanoTime();
    while (ownThreads() > 0) {
      if (System.nanoTime() - sinceNs > PATIENCE_NS) {
        throw new AssertionError("seed " + seed + ": threads of devices that are closed");
      }
      LockSupport.parkNanos(1_000_000);
    }
  }

  private static long ownThreads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(each -> each.getName().startsWith("roce4j-" + NAME))
        .count();
  }

  private static int remaining(CmDevice device) {
    return device.exclusively(() -> device.manager().remaining());
  }

  private static String connections(CmDevice device) {
    return device.exclusively(() -> device.manager().toString());
  }

  /** The device has room for as many objects as at the begin. */
  private void demandRoom(Context context) {
    List<AutoCloseable> made = new ArrayList<>();
    try {
      ProtectionDomain pd = context.allocPd();
      for (int i = 1; i < MOST_OBJECTS; i++) {
        made.add(context.allocPd());
      }
      var cq = context.createCq(1);
      for (int i = 1; i < MOST_OBJECTS; i++) {
        made.add(context.createCq(1));
      }
      QpInitAttr attr = new QpInitAttr().cq(cq).cap(new QpCapabilities(1, 1, 1, 1));
      for (int i = 0; i < MOST_OBJECTS; i++) {
        made.add(pd.createQp(attr));
      }
    } catch (RuntimeException e) {
      throw new AssertionError(
          "seed %d: %s has room for %d objects only".formatted(seed, context, made.size()), e);
    }
  }
}
