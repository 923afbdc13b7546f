package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.Limit;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.fabric.Steering;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WorkCompletions;

/** A device of the cluster until it crashes: its context, its completion queues and its ends. */
final class SimulatedDevice implements EngineTrace {
  private static final int POLLED_AT_ONCE = 16;

  private final World world;
  private final FabricDevices network;
  private final Set<Integer> numbersUsed;
  private final String name;

  /** The address of each port. */
  private final List<Gid> gids;

  private final EmulatedDevice device;
  private final Context context;
  private final ProtectionDomain pd;
  private final Map<Integer, QueuePairUser> ends = new HashMap<>();
  private final List<CompletionQueue> cqs = new ArrayList<>();
  private final SharedCounters counters;
  private final WorkCompletions completions;
  private final Deque<PortEvent> portEvents = new ArrayDeque<>();
  private final Set<QueuePairUser> lastWqe = new HashSet<>();
  private final Map<String, Long> finalCounts = new HashMap<>();

  /** Draws the engine of each completion queue. */
  private final SplittableRandom vectors;

  private SharedReceiveQueue srq;
  private ModelledMemory srqMemory;
  private ReceivePool receives;
  private LimitWatch limit;
  private boolean up = true;
  private final Set<Integer> portsDown = new HashSet<>();
  private boolean stalled;
  private long emptyRounds;

  /** The number of ends bound to ports so far. */
  private int bound;

  private record PortEvent(EventType type, int port) {}

  /**
   * @param numbersUsed queue pair numbers that this address has ever had
   */
  SimulatedDevice(
      World world,
      FabricDevices network,
      int index,
      Set<Integer> numbersUsed,
      SplittableRandom random) {
    this.world = world;
    this.network = network;
    this.numbersUsed = numbersUsed;
    SimulationOptions options = world.options;
    name = "device " + index;
    gids =
        IntStream.rangeClosed(1, options.integer(Knob.DEVICE_PORTS))
            .mapToObj(port -> address(options.on(Knob.IPV6), index, port))
            .toList();
    gids.forEach(gid -> world.witness.port(gid, true));
    device =
        network.device(
            probing(withPorts(DeviceOptions.of("sim" + index, gids.getFirst())), index)
                .withActiveMtu(Mtu.ofBytes(options.integer(Knob.MTU)))
                .withSeed(random.nextLong() | 1)
                .withEngines(options.integer(Knob.ENGINES))
                .withLimit(Limit.MAX_HELD_REQUESTS, options.get(Knob.HELD))
                .withTrace(this),
            options.on(Knob.UNSTEERED) ? Steering.SOURCE : Steering.DEST_QP);
    context = device.open();
    pd = context.allocPd();
    completions = new WorkCompletions(world.arena, POLLED_AT_ONCE);
    counters = new SharedCounters(world, pd, name, index, random);
    if (options.on(Knob.SRQ)) {
      makeSrq(random.split());
    }
    counters.add(options.integer(Knob.SHARED_COUNTERS), random);
    vectors = random.split();
  }

  /** The address of a port; each port is on a network of its own. */
  private static Gid address(boolean ipv6, int index, int port) {
    int last = index + 1 + (port - 1 << 8);
    return ipv6 ? new Gid(0xfd00_0000_0000_0000L, last) : Gid.ofIpv4(0x0a00_0000 + last);
  }

  private DeviceOptions withPorts(DeviceOptions first) {
    DeviceOptions all = first;
    for (Gid gid : gids.subList(1, gids.size())) {
      all = all.withPort(gid);
    }
    return all;
  }

  private void makeSrq(SplittableRandom draw) {
    SimulationOptions options = world.options;
    int longest = Math.max(options.longestMessage(), options.longestDatagram());
    int target = srqDepth();
    int bytes = ReceivePool.zoneBytes(target, options.ends() + 2, longest);
    srqMemory = new ModelledMemory(world.arena, name, bytes, 1, draw.split());
    Zone zone = srqMemory.zone("shared receive memory", bytes);
    srq = pd.createSrq(new SrqInitAttr(target, options.integer(Knob.SGES)));
    receives =
        new ReceivePool(
            world,
            true,
            target,
            zone,
            pd.registerMemory(srqMemory.segment(zone), AccessFlags.LOCAL_WRITE),
            longest,
            draw.split(),
            srq::postRecv,
            n -> -1);
    receives.replenish();
    limit = new LimitWatch(world, name, srq, receives, target, draw.split());
    limit.arm();
  }

  /** Loss probes on all traffic, none, or by the defaults, by {@code index}. */
  private static DeviceOptions probing(DeviceOptions options, int index) {
    return switch (index % 3) {
      case 0 ->
          options.withLimit(Limit.MAX_PROBING_QP, 512).withLimit(Limit.LEAST_PROBED_PACKETS, 0);
      case 1 -> options.withLimit(Limit.MAX_PROBING_QP, 0);
      default -> options;
    };
  }

  /**
   * Entries of the shared receive queue: an end may hold the request of a torn message for ever, so
   * each adds one.
   */
  private int srqDepth() {
    return world.options.integer(Knob.RQ) + world.options.ends();
  }

  /** The receive queue that all ends of this device share, or null. */
  SharedReceiveQueue srq() {
    return srq;
  }

  ReceivePool receives() {
    return receives;
  }

  String name() {
    return name;
  }

  List<Gid> gids() {
    return gids;
  }

  /** The address of a port. */
  Gid gid(int port) {
    return gids.get(port - 1);
  }

  /** The port for the next end; the ports take turns. */
  int nextPort() {
    return 1 + bound++ % gids.size();
  }

  ProtectionDomain pd() {
    return pd;
  }

  SharedCounters counters() {
    return counters;
  }

  // ---- queue pairs and completion queues

  /**
   * Creates a queue pair whose number no earlier queue pair of this address had.
   *
   * @param former the queue pair whose completion queues to use; null for others
   */
  QueuePair createQp(QpType service, QueuePair former) {
    SimulationOptions options = world.options;
    int sq = options.integer(Knob.SQ);
    int rq = options.integer(Knob.RQ);
    int sges = options.integer(Knob.SGES);
    QpInitAttr attr =
        new QpInitAttr()
            .qpType(service)
            .sendCq(former == null ? completionQueue(sq) : former.sendCq())
            .recvCq(former == null ? completionQueue(rq + srqDepth()) : former.recvCq())
            .srq(srq)
            .sendOps(service == QpType.RC && options.on(Knob.FLUSH) ? SendOpsFlags.WITH_FLUSH : 0)
            .sqSigAll(options.integer(Knob.SIGNAL) == 100)
            .cap(new QpCapabilities(sq, rq, sges, sges, options.integer(Knob.INLINE)));
    QueuePair qp = pd.createQp(attr);
    while (!numbersUsed.add(qp.qpNum())) {
      qp.close();
      qp = pd.createQp(attr);
    }
    return qp;
  }

  private CompletionQueue completionQueue(int entries) {
    return world.options.on(Knob.SPLIT_CQS) ? own(2 * entries) : shared();
  }

  private CompletionQueue own(int entries) {
    CompletionQueue cq =
        context.createCq(entries, null, null, vectors.nextInt(world.options.integer(Knob.ENGINES)));
    cqs.add(cq);
    return cq;
  }

  /** A completion queue of an engine, which queue pairs of all engines feed. */
  private CompletionQueue shared() {
    SimulationOptions options = world.options;
    int perEnd = options.integer(Knob.SQ) + options.integer(Knob.RQ);
    while (cqs.size() < options.integer(Knob.ENGINES)) {
      // Completions of a former end of a queue pair may still be queued.
      int entries = 2 * (options.ends() * perEnd + srqDepth());
      cqs.add(context.createCq(entries, null, null, cqs.size()));
    }
    return cqs.get(vectors.nextInt(cqs.size()));
  }

  void add(QueuePairUser end) {
    ends.put(end.qp.qpNum(), end);
  }

  void remove(QueuePairUser end) {
    ends.remove(end.qp.qpNum(), end);
  }

  // ---- actions of the application

  /** Polls every completion queue once. Empty polls let the fabric make its next step. */
  int poll() {
    if (!up) {
      return 0;
    }
    if (stalled) {
      lookAtEvents();
      return 0;
    }
    int count = 0;
    for (int c = 0; c < cqs.size() && up; c++) {
      world.agenda.keep();
      int n = up ? cqs.get(c).poll(completions) : 0;
      require(
          n >= 0, OracleRule.COMPLETED_ONCE_IN_ORDER, "%s: a completion queue overflowed", name);
      lookAtEvents();
      for (int i = 0; i < n; i++) {
        completed(i);
      }
      count += n;
    }
    if (count == 0) {
      emptyRounds++;
    }
    return count;
  }

  private void completed(int i) {
    QueuePairUser end = ends.get(completions.qpNum(i));
    require(
        end != null,
        OracleRule.COMPLETED_ONCE_IN_ORDER,
        "%s: a completion for a queue pair that is not there: %s",
        name,
        completions.toString(i));
    end.completed(completions, i);
    if (limit != null && World.isReceive(completions.wrId(i))) {
      limit.completed();
    }
  }

  /** The number of polls that found every completion queue empty. */
  long emptyRounds() {
    return emptyRounds;
  }

  private void lookAtEvents() {
    for (AsyncEvent event = context.pollAsyncEvent();
        event != null;
        event = context.pollAsyncEvent()) {
      require(
          isExpected(event),
          OracleRule.EVENTS_EXPECTED,
          "%s raised %s without a cause",
          name,
          event.type());
      event.ack();
    }
  }

  private boolean isExpected(AsyncEvent event) {
    return switch (event.type()) {
      case COMM_EST -> true;
      case PORT_ERR, PORT_ACTIVE ->
          new PortEvent(event.type(), event.portNum()).equals(portEvents.poll());
      case SQ_DRAINED -> drained(ends.get(event.qp().qpNum()));
      case QP_LAST_WQE_REACHED -> {
        world.counts.met(Phenomenon.LAST_WQE);
        yield srq != null && lastWqe(ends.get(event.qp().qpNum()));
      }
      case SRQ_LIMIT_REACHED -> {
        limit.reached();
        yield true;
      }
      default -> false;
    };
  }

  private static boolean drained(QueuePairUser end) {
    return end != null && end.drained();
  }

  private boolean lastWqe(QueuePairUser end) {
    return end != null && end.state() == QpState.ERR && lastWqe.add(end);
  }

  // ---- faults

  boolean isUp() {
    return up;
  }

  boolean portIsUp(int port) {
    return !portsDown.contains(port);
  }

  /** Takes a port down, or up again. */
  void port(int port, boolean active) {
    if (active) {
      portsDown.remove(port);
    } else {
      portsDown.add(port);
    }
    portEvents.add(new PortEvent(active ? EventType.PORT_ACTIVE : EventType.PORT_ERR, port));
    device.port(port, active);
    world.witness.port(gid(port), active);
    ends.values().stream().filter(end -> end.port == port).forEach(end -> end.port(active));
  }

  /** The application stops polling completion queues, or polls again. */
  void stall(boolean still) {
    stalled = still;
  }

  /** Whether {@link #poll} polls any completion queue. */
  boolean isPolled() {
    return up && !stalled && !cqs.isEmpty();
  }

  /** The device disappears with all its objects; no peer is informed. */
  void crash() {
    up = false;
    if (receives != null) {
      receives.close();
      limit.gone();
    }
    finalCounts.putAll(context.counters());
    network.unplug(device);
    context.close();
  }

  // ---- the end

  void checkAtEnd() {
    counters.checkAtEnd();
    if (srq != null) {
      if (up) {
        receives.checkUntouched();
      }
      srqMemory.checkAll();
    }
  }

  void checkEvents() {
    lookAtEvents();
    require(
        portEvents.isEmpty(), OracleRule.EVENTS_EXPECTED, "%s never told of %s", name, portEvents);
    for (QueuePairUser end : ends.values()) {
      require(
          srq == null || lastWqe.contains(end),
          OracleRule.EVENTS_EXPECTED,
          "%s is in ERR and never said that it is done with its shared receive queue",
          end.standing());
    }
  }

  /** The counters of its engines, by label. */
  Map<String, Long> counted() {
    return up ? context.counters() : finalCounts;
  }

  // ---- EngineTrace

  @Override
  public void stateChanged(int qpNum, QpState from, QpState to) {
    QueuePairUser end = ends.get(qpNum);
    if (to == QpState.ERR && end != null) {
      end.wentToErr();
    }
  }

  @Override
  public void retransmission(int qpNum, int psn, Counter reason) {
    QueuePairUser end = ends.get(qpNum);
    if (end != null) {
      end.retransmits(reason);
    }
  }
}
