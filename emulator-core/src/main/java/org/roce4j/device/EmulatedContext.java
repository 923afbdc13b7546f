package org.roce4j.device;

import java.util.List;
import java.util.Map;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Limit;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.queue.EventQueue;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Callback;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.DeviceAttrEx;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.LinkLayer;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.PhysicalPortState;
import org.roce4j.verbs.PortAttr;
import org.roce4j.verbs.PortCapFlags;
import org.roce4j.verbs.PortFlags;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.ThreadDomain;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;
import org.roce4j.wire.Opcode;

/** An application's handle of an opened device. */
public final class EmulatedContext implements Context {
  private static final int WIDTH_4X = 2;
  private static final int SPEED_EDR = 32;
  private static final int COUNTER_MAX = 0xffff;

  private final Device device;
  private final Runnable onClose;
  private final ContextObjects objects;

  private EmulatedContext(Device device, Runnable onClose) {
    this.device = device;
    this.onClose = onClose;
    objects = new ContextObjects(device, this);
  }

  /** A context on a device ({@code ibv_open_device}). */
  public static EmulatedContext open(Device device, Runnable onClose) {
    return ContextObjects.withMemory(
        () -> {
          EmulatedContext context = new EmulatedContext(device, onClose);
          device.add(context.objects);
          return context;
        });
  }

  Device emulated() {
    return device;
  }

  ContextObjects objects() {
    return objects;
  }

  boolean isOn(Device which) {
    return device == which;
  }

  @Override
  public String toString() {
    return "context of " + device.identity().name();
  }

  @Override
  public RdmaDevice device() {
    return device.identity();
  }

  @Override
  public DeviceAttr queryDevice() {
    objects.checkNotClosed();
    return DeviceAttributes.of(device);
  }

  @Override
  public DeviceAttrEx queryDeviceEx() {
    return ExtendedAttributes.of(queryDevice(), device.limit(Limit.MAX_DM_SIZE));
  }

  @Override
  public PortAttr queryPort(int port) {
    checkPort(port);
    PortState state = device.port().state(port);
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
        LinkLayer.ETHERNET,
        PortFlags.GRH_REQUIRED,
        0);
  }

  private int saturated(Counter counter) {
    return (int) Math.min(COUNTER_MAX, device.counted(counter));
  }

  private void checkPort(int port) {
    objects.checkNotClosed();
    if (port < 1 || port > device.ports()) {
      throw Errno.EINVAL.refusal(
          "there is no port %d, only %s",
          port, device.ports() == 1 ? "port 1" : "1 to " + device.ports());
    }
  }

  @Override
  public Gid queryGid(int port, int index) {
    checkPort(port);
    if (index < 0 || index >= device.limit(Limit.GID_TABLE_LENGTH)) {
      throw Errno.EINVAL.refusal(
          "GID index %d is not in the table of %d entries",
          index, device.limit(Limit.GID_TABLE_LENGTH));
    }
    return device.gid(port, index);
  }

  @Override
  public GidEntry queryGidEx(int port, int index) {
    queryGid(port, index);
    for (GidEntry entry : queryGidTable()) {
      if (entry.portNum() == port && entry.gidIndex() == index) {
        return entry;
      }
    }
    throw Errno.ENODATA.refusal("GID index %d is empty", index);
  }

  @Override
  public List<GidEntry> queryGidTable() {
    objects.checkNotClosed();
    return device.gidTable().entries();
  }

  @Override
  public int queryPkey(int port, int index) {
    checkPort(port);
    if (index < 0 || index >= device.pkeyTableLength()) {
      throw Errno.EINVAL.refusal(
          "P_Key index %d is not in the table of %d entries", index, device.pkeyTableLength());
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
    return objects.create(() -> new EmulatedProtectionDomain(objects));
  }

  @Override
  public ProtectionDomain allocParentDomain(ParentDomainInitAttr attr) {
    RequiredArgument.check(attr, "attr");
    return objects.create(() -> EmulatedParentDomain.create(objects, attr));
  }

  @Override
  public ThreadDomain allocTd() {
    return objects.create(() -> new EmulatedThreadDomain(objects));
  }

  @Override
  public DeviceMemory allocDm(long length, int logAlignReq) {
    objects.checkNotClosed();
    EmulatedDeviceMemory.check(length, logAlignReq, device.limit(Limit.MAX_DM_SIZE));
    return objects.create(() -> new EmulatedDeviceMemory(objects, length, logAlignReq));
  }

  @Override
  public XrcDomain openXrcd(XrcdInitAttr attr) {
    return EmulatedXrcDomain.open(objects, RequiredArgument.check(attr, "attr"));
  }

  @Override
  public SharedReceiveQueue createSrq(SrqInitAttrEx attr) {
    RequiredArgument.check(attr, "attr");
    EmulatedProtectionDomain pd = checkPd(attr.pd());
    return switch (RequiredArgument.check(attr.srqType(), "srq_type")) {
      case BASIC -> pd.createSrq(attr.basic());
      case XRC -> pd.createXrcSrq(attr);
      case TM -> throw Errno.EOPNOTSUPP.refusal("this device matches no tags");
    };
  }

  @Override
  public QueuePair createQp(QpInitAttr attr) {
    RequiredArgument.check(attr, "attr");
    if (attr.qpType() == QpType.XRC_RECV) {
      return objects.create(() -> EmulatedXrcTarget.create(objects, attr));
    }
    return checkPd(attr.pd()).createQp(attr);
  }

  @Override
  public QueuePair openQp(QpOpenAttr attr) {
    RequiredArgument.check(attr, "attr");
    return objects.create(() -> EmulatedXrcTarget.open(objects, attr));
  }

  private EmulatedProtectionDomain checkPd(ProtectionDomain named) {
    objects.checkNotClosed();
    if (!(named instanceof EmulatedProtectionDomain own && own.objects == objects)) {
      throw RequiredArgument.foreign(named, "pd");
    }
    return own;
  }

  @Override
  public CompletionChannel createCompletionChannel() {
    return objects.create(() -> new EmulatedCompletionChannel(objects));
  }

  @Override
  public CompletionQueue createCq(
      int cqe, Object userContext, CompletionChannel channel, int compVector) {
    CqInitAttr attr =
        new CqInitAttr().cqe(cqe).userContext(userContext).channel(channel).compVector(compVector);
    return create(attr, EmulatedCompletionQueue::new);
  }

  @Override
  public ExtendedCompletionQueue createCqEx(CqInitAttr attr) {
    EmulatedExtendedCompletionQueue.check(RequiredArgument.check(attr, "attr"));
    return create(attr, EmulatedExtendedCompletionQueue::new);
  }

  /** Makes a completion queue for an engine. */
  private interface CqMaker<T extends EmulatedCompletionQueue> {
    T make(ContextObjects objects, CqInitAttr attr, Engine engine);
  }

  private <T extends EmulatedCompletionQueue> T create(CqInitAttr attr, CqMaker<T> maker) {
    objects.checkNotClosed();
    int compVector = attr.compVector();
    CompletionChannel channel = attr.channel();
    RequiredArgument.checkRange(attr.cqe(), 1, device.limit(Limit.MAX_CQE), "cqe");
    RequiredArgument.checkRange(compVector, 0, device.engineCount() - 1, "comp_vector");
    if (channel != null
        && !(channel instanceof EmulatedCompletionChannel own && own.objects == objects)) {
      throw RequiredArgument.foreign(channel, "channel");
    }
    return objects.create(
        () -> {
          if (channel instanceof EmulatedCompletionChannel own) {
            own.requireOpen();
          }
          return maker.make(objects, attr, device.engine(compVector));
        });
  }

  @Override
  public AsyncEvent getAsyncEvent() {
    return getAsyncEvent(Deadlines.NEVER);
  }

  @Override
  public AsyncEvent getAsyncEvent(long timeoutNs) {
    RequiredArgument.checkNotNegative(timeoutNs, "timeoutNs");
    long start = device.progress().nowNs();
    long left = timeoutNs < Deadlines.NEVER / 2 ? timeoutNs : Deadlines.NEVER;
    boolean late = false;
    while (true) {
      AsyncEvent event = pollAsyncEvent();
      if (event != null || late) {
        return event;
      }
      WaitingThreads.enter("getAsyncEvent", this);
      try {
        device.progress().await(() -> objects.events().hasEvent() || objects.closed(), left);
      } finally {
        WaitingThreads.leave();
      }
      if (Deadlines.isSet(left)) {
        left = timeoutNs - (device.progress().nowNs() - start);
        late = left <= 0;
      }
    }
  }

  @Override
  public AsyncEvent pollAsyncEvent() {
    objects.checkNotClosed();
    EventQueue.Delivered delivered = objects.events().poll();
    if (delivered == null) {
      device.progress().looked();
      return null;
    }
    return new EmulatedAsyncEvent(objects, delivered);
  }

  @Override
  public void onAsyncEvent(Runnable hook) {
    if (hook != null) {
      objects.checkNotClosed();
    }
    if (objects.events().onEvent(hook)) {
      Callback.run(hook);
    }
  }

  @Override
  public Map<String, Long> counters() {
    objects.checkNotClosed();
    device.progress().looked();
    return device.counters();
  }

  @Override
  public void close() {
    if (device.progress().exclusively(objects::close)) {
      onClose.run();
    }
  }
}
