package org.roce4j.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.roce4j.conformance.bench.Expect.refused;

import java.lang.foreign.Arena;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.LegacyXrc;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.Wrapper;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** A verb accepts a program's decorator wherever it accepts the decorated object. */
class DecoratedObjectsTest {
  @AutoClose private final FabricDevices devices = new FabricDevices(FabricOptions.of(1));
  @AutoClose private final Arena arena = Arena.ofShared();

  @AutoClose
  private final Context context = devices.device("decorated", Gid.parse("10.0.0.1")).open();

  private final AtomicInteger calls = new AtomicInteger();

  /** Decorates an object, counts its calls, and decorates the result once more. */
  private <T> T decorated(Class<T> type, T object) {
    return once(type, once(type, object));
  }

  private <T> T once(Class<T> type, T object) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type, Wrapper.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("unwrap")) {
                return object;
              }
              calls.incrementAndGet();
              try {
                return method.invoke(object, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  @Test
  void everyArgumentMayBeDecorated() {
    ProtectionDomain pd = decorated(ProtectionDomain.class, context.allocPd());
    CompletionChannel channel =
        decorated(CompletionChannel.class, context.createCompletionChannel());
    CompletionQueue cq = decorated(CompletionQueue.class, context.createCq(4, null, channel, 0));
    SharedReceiveQueue srq =
        decorated(SharedReceiveQueue.class, pd.createSrq(new SrqInitAttr(1, 1)));
    QpInitAttr attr =
        new QpInitAttr().qpType(QpType.RC).cq(cq).cap(new QpCapabilities(1, 1, 1, 1, 0));
    try (QueuePair shared = pd.createQp(attr.srq(srq))) {
      assertSame(Wrapper.innermost(cq), shared.sendCq());
      assertSame(Wrapper.innermost(srq), shared.srq());
    }
    MemoryRegion region =
        decorated(MemoryRegion.class, pd.registerMemory(arena.allocate(64), AccessFlags.MW_BIND));
    MemoryWindow window = decorated(MemoryWindow.class, pd.allocMemoryWindow(MwType.TYPE_1));
    QueuePair qp = pd.createQp(attr.srq(null));
    VerbsException inReset =
        assertThrows(
            VerbsException.class,
            () -> qp.bindMemoryWindow(window, 1, 0, region, region.address(), 8, 0));
    assertEquals("a queue pair in RESET binds no window: bring it to RTS first", inReset.remedy());
    region.reregister(decorated(ProtectionDomain.class, context.allocPd()), -1);
    try (WorkCompletions completions = new WorkCompletions(1)) {
      int before = calls.get();
      assertEquals(0, cq.poll(completions));
      assertEquals(before + 2, calls.get(), "both decorators see the poll");
    }
  }

  @Test
  void theDomainOfExtendedConnectionsMayBeDecorated() {
    XrcDomain xrcd = decorated(XrcDomain.class, context.openXrcd(new XrcdInitAttr()));
    QueuePair target = context.createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(xrcd));
    context.openQp(new QpOpenAttr(target.qpNum(), xrcd)).close();
    LegacyXrc old = new LegacyXrc();
    int qpn = old.createXrcRcvQp(new QpInitAttr().xrcd(xrcd));
    old.regXrcRcvQp(xrcd, qpn);
    assertEquals(QpState.RESET, old.queryXrcRcvQp(xrcd, qpn).qpState());
    old.unregXrcRcvQp(xrcd, qpn);
    refused(Errno.EINVAL, () -> old.queryXrcRcvQp(xrcd, qpn));
  }

  @Test
  void aDecoratedReceiveQueueCanFail() {
    SharedReceiveQueue srq =
        decorated(SharedReceiveQueue.class, context.allocPd().createSrq(new SrqInitAttr(1, 1)));
    ((EmulatedDevice) context.device()).fail(srq);
    assertEquals(EventType.SRQ_ERR, context.pollAsyncEvent().type());
  }

  @Test
  void aDecoratorOfAnotherContextsQueueIsRefusedAsThatQueueIs() {
    try (Context other = devices.device("other", Gid.parse("10.0.0.2")).open()) {
      CompletionQueue foreign = decorated(CompletionQueue.class, other.createCq(1));
      QpInitAttr attr =
          new QpInitAttr().qpType(QpType.RC).cq(foreign).cap(new QpCapabilities(1, 1, 1, 1, 0));
      refused(Errno.EINVAL, () -> context.allocPd().createQp(attr));
    }
  }

  /** A decorator that decorates itself. */
  private record Circle() implements Wrapper<Object> {
    @Override
    public Object unwrap() {
      return this;
    }
  }

  @Test
  void decoratorsWithoutEndAreRefused() {
    assertThrows(VerbsException.class, () -> Wrapper.innermost(new Circle()));
  }
}
