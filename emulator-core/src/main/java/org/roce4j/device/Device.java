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
import java.util.stream.IntStream;
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
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/**
 * The shared state of a device's queue pairs: addresses, keys, limits, numbers. The engines do the
 * work: each has its own queue pairs, whose numbers end in the engine's index. Shared state is
 * changed by the owner of all engines, so the owner of one engine may read it.
 */
public final class Device implements SharedDevice {
  /** More engines would find neither a socket queue nor work. */
  public static final int MAX_ENGINES = 16;

  private final RdmaDevice identity;
  private final DeviceLimits limits;
  private final GidTable gidTable;
  private final Mtu activeMtu;
  private final RandomGenerator random;
  private final KeyTable keys;
  private final HandleTable<EmulatedObject> handles;
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
   * @param random the source of keys and numbers; a seeded one makes runs repeatable
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
   * @param random the source of keys and numbers; a seeded one makes runs repeatable
   * @param trace observes every engine, on the thread that runs it
   * @param engines number of engines, a power of two up to {@link #MAX_ENGINES}
   */
  public Device(
      RdmaDevice identity,
      DeviceLimits limits,
      GidTable gidTable,
      Mtu activeMtu,
      RandomGenerator random,
      EngineTrace trace,
      int engines) {
    this(identity, limits, gidTable, activeMtu, random, trace, engines, new HandleTable<>());
  }

  Device(
      RdmaDevice identity,
      DeviceLimits limits,
      GidTable gidTable,
      Mtu activeMtu,
      RandomGenerator random,
      EngineTrace trace,
      int engines,
      HandleTable<EmulatedObject> handles) {
    if (!canHave(engines)) {
      throw Errno.EINVAL.refusal(
          "a device has 1, 2, 4, 8 or %d engines, not %d", MAX_ENGINES, engines);
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
   * Whether a device can have this number of engines: a power of two up to {@link #MAX_ENGINES}.
   */
  public static boolean canHave(int engines) {
    return engines > 0 && engines <= MAX_ENGINES && Integer.bitCount(engines) == 1;
  }

  /** Connects the device with its port and its driver, before any verb. */
  public void attach(PortControl control, Progress drive) {
    attach(control, drive, List.of(drive));
  }

  /**
   * Connects a device of several engines, before any verb.
   *
   * @param all drives all engines; its verbs own all of them
   * @param each the drivers of single engines, in the engines' order
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

  /** The number of engines that share its queue pairs: a power of two. */
  @Override
  public int engineCount() {
    return engines.length;
  }

  /**
   * An engine of the device.
   *
   * @param index 0 to {@link #engineCount} - 1
   */
  @Override
  public Engine engine(int index) {
    return engines[index];
  }

  /** All engines. */
  List<Engine> engines() {
    return List.of(engines);
  }

  /** Its XRC domains. For the owner of all engines. */
  XrcDomains xrcDomains() {
    return xrcDomains;
  }

  /** Its device memory that is not allocated. For the owner of all engines. */
  MemoryRoom room() {
    return room;
  }

  /** The engine to which this queue pair number belongs, whether or not the queue pair exists. */
  Engine engineOf(int qpNum) {
    return engines[engineIndexOf(qpNum)];
  }

  /** Sets the routes, which give the device's own address for a destination. */
  public void routes(Routes known) {
    routes = known;
  }

  Routes routes() {
    return routes;
  }

  PortBindings bindings() {
    return bindings;
  }

  /** Sets the other devices of this process, by address. Used only for messages about a peer. */
  void neighbours(Function<Gid, Device> byAddress) {
    neighbours = byAddress;
  }

  /** The device of this process that has this address on its network; null if there is none. */
  Device neighbour(Gid address) {
    return neighbours.apply(address);
  }

  /** The number of successful requests, sends and receives. Any thread may call this. */
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
            contexts.remove(context); // it may have been added before memory ran out
            throw e;
          }
        });
  }

  // ---- failure

  /**
   * An engine has failed, and with it the device. Called by that engine's owner. The other engines
   * notice it in their next turn.
   */
  @Override
  public void failed(Engine first) {
    contexts.forEach(context -> context.raiseFatal(first));
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
   * Refuses to make or change objects of a failed device, which can only be closed. Any thread may
   * call this.
   *
   * @throws VerbsException ENODEV if the device has failed
   */
  @Override
  public void requireSound() {
    Throwable cause = failure.get();
    if (cause != null) {
      throw new VerbsException(
          Errno.ENODEV,
          Wording.of(
              "the device %s has failed: %s; close all its contexts and open it again",
              identity.name(), cause),
          cause);
    }
  }

  // ---- contexts

  /** Removes a closed context. For the owner of all engines. */
  void forget(ContextObjects context) {
    contexts.remove(context);
  }

  /** Remembers where each object is created, from now on; each takes a stack walk. */
  public void rememberOrigins() {
    remembersOrigins = true;
  }

  /** The line of the program in the calling thread; null if origins are not remembered. */
  StackTraceElement origin() {
    return remembersOrigins ? CallSite.here() : null;
  }

  /** The open objects created since {@link #rememberOrigins}. Any thread may call this. */
  public Map<AutoCloseable, StackTraceElement> openObjects() {
    Map<AutoCloseable, StackTraceElement> all = new LinkedHashMap<>();
    progress.exclusively(() -> contexts.forEach(context -> context.addOrigins(all)));
    return all;
  }

  /**
   * Makes threads that wait in this device check their conditions again. For the owner of all
   * engines.
   */
  void wakeWaiting() {
    for (Engine engine : engines) {
      engine.signals().event(null);
    }
  }

  PkeyTable pkeys() {
    return pkeys;
  }

  /** Raises an event of a port in every context. For the owner of all engines. */
  void tell(int port, EventType type) {
    contexts.forEach(context -> context.raisePortEvent(engines[0], type, port));
  }

  /** Its present addresses, in the order of the GID table. Any thread may call this. */
  public List<Gid> addresses() {
    return gidTable.addresses();
  }

  /** The addresses of the ports that are up, in the order of the GID table. */
  public List<Gid> addressesUp() {
    return IntStream.rangeClosed(1, gidTable.ports())
        .filter(port -> port().state(port) == PortState.ACTIVE)
        .mapToObj(gidTable::addresses)
        .flatMap(List::stream)
        .toList();
  }

  /** The present addresses of a port, in the order of its GID table. Any thread may call this. */
  public List<Gid> addresses(int port) {
    return gidTable.addresses(port);
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
   * Copies inline data of a request. Memory of the region with the key {@code lkey} is read through
   * its segment, other memory by its address.
   */
  boolean copyInlineData(long address, long bytes, int lkey, MemorySegment to, long at) {
    Region region = keys.holding(lkey, address, bytes);
    return region == null
        ? ProcessMemory.read(address, bytes, to, at)
        : KeyTable.copyOut(region, address, bytes, to, at);
  }

  /** The paths that address handles and queue pairs use. For the owner of all engines. */
  @Override
  public UserCounts<Path, Path> paths() {
    return paths;
  }

  HandleTable<EmulatedObject> handles() {
    return handles;
  }

  Progress progress() {
    return progress;
  }

  PortControl port() {
    return port;
  }

  @Override
  public int ports() {
    return gidTable.ports();
  }

  @Override
  public Gid gid(int port, int index) {
    return gidTable.gid(port, index);
  }

  @Override
  public int portOf(long high, long low) {
    return gidTable.portOf(new Gid(high, low));
  }

  @Override
  public int gidIndex(long high, long low) {
    Gid address = new Gid(high, low);
    return gidTable.index(gidTable.portOf(address), address);
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

  /** The sum of a counter over all engines. Any thread may call this. */
  long counted(Counter counter) {
    return Arrays.stream(engines).mapToLong(engine -> engine.counters().get(counter)).sum();
  }

  /** The counters of the engines and of the port; counters of the same name are added up. */
  Map<String, Long> counters() {
    Map<String, Long> all = new LinkedHashMap<>();
    for (Counter counter : Counter.values()) {
      all.put(counter.label(), counted(counter));
    }
    port.counters().forEach((label, value) -> all.merge(label, value, Long::sum));
    return all;
  }

  // ---- numbers of objects, for the owner of all engines

  ObjectCounts counts() {
    return counts;
  }

  /** The number of queue pairs. */
  int queuePairs() {
    return Arrays.stream(engines).mapToInt(engine -> engine.queuePairs().size()).sum();
  }

  /** The number of queue pairs that are attached to a group. */
  int multicastMembers(Gid group) {
    return Arrays.stream(engines).mapToInt(engine -> engine.multicast().members(group)).sum();
  }

  /** The number of groups that have a queue pair attached. */
  int multicastGroups() {
    Set<Gid> groups = new HashSet<>();
    for (Engine engine : engines) {
      groups.addAll(engine.multicast().groups());
    }
    return groups.size();
  }
}
