package org.roce4j.device;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Limit;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.qp.AddressVectors;
import org.roce4j.engine.queue.EventQueue;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.AtomicCap;
import org.roce4j.verbs.Callback;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.DeviceCapFlags;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.LinkLayer;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.PhysicalPortState;
import org.roce4j.verbs.PortAttr;
import org.roce4j.verbs.PortCapFlags;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.VerbsException;
import org.roce4j.wire.Opcode;

/** What an application holds of an opened device. */
public final class EmulatedContext implements Context {
  private static final int VENDOR_ID = 0xffffff;
  private static final long PAGE_SIZES = 0xfffff000L;
  private static final int WIDTH_4X = 2;
  private static final int SPEED_EDR = 32;
  private static final int COUNTER_MAX = 0xffff;

  /** Kinds of objects: what refers to others stands before these (verbs-tables 7.1). */
  private static final List<Class<? extends EmulatedObject>> DESTRUCTION =
      List.of(
          EmulatedQueuePair.class,
          EmulatedSharedReceiveQueue.class,
          EmulatedCompletionQueue.class,
          EmulatedCompletionChannel.class,
          EmulatedMemoryWindow.class,
          EmulatedMemoryRegion.class,
          EmulatedAddressHandle.class,
          EmulatedProtectionDomain.class);

  private final Device device;
  private final Runnable onClose;
  private final EventQueue events = new EventQueue();
  private final EventQueue.Source portSource = new EventQueue.Source(this);
  private final Set<EmulatedObject> objects = new LinkedHashSet<>();
  private boolean closed;

  EmulatedContext(Device device, Runnable onClose) {
    this.device = device;
    this.onClose = onClose;
  }

  Device sharedDevice() {
    return device;
  }

  EventQueue events() {
    return events;
  }

  /** Threads that wait in this device look at what they wait for again. */
  void wakeWaiting() {
    device.progress().exclusively(device::wakeWaiting);
  }

  /**
   * Makes an object whole or not at all.
   *
   * @param maker makes it and changes nothing else; the owner of all engines
   * @throws VerbsException ENOMEM if memory runs out
   */
  <T extends EmulatedObject> T create(Supplier<T> maker) {
    return device
        .progress()
        .exclusively(
            () -> {
              checkOpen();
              return withMemory(
                  () -> {
                    T object = maker.get();
                    add(object);
                    return object;
                  });
            });
  }

  private void add(EmulatedObject object) {
    boolean entered = false;
    try {
      object.number();
      objects.add(object);
      object.enter();
      entered = true;
    } finally {
      if (!entered) {
        objects.remove(object);
        object.unnumber();
      }
    }
  }

  /** Runs a verb that needs memory; there may be none. */
  static <T> T withMemory(Supplier<T> verb) {
    try {
      return verb.get();
    } catch (OutOfMemoryError e) {
      throw new VerbsException(
          Errno.ENOMEM,
          "memory ran out (%s): ask for less, close what is not needed, or raise -Xmx"
              .formatted(e.getMessage()),
          e);
    }
  }

  void forget(EmulatedObject object) {
    objects.remove(object);
  }

  /** Raises an event of the port or of the whole device; the owner of that engine. */
  void raisePortEvent(Engine by, EventType type) {
    by.signals().event(events.raise(portSource, type));
  }

  @Override
  public RdmaDevice device() {
    return device.identity();
  }

  @Override
  public DeviceAttr queryDevice() {
    checkNotClosed();
    long guid = device.identity().guid();
    return new DeviceAttr(
        "",
        guid,
        guid,
        -1L,
        PAGE_SIZES,
        VENDOR_ID,
        0,
        0,
        device.limit(Limit.MAX_QP),
        device.limit(Limit.MAX_QP_WR),
        DeviceCapFlags.BAD_PKEY_CNTR
            | DeviceCapFlags.BAD_QKEY_CNTR
            | DeviceCapFlags.CURR_QP_STATE_MOD
            | DeviceCapFlags.PORT_ACTIVE_EVENT
            | DeviceCapFlags.SYS_IMAGE_GUID
            | DeviceCapFlags.RC_RNR_NAK_GEN
            | DeviceCapFlags.MEM_WINDOW
            | DeviceCapFlags.MEM_WINDOW_TYPE_2B
            | DeviceCapFlags.ATOMIC_WRITE,
        device.limit(Limit.MAX_SGE),
        device.limit(Limit.MAX_SGE),
        device.limit(Limit.MAX_CQ),
        device.limit(Limit.MAX_CQE),
        device.limit(Limit.MAX_MR),
        device.limit(Limit.MAX_PD),
        device.limit(Limit.MAX_QP_RD_ATOMIC),
        device.limit(Limit.MAX_QP_RD_ATOMIC) * device.limit(Limit.MAX_QP),
        device.limit(Limit.MAX_QP_RD_ATOMIC),
        AtomicCap.HCA,
        device.limit(Limit.MAX_MW),
        device.limit(Limit.MAX_MCAST_GROUPS),
        device.limit(Limit.MAX_MCAST_QP_ATTACH),
        device.limit(Limit.MAX_MCAST_GROUPS) * device.limit(Limit.MAX_MCAST_QP_ATTACH),
        device.limit(Limit.MAX_AH),
        device.limit(Limit.MAX_SRQ),
        device.limit(Limit.MAX_SRQ_WR),
        device.limit(Limit.MAX_SRQ_SGE),
        device.pkeyTableLength(),
        15,
        1,
        device.limit(Limit.MAX_INLINE_DATA),
        device.engineCount());
  }

  @Override
  public PortAttr queryPort(int port) {
    checkPort(port);
    PortState state = device.port().state();
    return new PortAttr(
        state,
        Mtu.MTU_4096,
        device.activeMtu(),
        device.limit(Limit.GID_TABLE_LENGTH),
        PortCapFlags.CM,
        Opcode.MOST_MESSAGE_BYTES,
        saturated(Counter.BAD_PKEY),
        saturated(Counter.BAD_QKEY),
        device.pkeyTableLength(),
        0,
        0,
        0,
        1,
        0,
        0,
        0,
        WIDTH_4X,
        SPEED_EDR,
        state == PortState.ACTIVE ? PhysicalPortState.LINK_UP : PhysicalPortState.DISABLED,
        LinkLayer.ETHERNET);
  }

  private int saturated(Counter counter) {
    return (int) Math.min(COUNTER_MAX, device.counted(counter));
  }

  private void checkPort(int port) {
    checkNotClosed();
    if (port != AddressVectors.ONLY_PORT) {
      throw new VerbsException(Errno.EINVAL, "there is no port %d, only port 1".formatted(port));
    }
  }

  @Override
  public Gid queryGid(int port, int index) {
    checkPort(port);
    if (index < 0 || index >= device.limit(Limit.GID_TABLE_LENGTH)) {
      throw new VerbsException(
          Errno.EINVAL,
          "GID index %d is not in the table of %d entries"
              .formatted(index, device.limit(Limit.GID_TABLE_LENGTH)));
    }
    return device.gidTable().gid(index);
  }

  @Override
  public GidEntry queryGidEx(int port, int index) {
    queryGid(port, index);
    for (GidEntry entry : queryGidTable()) {
      if (entry.gidIndex() == index) {
        return entry;
      }
    }
    throw new VerbsException(Errno.ENODATA, "GID index %d is empty".formatted(index));
  }

  @Override
  public List<GidEntry> queryGidTable() {
    checkNotClosed();
    return device.gidTable().entries();
  }

  @Override
  public int queryPkey(int port, int index) {
    checkPort(port);
    if (index < 0 || index >= device.pkeyTableLength()) {
      throw new VerbsException(Errno.EINVAL, "P_Key index %d is not in the table".formatted(index));
    }
    return device.pkey(index);
  }

  @Override
  public int pkeyIndex(int port, int pkey) {
    checkPort(port);
    for (int i = 0; i < device.pkeyTableLength(); i++) {
      if (device.pkey(i) == pkey) {
        return i;
      }
    }
    return -1;
  }

  @Override
  public ProtectionDomain allocPd() {
    return create(() -> new EmulatedProtectionDomain(this));
  }

  @Override
  public CompletionChannel createCompletionChannel() {
    return create(() -> new EmulatedCompletionChannel(this));
  }

  @Override
  public CompletionQueue createCq(
      int cqe, Object userContext, CompletionChannel channel, int compVector) {
    checkNotClosed();
    if (cqe < 1 || cqe > device.limit(Limit.MAX_CQE)) {
      throw new VerbsException(
          Errno.EINVAL, "cqe must be 1 to %d, not %d".formatted(device.limit(Limit.MAX_CQE), cqe));
    }
    if (compVector < 0 || compVector >= device.engineCount()) {
      throw new VerbsException(
          Errno.EINVAL,
          "comp_vector must be 0 to %d: it names an engine of the device"
              .formatted(device.engineCount() - 1));
    }
    if (channel != null
        && !(channel instanceof EmulatedCompletionChannel own && own.context == this)) {
      throw new VerbsException(Errno.EINVAL, "the completion channel is of another context");
    }
    return create(
        () -> {
          if (channel instanceof EmulatedCompletionChannel own) {
            own.requireOpen("completion channel");
          }
          return new EmulatedCompletionQueue(
              this,
              cqe,
              userContext,
              (EmulatedCompletionChannel) channel,
              device.engine(compVector));
        });
  }

  @Override
  public AsyncEvent getAsyncEvent() {
    while (true) {
      AsyncEvent event = pollAsyncEvent();
      if (event != null) {
        return event;
      }
      device.progress().await(() -> events.hasEvent() || closed, Deadlines.NEVER);
    }
  }

  @Override
  public AsyncEvent pollAsyncEvent() {
    checkNotClosed();
    EventQueue.Delivered delivered = events.poll();
    return delivered == null ? null : new EmulatedAsyncEvent(this, delivered);
  }

  @Override
  public void onAsyncEvent(Runnable hook) {
    if (hook != null) {
      checkNotClosed();
    }
    if (events.onEvent(hook)) {
      Callback.run(hook);
    }
  }

  @Override
  public Map<String, Long> counters() {
    checkNotClosed();
    return device.counters();
  }

  private void checkOpen() {
    device.requireSound();
    checkNotClosed();
  }

  private void checkNotClosed() {
    if (closed) {
      throw new VerbsException(Errno.ENODEV, "the context was closed: open the device again");
    }
  }

  @Override
  public void close() {
    if (device.progress().exclusively(this::closeOnce)) {
      onClose.run();
    }
  }

  /** In one piece: so no other thread adds to what is being destroyed. */
  private boolean closeOnce() {
    if (closed) {
      return false;
    }
    closed = true;
    List<EmulatedObject> left = new ArrayList<>(objects);
    left.sort(Comparator.comparingInt(object -> DESTRUCTION.indexOf(object.getClass())));
    left.forEach(EmulatedObject::destroyOnce);
    device.forget(this);
    device.wakeWaiting(); // they find it closed
    return true;
  }
}
