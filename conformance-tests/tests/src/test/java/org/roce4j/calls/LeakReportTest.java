package org.roce4j.calls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.lang.reflect.Method;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.AddrInfo;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/**
 * The verbs that create, and what a device reports as left open: each object is named with the line
 * of the program that made it until it is closed.
 */
class LeakReportTest {
  private static final InetSocketAddress SERVER = new InetSocketAddress("10.0.0.1", 7471);

  /** Tells the queue of an event. */
  private static final String CQ_EVENT = "CompletionChannel.getCqEvent";

  /** A call of the connection manager that makes something. */
  private interface Creation {
    AutoCloseable by(RdmaCm cm, EventChannel channel, LiveObjects live);
  }

  private static final Map<String, Creation> OF_THE_MANAGER =
      new TreeMap<>(
          Map.of(
              "RdmaCm.createEventChannel", (cm, _, _) -> cm.createEventChannel(),
              "RdmaCm.createId", (cm, _, _) -> cm.createId(PortSpace.TCP),
              "RdmaCm.createEp", (cm, _, _) -> cm.createEp(passive(), null, null),
              "EventChannel.createId", (_, channel, _) -> channel.createId(PortSpace.TCP),
              "CmId.getRequest", (cm, _, live) -> request(cm, live),
              "CmId.createQp", (_, channel, live) -> queue(channel, live, false),
              "CmId.createSrq", (_, channel, live) -> queue(channel, live, true)));

  /** Calls that return an object of another call, or one that is acknowledged, not closed. */
  private static final Set<String> MANAGER_TELLS =
      Set.of(
          "CmId.channel",
          "CmId.event",
          "CmId.pd",
          "CmId.qp",
          "CmId.recvCq",
          "CmId.recvCqChannel",
          "CmId.sendCq",
          "CmId.sendCqChannel",
          "CmId.srq",
          "CmId.verbs",
          "EventChannel.getCmEvent",
          "RdmaCm.open"); // holds nothing of a device until it creates

  private static AddrInfo passive() {
    return AddrInfo.resolve("10.0.0.1", "7472", new AddrInfo().flags(AddrInfo.PASSIVE));
  }

  private static CmId request(RdmaCm cm, LiveObjects live) {
    CmId listener = cm.createId(PortSpace.TCP);
    listener.bindAddr(SERVER);
    listener.listen(1);
    RdmaCm client = RdmaCm.open(live.link.far());
    EventChannel outcomes = client.createEventChannel();
    CmId id = outcomes.createId(PortSpace.TCP);
    id.resolveAddr(null, SERVER, 1000);
    acknowledge(outcomes);
    id.resolveRoute(1000);
    acknowledge(outcomes);
    id.connect(new ConnParam().qpNum(0x55));
    return listener.getRequest();
  }

  private static void acknowledge(EventChannel channel) {
    try (CmEvent event = channel.getCmEvent()) {
      assertNotNull(event);
    }
  }

  private static AutoCloseable queue(EventChannel channel, LiveObjects live, boolean shared) {
    CmId id = channel.createId(PortSpace.TCP);
    id.bindAddr(SERVER);
    if (shared) {
      id.createSrq(live.pd, new SrqInitAttr(1, 1));
      return id.srq();
    }
    id.createQp(live.pd, new QpInitAttr());
    return id.qp();
  }

  @TestFactory
  Stream<DynamicTest> everyObjectOfAVerbIsReportedUntilItIsClosed() {
    return VerbMethod.all().stream()
        .filter(LeakReportTest::returnsAHandle)
        .map(verb -> DynamicTest.dynamicTest(verb.toString(), () -> isReported(verb)));
  }

  private static boolean returnsAHandle(VerbMethod verb) {
    Class<?> type = verb.method().getReturnType();
    return AutoCloseable.class.isAssignableFrom(type)
        && type != AsyncEvent.class
        && !verb.name().equals(CQ_EVENT);
  }

  private static void isReported(VerbMethod verb) throws Throwable {
    try (LiveObjects live = new LiveObjects()) {
      EmulatedDevice device = (EmulatedDevice) live.context.device();
      device.rememberOrigins();
      Object made;
      try {
        made = verb.call(live.target(verb), live.arguments(verb));
      } catch (VerbsException e) {
        assertEquals(Errno.EOPNOTSUPP, e.errno());
        return;
      }
      if (made == null || made == verb.call(live.target(verb), live.arguments(verb))) {
        return; // tells what it has
      }
      StackTraceElement line = device.openObjects().get(made);
      assertNotNull(line, () -> made + " is not in the report: " + device.openObjects());
      assertEquals(VerbMethod.class.getName(), line.getClassName());
      ((AutoCloseable) made).close();
      assertFalse(device.openObjects().containsKey(made), () -> made + " was closed");
    }
  }

  /** An id or a channel is reported by the object beneath it, which is called alike. */
  private static StackTraceElement lineOf(EmulatedDevice device, Object made) {
    return device.openObjects().entrySet().stream()
        .filter(open -> open.getKey() == made || open.getKey().toString().equals(made.toString()))
        .map(Map.Entry::getValue)
        .findFirst()
        .orElse(null);
  }

  @TestFactory
  Stream<DynamicTest> everyObjectOfTheConnectionManagerIsReportedUntilItIsClosed() {
    return OF_THE_MANAGER.entrySet().stream()
        .map(each -> DynamicTest.dynamicTest(each.getKey(), () -> isReported(each.getValue())));
  }

  private static void isReported(Creation creation) throws Exception {
    try (LiveObjects live = new LiveObjects()) {
      EmulatedDevice device = (EmulatedDevice) live.context.device();
      RdmaCm cm = RdmaCm.open(live.context);
      EventChannel channel = cm.createEventChannel();
      device.rememberOrigins();
      AutoCloseable made = creation.by(cm, channel, live);
      StackTraceElement line = lineOf(device, made);
      assertNotNull(line, () -> made + " is not in the report: " + device.openObjects());
      assertEquals(LeakReportTest.class.getName(), line.getClassName());
      made.close();
      assertNull(lineOf(device, made), () -> made + " was closed");
      cm.close();
      assertEquals(Map.of(), device.openObjects());
    }
  }

  /** A new call that makes something is entered above. */
  @Test
  void everyCallOfTheConnectionManagerIsKnown() {
    Set<String> calls = new TreeSet<>();
    for (Class<?> type : List.of(RdmaCm.class, EventChannel.class, CmId.class)) {
      for (Method method : type.getMethods()) {
        boolean handle = AutoCloseable.class.isAssignableFrom(method.getReturnType());
        if (handle || method.getName().startsWith("create")) {
          calls.add(type.getSimpleName() + "." + method.getName());
        }
      }
    }
    Set<String> known = new TreeSet<>(OF_THE_MANAGER.keySet());
    known.addAll(MANAGER_TELLS);
    assertEquals(known, calls);
  }
}
