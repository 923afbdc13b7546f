package org.roce4j.hardware;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Predicate;
import org.roce4j.hardware.bindings.ContextExtensions;
import org.roce4j.hardware.bindings.DataPath;
import org.roce4j.hardware.bindings.DeviceStructures;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.LayoutCheck;
import org.roce4j.hardware.bindings.Libibverbs;
import org.roce4j.hardware.bindings.MemoryExtensions;
import org.roce4j.hardware.bindings.ObjectStructures;
import org.roce4j.hardware.bindings.Refusal;
import org.roce4j.hardware.bindings.Structures.IbvDeviceAttrEx;
import org.roce4j.hardware.bindings.Structures.IbvGidEntry;
import org.roce4j.hardware.bindings.Structures.IbvPortAttr;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.DeviceAttrEx;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.PortAttr;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.ThreadDomain;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** {@code struct ibv_context}. */
final class HardwareContext implements Context {
  private static final int MOST_PORT = 255;
  private static final int PKEY_BYTES = 2;

  /** The vendor id of the kernel's soft-RoCE. */
  private static final int SOFT_ROCE_VENDOR = 0xffffff;

  private final HardwareDevice device;
  private final Libibverbs library;
  private final long address;
  private final Path sysfs;
  private final DataPath dataPath;
  private final ContextExtensions extensions;
  private final MemoryExtensions memory;
  private final ExtendedConnections extended = new ExtendedConnections(this);
  private final ParentDomains domains = new ParentDomains(this);
  private final CompletionQueues queues = new CompletionQueues(this);
  private final Gate gate = new Gate();
  private final EventDescriptor events;

  /** By the order in which they were made. */
  private final Map<Long, HardwareObject> objects = new ConcurrentSkipListMap<>();

  private final Map<Long, HardwareObject> byAddress = new ConcurrentHashMap<>();
  private final Set<HardwareAsyncEvent> delivered = ConcurrentHashMap.newKeySet();
  private final AtomicLong made = new AtomicLong();

  /**
   * @param address of the context
   * @param nativeDevice address of the device it was opened from
   * @param sysfs the device's directory
   */
  HardwareContext(
      HardwareDevice device, Libibverbs library, long address, long nativeDevice, Path sysfs) {
    this.device = device;
    this.library = library;
    this.address = address;
    this.sysfs = sysfs;
    LayoutCheck.context(address, nativeDevice);
    dataPath = new DataPath(address);
    extensions = new ContextExtensions(library, address);
    memory = new MemoryExtensions(address);
    events =
        new EventDescriptor(
            device.name() + "-async-events",
            ObjectStructures.asyncFd(address),
            gate,
            HardwareContext::closed);
  }

  private static VerbsException closed() {
    return Errno.ENODEV.refusal("the context was closed: open the device again");
  }

  Libibverbs library() {
    return library;
  }

  DataPath dataPath() {
    return dataPath;
  }

  MemoryExtensions memory() {
    return memory;
  }

  ContextExtensions extensions() {
    return extensions;
  }

  long address() {
    return address;
  }

  /** Runs a verb with its memory, while the context exists. */
  <T> T verb(Function<Frame, T> verb) {
    if (!gate.enter()) {
      throw closed();
    }
    try (Frame frame = new Frame()) {
      return verb.apply(frame);
    } finally {
      gate.leave();
    }
  }

  // ---- queries

  /** The number of the next object; later objects have higher numbers. */
  long nextNumber() {
    return made.getAndIncrement();
  }

  /** An object was made. */
  <T extends HardwareObject> T track(T object) {
    objects.put(object.number, object);
    byAddress.put(object.address, object);
    return object;
  }

  /** An object was destroyed; its address may belong to another already. */
  void forget(HardwareObject object) {
    byAddress.remove(object.address, object);
    objects.remove(object.number);
  }

  /** The objects that satisfy a condition, in the order of creation. */
  List<HardwareObject> matching(Predicate<HardwareObject> condition) {
    return objects.values().stream().filter(condition).toList();
  }

  HardwareObject at(long objectAddress) {
    return byAddress.get(objectAddress);
  }

  @Override
  public String toString() {
    return "context of " + device.name();
  }

  @Override
  public RdmaDevice device() {
    return device;
  }

  @Override
  public DeviceAttr queryDevice() {
    return queryDeviceEx().device();
  }

  @Override
  public DeviceAttrEx queryDeviceEx() {
    return verb(
        frame -> {
          MemorySegment attr = frame.structure(IbvDeviceAttrEx.SIZE);
          extensions.queryDevice(frame, attr);
          return DeviceStructures.deviceEx(attr, ObjectStructures.completionVectors(address));
        });
  }

  /** Whether the device is Linux's soft-RoCE. */
  boolean isSoftRoce() {
    return queryDevice().vendorId() == SOFT_ROCE_VENDOR;
  }

  @Override
  public PortAttr queryPort(int port) {
    checkPort(port);
    return verb(
        frame -> {
          MemorySegment attr = frame.structure(IbvPortAttr.SIZE);
          extensions.queryPort(frame, port, attr);
          return DeviceStructures.port(attr);
        });
  }

  /** The C function takes eight bits of the number. */
  private static void checkPort(int port) {
    if (port < 1 || port > MOST_PORT) {
      throw new VerbsException(Errno.EINVAL, "there is no port " + port + "; the first is 1");
    }
  }

  @Override
  public Gid queryGid(int port, int index) {
    GidEntry entry = gidEntry(port, index);
    return entry == null ? Gid.ZERO : entry.gid();
  }

  @Override
  public GidEntry queryGidEx(int port, int index) {
    GidEntry entry = gidEntry(port, index);
    if (entry == null) {
      throw Errno.ENODATA.refusal("GID index %d is empty; queryGidTable lists those in use", index);
    }
    return entry;
  }

  /** Null for an empty entry. */
  private GidEntry gidEntry(int port, int index) {
    checkPort(port);
    if (index < 0) {
      throw new VerbsException(Errno.EINVAL, "a GID index is 0 or more, not " + index);
    }
    return verb(
        frame -> {
          MemorySegment entry = frame.structure(IbvGidEntry.SIZE);
          int errno = library.queryGidEx(frame, address, port, index, entry);
          if (errno == Errno.ENODATA.number()) {
            return null;
          }
          if (errno != 0) {
            throw Refusal.of("ibv_query_gid_ex", errno);
          }
          return DeviceStructures.gidEntry(entry, 0);
        });
  }

  @Override
  public List<GidEntry> queryGidTable() {
    int room = 0;
    for (int port = 1; port <= queryDevice().physPortCount(); port++) {
      room += queryPort(port).gidTableLength();
    }
    int entries = Math.max(1, room);
    return verb(
        frame -> {
          MemorySegment table = frame.structure(entries * IbvGidEntry.SIZE);
          int count = library.queryGidTable(frame, address, table);
          List<GidEntry> gids = new ArrayList<>(count);
          for (int i = 0; i < count; i++) {
            gids.add(DeviceStructures.gidEntry(table, i));
          }
          return List.copyOf(gids);
        });
  }

  @Override
  public int queryPkey(int port, int index) {
    checkPort(port);
    if (index < 0 || index >= queryPort(port).pkeyTableLength()) {
      throw Errno.EINVAL.refusal(
          "P_Key index %d is not in the table of %d entries",
          index, queryPort(port).pkeyTableLength());
    }
    return verb(
        frame -> {
          MemorySegment pkey = frame.structure(PKEY_BYTES);
          library.queryPkey(frame, address, port, index, pkey);
          return DeviceStructures.pkey(pkey);
        });
  }

  @Override
  public int pkeyIndex(int port, int pkey) {
    int length = queryPort(port).pkeyTableLength();
    for (int index = 0; index < length; index++) {
      if (queryPkey(port, index) == pkey) {
        return index;
      }
    }
    return -1;
  }

  // ---- creation of objects

  @Override
  public DeviceMemory allocDm(long length, int logAlignReq) {
    if (length < 1 || logAlignReq < 0) {
      throw Errno.EINVAL.refusal(
          "length must be 1 or more, log_align_req 0 or more, not %d and %d", length, logAlignReq);
    }
    return verb(
        frame -> {
          long dm = memory.allocDm(frame, length, logAlignReq);
          MemoryExtensions.checkDm(dm, address);
          return track(new HardwareDeviceMemory(this, dm, length));
        });
  }

  @Override
  public ThreadDomain allocTd() {
    return verb(frame -> track(new HardwareThreadDomain(this, memory.allocTd(frame))));
  }

  @Override
  public ProtectionDomain allocParentDomain(ParentDomainInitAttr attr) {
    return domains.allocParent(RequiredArgument.check(attr, "attr"));
  }

  @Override
  public int cmdFd() {
    return verb(_ -> ObjectStructures.cmdFd(address));
  }

  @Override
  public ProtectionDomain importPd(int pdHandle) {
    return verb(
        frame ->
            track(
                HardwareProtectionDomain.imported(
                    this, library.later().importPd(frame, address, pdHandle))));
  }

  @Override
  public DeviceMemory importDm(int dmHandle) {
    return verb(
        frame ->
            track(
                new HardwareDeviceMemory(
                    this,
                    library.later().importDm(frame, address, dmHandle),
                    HardwareDeviceMemory.UNKNOWN)));
  }

  @Override
  public ProtectionDomain allocPd() {
    return verb(
        frame -> track(new HardwareProtectionDomain(this, library.allocPd(frame, address))));
  }

  @Override
  public CompletionChannel createCompletionChannel() {
    return verb(
        frame ->
            track(new HardwareCompletionChannel(this, library.createCompChannel(frame, address))));
  }

  @Override
  public CompletionQueue createCq(
      int cqe, Object userContext, CompletionChannel channel, int compVector) {
    return queues.createCq(cqe, userContext, channel, compVector);
  }

  @Override
  public ExtendedCompletionQueue createCqEx(CqInitAttr attr) {
    return queues.createCqEx(RequiredArgument.check(attr, "attr"));
  }

  @Override
  public XrcDomain openXrcd(XrcdInitAttr attr) {
    return extended.openXrcd(RequiredArgument.check(attr, "attr"));
  }

  @Override
  public SharedReceiveQueue createSrq(SrqInitAttrEx attr) {
    return extended.createSrq(RequiredArgument.check(attr, "attr"));
  }

  @Override
  public QueuePair createQp(QpInitAttr attr) {
    return extended.createQp(RequiredArgument.check(attr, "attr"));
  }

  @Override
  public QueuePair openQp(QpOpenAttr attr) {
    return extended.openQp(RequiredArgument.check(attr, "attr"));
  }

  // ---- events

  @Override
  public AsyncEvent getAsyncEvent() {
    return events.next(this::takeEvent, Long.MAX_VALUE);
  }

  @Override
  public AsyncEvent getAsyncEvent(long timeoutNs) {
    RequiredArgument.checkNotNegative(timeoutNs, "timeoutNs");
    return events.next(this::takeEvent, timeoutNs);
  }

  @Override
  public int asyncFd() {
    return events.descriptor();
  }

  @Override
  public AsyncEvent pollAsyncEvent() {
    return events.next(this::takeEvent, 0);
  }

  private HardwareAsyncEvent takeEvent() {
    try (Frame frame = new Frame()) {
      MemorySegment event = ObjectStructures.event(frame);
      while (true) {
        int errno = library.getAsyncEvent(frame, address, event);
        if (errno == Errno.EAGAIN.number() || errno == Errno.EINTR.number()) {
          return null;
        }
        if (errno != 0) {
          throw Refusal.of("ibv_get_async_event", errno);
        }
        HardwareAsyncEvent taken = describe(event);
        if (taken != null) {
          delivered.add(taken);
          return taken;
        }
        library.ackAsyncEvent(frame, event);
      }
    }
  }

  /** Null for an event that this API has no name or no object for. */
  private HardwareAsyncEvent describe(MemorySegment event) {
    EventType type = EventType.of(ObjectStructures.eventType(event));
    if (type == null) {
      return null;
    }
    return switch (type.target()) {
      case PORT -> new HardwareAsyncEvent(this, type, null, ObjectStructures.eventPort(event));
      case DEVICE -> new HardwareAsyncEvent(this, type, null, 0);
      case COMPLETION_QUEUE, QUEUE_PAIR, SHARED_RECEIVE_QUEUE, WORK_QUEUE -> {
        HardwareObject object = at(ObjectStructures.eventElement(event));
        yield object == null ? null : new HardwareAsyncEvent(this, type, object, 0);
      }
    };
  }

  void acknowledged(HardwareAsyncEvent event) {
    delivered.remove(event);
  }

  @Override
  public void onAsyncEvent(Runnable hook) {
    events.onEvent(hook);
  }

  @Override
  public Map<String, Long> counters() {
    return SysfsCounters.read(sysfs, queryDevice().physPortCount());
  }

  @Override
  public void close() {
    if (!gate.shut()) {
      return;
    }
    events.onEvent(null);
    List.copyOf(delivered).forEach(HardwareAsyncEvent::ack);
    // The newest first, because an object was created after those that it uses.
    for (HardwareObject object : List.copyOf(objects.values()).reversed()) {
      object.close(true);
    }
    try (Frame frame = new Frame()) {
      int errno = library.closeDevice(frame, address);
      if (errno != 0) {
        throw Refusal.of("ibv_close_device", errno);
      }
    }
  }
}
