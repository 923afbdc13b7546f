package org.roce4j.device;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Limit;
import org.roce4j.engine.Progress;
import org.roce4j.engine.SharedDevice;
import org.roce4j.engine.UserCounts;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.memory.KeyTable;
import org.roce4j.engine.memory.Region;
import org.roce4j.engine.queue.HandleTable;
import org.roce4j.engine.queue.PublishedFailure;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;

/**
 * What the queue pairs of a device share: addresses, keys, limits, numbers. Its engines do the
 * work: each has queue pairs of its own, whose numbers end in the engine's. What is shared changes
 * under the ownership of all engines, so that each may read it under its own.
 */
public final class Device implements SharedDevice {
  /** More would not have a socket's queue each, nor anything to do. */
  public static final int MAX_ENGINES = 16;

  private final RdmaDevice identity;
  private final DeviceLimits limits;
  private final GidTable gidTable;
  private final Mtu activeMtu;
  private final RandomGenerator random;
  private final KeyTable keys;
  private final HandleTable handles;
  private final Set<ContextObjects> contexts = new LinkedHashSet<>();
  private final UserCounts<Path, Path> paths = new UserCounts<>(Function.identity());
  private final XrcDomains xrcDomains = new XrcDomains();
  private final MemoryRoom room;
  private final PkeyTable pkeys = new PkeyTable();
  private final Engine[] engines;
  private final PublishedFailure failure = new PublishedFailure();
  private volatile Function<Gid, Device> neighbours = address -> null;
  private volatile Routes routes = Routes.NONE;
  private final PortBindings bindings = new PortBindings();
  private Progress progress;
  private PortControl port;
  private volatile boolean remembersOrigins;
  private final ObjectCounts counts;

  /**
   * A device with one engine.
   *
   * @param random source of keys and numbers; seeded, it makes runs repeatable
   */
  public Device(
      RdmaDevice identity,
      DeviceLimits limits,
      GidTable gidTable,
      Mtu activeMtu,
      RandomGenerator random,
      EngineTrace trace) {
    this(identity, limits, gidTable, activeMtu, random, trace, 1);
  }

  /**
   * @param random source of keys and numbers; seeded, it makes runs repeatable
   * @param trace told by every engine, on whatever thread runs it
   * @param engines how many, a power of two up to {@link #MAX_ENGINES}
   */
  public Device(
      RdmaDevice identity,
      DeviceLimits limits,
      GidTable gidTable,
      Mtu activeMtu,
      RandomGenerator random,
      EngineTrace trace,
      int engines) {
    this(identity, limits, gidTable, activeMtu, random, trace, engines, new HandleTable());
  }

  Device(
      RdmaDevice identity,
      DeviceLimits limits,
      GidTable gidTable,
      Mtu activeMtu,
      RandomGenerator random,
      EngineTrace trace,
      int engines,
      HandleTable handles) {
    if (!canHave(engines)) {
      throw new VerbsException(
          Errno.EINVAL,
          "a device has 1, 2, 4, 8 or %d engines, not %d".formatted(MAX_ENGINES, engines));
    }
    this.identity = identity;
    this.limits = limits;
    counts = new ObjectCounts(limits);
    this.gidTable = gidTable;
    this.activeMtu = activeMtu;
    this.random = random;
    this.handles = handles;
    room = new MemoryRoom(limits.get(Limit.MAX_DM_SIZE));
    keys = new KeyTable(random, limits.get(Limit.MAX_MR), limits.get(Limit.MAX_MW));
    this.engines = new Engine[engines];
    for (int i = 0; i < engines; i++) {
      this.engines[i] = new Engine(this, i, trace);
    }
  }

  /**
   * Whether {@code engines} is a number that a device can have: a power of two up to {@link
   * #MAX_ENGINES}.
   */
  public static boolean canHave(int engines) {
    return engines > 0 && engines <= MAX_ENGINES && Integer.bitCount(engines) == 1;
  }

  /** Connects the device with the port beneath and with what makes it run; before any verb. */
  public void attach(PortControl control, Progress drive) {
    attach(control, drive, List.of(drive));
  }

  /**
   * Connects a device of several engines; before any verb.
   *
   * @param all makes all engines run; its verbs own all of them
   * @param each what makes each engine run, in their order
   */
  public void attach(PortControl control, Progress all, List<? extends Progress> each) {
    port = control;
    progress = all;
    for (int i = 0; i < engines.length; i++) {
      engines[i].drive(each.get(i));
    }
  }

  public RdmaDevice identity() {
    return identity;
  }

  /** How many engines share its queue pairs: a power of two. */
  @Override
  public int engineCount() {
    return engines.length;
  }

  /**
   * One of its engines.
   *
   * @param index 0 to {@link #engineCount} - 1
   */
  @Override
  public Engine engine(int index) {
    return engines[index];
  }

  /** All of them. */
  List<Engine> engines() {
    return List.of(engines);
  }

  /** Its XRC domains; the owner of all engines. */
  XrcDomains xrcDomains() {
    return xrcDomains;
  }

  /** What it has left of its own memory; the owner of all engines. */
  MemoryRoom room() {
    return room;
  }

  /** The engine that has the queue pair of that number, if there is one. */
  Engine engineOf(int qpNum) {
    return engines[engineIndexOf(qpNum)];
  }

  /** Says from which of its addresses a destination is reached. */
  public void routes(Routes known) {
    routes = known;
  }

  Routes routes() {
    return routes;
  }

  PortBindings bindings() {
    return bindings;
  }

  /** Says which devices of this process its network reaches, for words about a peer. */
  void neighbours(Function<Gid, Device> byAddress) {
    neighbours = byAddress;
  }

  /** The device of this process that its network reaches at an address; null: none. */
  Device neighbour(Gid address) {
    return neighbours.apply(address);
  }

  /** Requests that have completed with success, of both queues; any thread. */
  public long completed() {
    return counted(Counter.RDMA_SENDS) + counted(Counter.RDMA_RECEIVES);
  }

  /** A context was opened. */
  void add(ContextObjects context) {
    progress.exclusively(
        () -> {
          requireSound();
          try {
            contexts.add(context);
          } catch (OutOfMemoryError e) {
            contexts.remove(context); // a set takes an element, and then may find no memory to grow
            throw e;
          }
        });
  }

  // ---- failure

  /**
   * An engine has failed, and the device with it; that engine's owner. The others give up as soon
   * as they are run.
   */
  @Override
  public void failed(Engine first) {
    contexts.forEach(context -> context.raisePortEvent(first, EventType.DEVICE_FATAL));
    for (Engine other : engines) {
      if (other != first) {
        first.signals().event(other.drive()::doorbell);
      }
    }
  }

  @Override
  public PublishedFailure failure() {
    return failure;
  }

  /**
   * @throws VerbsException ENODEV if the device has failed: nothing is made or changed any more,
   *     only closed; any thread
   */
  @Override
  public void requireSound() {
    Throwable cause = failure.get();
    if (cause != null) {
      throw new VerbsException(
          Errno.ENODEV,
          "the device %s has failed: %s; close all its contexts and open it again"
              .formatted(identity.name(), cause),
          cause);
    }
  }

  // ---- contexts

  /** A context was closed; the owner of all engines. */
  void forget(ContextObjects context) {
    contexts.remove(context);
  }

  /** From now on it is remembered where an object is made, at the price of a walk of the stack. */
  public void rememberOrigins() {
    remembersOrigins = true;
  }

  /** The line of the program that the calling thread comes from; null: not to be remembered. */
  StackTraceElement origin() {
    return remembersOrigins ? CallSite.here() : null;
  }

  /** What is not closed of all that was made since {@link #rememberOrigins}; any thread. */
  public Map<AutoCloseable, StackTraceElement> openObjects() {
    Map<AutoCloseable, StackTraceElement> all = new LinkedHashMap<>();
    progress.exclusively(() -> contexts.forEach(context -> context.addOrigins(all)));
    return all;
  }

  /** Threads that wait in this device look at what they wait for again; owner of all engines. */
  void wakeWaiting() {
    for (Engine engine : engines) {
      engine.signals().event(null);
    }
  }

  PkeyTable pkeys() {
    return pkeys;
  }

  /** Every context is told of the port; the owner of all engines. */
  void tell(EventType type) {
    contexts.forEach(context -> context.raisePortEvent(engines[0], type));
  }

  /** Its addresses at present, in the order of the GID table; any thread. */
  public List<Gid> addresses() {
    return gidTable.addresses();
  }

  @Override
  public String toString() {
    return identity.name();
  }

  int limit(Limit limit) {
    return limits.get(limit);
  }

  GidTable gidTable() {
    return gidTable;
  }

  Mtu activeMtu() {
    return activeMtu;
  }

  @Override
  public RandomGenerator random() {
    return random;
  }

  KeyTable keys() {
    return keys;
  }

  /**
   * Inline data of a request, from wherever the program has it. A region that the key names is read
   * with its arena in view, everything else by its address.
   */
  boolean copyInlineData(long address, long bytes, int lkey, MemorySegment to, long at) {
    Region region = keys.holding(lkey, address, bytes);
    return region == null
        ? ProcessMemory.read(address, bytes, to, at)
        : KeyTable.copyOut(region, address, bytes, to, at);
  }

  /** The paths that address handles and queue pairs use; the owner of all engines. */
  @Override
  public UserCounts<Path, Path> paths() {
    return paths;
  }

  HandleTable handles() {
    return handles;
  }

  Progress progress() {
    return progress;
  }

  PortControl port() {
    return port;
  }

  @Override
  public Gid gid(int index) {
    return gidTable.gid(index);
  }

  @Override
  public int gidIndex(long high, long low) {
    return gidTable.index(new Gid(high, low));
  }

  @Override
  public long guid() {
    return identity.guid();
  }

  @Override
  public int pkeyTableLength() {
    return pkeys.length();
  }

  @Override
  public int maxRdAtomic() {
    return limits.get(Limit.MAX_QP_RD_ATOMIC);
  }

  @Override
  public int maxProbingQp() {
    return limits.get(Limit.MAX_PROBING_QP);
  }

  @Override
  public int leastProbedPackets() {
    return limits.get(Limit.LEAST_PROBED_PACKETS);
  }

  @Override
  public int maxHeldRequests() {
    return limits.get(Limit.MAX_HELD_REQUESTS);
  }

  @Override
  public int portMtu() {
    return activeMtu.bytes();
  }

  @Override
  public long pathWindowBytes() {
    return limits.pathWindowBytes(engines.length);
  }

  @Override
  public int pkey(int index) {
    return pkeys.get(index);
  }

  /** What all engines have counted. */
  long counted(Counter counter) {
    return Arrays.stream(engines).mapToLong(engine -> engine.counters().get(counter)).sum();
  }

  /** Counters of the engines and of the port; what both count is added up. */
  Map<String, Long> counters() {
    Map<String, Long> all = new LinkedHashMap<>();
    for (Counter counter : Counter.values()) {
      all.put(counter.label(), counted(counter));
    }
    port.counters().forEach((label, value) -> all.merge(label, value, Long::sum));
    return all;
  }

  // ---- limits, under the ownership of all engines

  ObjectCounts counts() {
    return counts;
  }

  /** How many queue pairs there are. */
  int queuePairs() {
    return Arrays.stream(engines).mapToInt(engine -> engine.queuePairs().size()).sum();
  }

  /** How many queue pairs are attached to a group. */
  int multicastMembers(Gid group) {
    return Arrays.stream(engines).mapToInt(engine -> engine.multicast().members(group)).sum();
  }

  /** How many groups have a queue pair attached. */
  int multicastGroups() {
    Set<Gid> groups = new HashSet<>();
    for (Engine engine : engines) {
      groups.addAll(engine.multicast().groups());
    }
    return groups.size();
  }
}
