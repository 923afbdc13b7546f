package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.hardware.bindings.CmLayouts.RdmaCmEvent;
import org.roce4j.hardware.bindings.CmLayouts.RdmaCmId;
import org.roce4j.hardware.bindings.CmLayouts.RdmaEventChannel;
import org.roce4j.hardware.bindings.CmLayouts.RdmaUdParam;
import org.roce4j.hardware.bindings.LibraryInJava;
import org.roce4j.hardware.bindings.Structures.IbvAhAttr;
import org.roce4j.hardware.bindings.Structures.IbvContext;
import org.roce4j.hardware.bindings.Structures.IbvDevice;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.CmOption;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.JoinFlag;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.ProviderReport;
import org.roce4j.verbs.cm.RejectReason;

/**
 * The calls of librdmacm that ids and channels make, and the events that they make of its
 * structures.
 */
@EnabledOnOs(OS.LINUX)
class CmLibraryCallsTest extends LibraryFixture {
  private static final InetAddress GROUP = InetAddress.ofLiteral("239.1.2.3");
  private static final InetSocketAddress HERE =
      new InetSocketAddress(InetAddress.ofLiteral("10.0.0.1"), 7471);

  private final Map<Long, HardwareCmId> ids = new ConcurrentHashMap<>();
  private final Deque<Long> events = new ArrayDeque<>();
  private final List<Long> acknowledged = new ArrayList<>();
  private final List<Long> made = new ArrayList<>();
  private HardwareCmChannel channel;

  @BeforeEach
  void openChannel() {
    MemorySegment opened = arena.allocate(RdmaEventChannel.SIZE, 8);
    opened.set(JAVA_INT, RdmaEventChannel.FD, descriptor);
    c.does("rdma_create_event_channel", _ -> opened.address());
    c.does("rdma_create_id", a -> idAt(a[1]));
    c.does("rdma_get_cm_event", a -> written(a[1], events.remove()));
    c.does(
        "rdma_ack_cm_event",
        a -> {
          acknowledged.add(a[0]);
          return 0;
        });
    channel = new HardwareCmChannel(c.connectionManager(), ids, List.of());
  }

  private long idAt(long pointer) {
    made.add(arena.allocate(RdmaCmId.SIZE, 8).address());
    return written(pointer, made.getLast());
  }

  private static long written(long pointer, long value) {
    LibraryInJava.at(pointer, 8).set(JAVA_LONG, 0, value);
    return 0;
  }

  private HardwareCmId id(PortSpace ps) {
    return (HardwareCmId) channel.createId(ps, ps.qpType());
  }

  /** Adds an event that waits to be taken; returns its address. */
  private long happens(int type, long id, long listener, int status, long token) {
    MemorySegment event = arena.allocate(RdmaCmEvent.SIZE, 8);
    event.set(JAVA_LONG, RdmaCmEvent.ID, id);
    event.set(JAVA_LONG, RdmaCmEvent.LISTEN_ID, listener);
    event.set(JAVA_INT, RdmaCmEvent.EVENT, type);
    event.set(JAVA_INT, RdmaCmEvent.STATUS, status);
    if (token != 0) {
      event.set(JAVA_LONG, RdmaCmEvent.PARAM + RdmaUdParam.PRIVATE_DATA, token);
    }
    events.add(event.address());
    return event.address();
  }

  private long happens(CmEventType type, long id) {
    return happens(type.value(), id, 0, 0, 0);
  }

  @Test
  void everyEventIsAcknowledgedOnceAndTheOtherOnesAreLeftOut() {
    id(PortSpace.TCP);
    List<Long> all = new ArrayList<>();
    List<CmEventType> told = new ArrayList<>();
    for (CmEventType type : CmEventType.values()) {
      if (type != CmEventType.MULTICAST_JOIN && type != CmEventType.MULTICAST_ERROR) {
        all.add(happens(99, made.getFirst(), 0, 0, 0)); // an event of a newer library
        all.add(happens(CmEventType.ESTABLISHED, 0x1234)); // of nobody
        all.add(happens(type, made.getFirst()));
        told.add(type);
      }
    }
    List<CmEventType> taken = new ArrayList<>();
    while (!events.isEmpty()) {
      taken.add(channel.take(0).type());
    }
    assertEquals(told, taken);
    assertEquals(all, acknowledged);
  }

  @Test
  void aRequestIsOfItsListenersKind() {
    for (PortSpace ps : List.of(PortSpace.TCP, PortSpace.UDP)) {
      id(ps);
      long child = arena.allocate(RdmaCmId.SIZE, 8).address();
      happens(CmEventType.CONNECT_REQUEST.value(), child, made.getLast(), 0, 0);
      ProviderReport report = channel.take(0);
      assertEquals(ps.qpType(), ((HardwareCmId) report.id()).qpType());
      assertSame(ids.get(made.getLast()), report.listener());
      assertSame(ids.get(child), report.id());
      assertEquals(ps == PortSpace.UDP, report.ud() != null);
      assertEquals(ps == PortSpace.TCP, report.conn() != null);
    }
  }

  @Test
  void anIdThatIsClosedIsForgottenAndItsEventsAreNotTold() {
    HardwareCmId gone = id(PortSpace.TCP);
    HardwareCmId stays = id(PortSpace.TCP);
    gone.close();
    gone.close();
    assertEquals(1, c.calls.stream().filter("rdma_destroy_id"::equals).count());
    assertEquals(List.of(made.getLast()), List.copyOf(ids.keySet()));
    happens(CmEventType.DISCONNECTED, made.getFirst());
    happens(CmEventType.ESTABLISHED, made.getLast());
    assertSame(stays, channel.take(0).id());
    assertEquals(2, acknowledged.size());
  }

  @Test
  void aJoinIsToldByWhatItWasGivenUntilItIsLeftOrRefused() {
    HardwareCmId id = id(PortSpace.UDP);
    List<Long> tokens = new ArrayList<>();
    c.does(
        "rdma_join_multicast_ex",
        a -> {
          tokens.add(a[2]);
          return tokens.size() == 3 ? -1 : 0;
        });
    id.joinMulticast(GROUP, JoinFlag.FULLMEMBER, "first");
    id.joinMulticast(InetAddress.ofLiteral("239.1.2.4"), JoinFlag.FULLMEMBER, "second");
    assertThrows(
        VerbsException.class, () -> id.joinMulticast(GROUP, JoinFlag.FULLMEMBER, "refused"));
    joined(0, tokens.get(0));
    ProviderReport report = channel.take(0);
    assertEquals("first", report.join());
    assertNotNull(report.ud());
    happens(CmEventType.MULTICAST_ERROR.value(), made.getFirst(), 0, -110, tokens.get(1));
    ProviderReport error = channel.take(0);
    assertEquals("second", error.join());
    assertNull(error.ud(), "there is no address of a group that was not joined");
    id.leaveMulticast(GROUP, "first");
    joined(0, tokens.get(0));
    joined(0, tokens.get(2));
    joined(0, tokens.get(1));
    assertEquals("second", channel.take(0).join(), "the others are gone");
  }

  private void joined(int status, long token) {
    long event = happens(CmEventType.MULTICAST_JOIN.value(), made.getFirst(), 0, status, token);
    LibraryInJava.at(event, RdmaCmEvent.SIZE)
        .set(JAVA_BYTE, RdmaCmEvent.PARAM + RdmaUdParam.AH_ATTR + IbvAhAttr.IS_GLOBAL, (byte) 1);
  }

  @Test
  void aChannelIsDestroyedOnceAndWatchedNoMore() throws InterruptedException {
    channel.onEvent(() -> {});
    Thread watcher =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("cm-events-" + descriptor))
            .findFirst()
            .orElseThrow();
    channel.close();
    channel.close();
    watcher.join(10_000);
    assertFalse(watcher.isAlive(), "the thread that watches goes on");
    assertEquals(1, c.calls.stream().filter("rdma_destroy_event_channel"::equals).count());
    assertThrows(VerbsException.class, () -> channel.take(0));
    assertThrows(VerbsException.class, () -> id(PortSpace.TCP));
  }

  /** A call of an id, and its function of librdmacm. */
  enum Call {
    OPTION("rdma_set_option", (_, id) -> id.setOption(CmOption.REUSEADDR, 1)),
    PATH("rdma_set_option", (_, id) -> id.setIbPath(new byte[64])),
    BIND("rdma_bind_addr", (_, id) -> id.bindAddr(HERE)),
    RESOLVE("rdma_resolve_addr", (_, id) -> id.resolveAddr(null, HERE, 5)),
    ROUTE("rdma_resolve_route", (_, id) -> id.resolveRoute(5)),
    LISTEN("rdma_listen", (_, id) -> id.listen(5)),
    CONNECT("rdma_connect", (_, id) -> id.connect(new ConnParam())),
    ACCEPT("rdma_accept", (_, id) -> id.accept(new ConnParam())),
    REJECT("rdma_reject", (_, id) -> id.reject(RejectReason.CONSUMER_DEFINED, new byte[4])),
    REJECT_ECE(
        "rdma_reject_ece",
        (_, id) -> id.reject(RejectReason.VENDOR_OPTION_NOT_SUPPORTED, new byte[4])),
    ESTABLISH("rdma_establish", (_, id) -> id.establish()),
    DISCONNECT("rdma_disconnect", (_, id) -> id.disconnect()),
    NOTIFY("rdma_notify", (_, id) -> id.notify(EventType.COMM_EST)),
    INIT("rdma_init_qp_attr", (_, id) -> assertNotNull(id.initQpAttr(QpState.INIT))),
    JOIN("rdma_join_multicast_ex", (_, id) -> id.joinMulticast(GROUP, JoinFlag.FULLMEMBER, "a")),
    LEAVE("rdma_leave_multicast", (_, id) -> id.leaveMulticast(GROUP, GROUP)),
    MIGRATE("rdma_migrate_id", (test, id) -> id.migrate(test.channel));

    private final String function;
    private final BiConsumer<CmLibraryCallsTest, HardwareCmId> verb;

    Call(String function, BiConsumer<CmLibraryCallsTest, HardwareCmId> verb) {
      this.function = function;
      this.verb = verb;
    }
  }

  /** Each function gets the id of its caller, who is told the errno of a refusal. */
  @ParameterizedTest
  @EnumSource
  void eachCallIsAFunctionThatMayRefuse(Call call) throws Throwable {
    HardwareCmId id = id(PortSpace.TCP);
    LibraryInJava.at(made.getLast(), RdmaCmId.SIZE).set(JAVA_LONG, RdmaCmId.VERBS, device());
    for (Errno errno : List.of(Errno.EINVAL, Errno.ENOMEM, Errno.EADDRINUSE)) {
      c.does(
          call.function,
          _ -> {
            EveryFailureTest.leave(errno);
            return -1;
          });
      VerbsException e = assertThrows(VerbsException.class, () -> call.verb.accept(this, id));
      assertEquals(errno, e.errno(), e::getMessage);
    }
    List<List<Long>> asked = asked(call.function, 1);
    call.verb.accept(this, id);
    assertEquals(List.of(List.of(made.getLast())), asked);
  }

  @ParameterizedTest
  @CsvSource({"TOS,0,0,1", "REUSEADDR,0,1,4", "AFONLY,0,2,4", "ACK_TIMEOUT,0,3,1"})
  void anOptionHasItsLevelNameAndLength(CmOption option, long level, long name, long length) {
    HardwareCmId id = id(PortSpace.TCP);
    List<Long> told = new ArrayList<>();
    c.does(
        "rdma_set_option",
        a -> {
          told.addAll(
              List.of(a[1], a[2], (long) LibraryInJava.at(a[3], 1).get(JAVA_BYTE, 0), a[4]));
          return 0;
        });
    id.setOption(option, 1);
    assertEquals(List.of(level, name, 1L, length), told);
  }

  @Test
  void theNumbersOfACallReachC() {
    HardwareCmId id = id(PortSpace.TCP);
    LibraryInJava.at(made.getLast(), RdmaCmId.SIZE).set(JAVA_LONG, RdmaCmId.VERBS, device());
    Map<String, Integer> at =
        Map.of(
            "rdma_set_option", 4,
            "rdma_resolve_addr", 3,
            "rdma_resolve_route", 1,
            "rdma_listen", 1,
            "rdma_reject", 2,
            "rdma_reject_ece", 2,
            "rdma_notify", 1);
    Map<String, Long> found = new HashMap<>();
    at.forEach(
        (function, argument) ->
            c.does(
                function,
                a -> {
                  found.put(function, a[argument]);
                  return 0;
                }));
    id.setIbPath(new byte[128]);
    id.resolveAddr(null, HERE, 11);
    id.resolveRoute(12);
    id.listen(13);
    id.reject(RejectReason.CONSUMER_DEFINED, new byte[14]);
    id.reject(RejectReason.VENDOR_OPTION_NOT_SUPPORTED, new byte[15]);
    id.notify(EventType.COMM_EST);
    assertEquals(
        Map.of(
            "rdma_set_option", 128L,
            "rdma_resolve_addr", 11L,
            "rdma_resolve_route", 12L,
            "rdma_listen", 13L,
            "rdma_reject", 14L,
            "rdma_reject_ece", 15L,
            "rdma_notify", (long) EventType.COMM_EST.value()),
        found);
  }

  /** Makes a context whose device has a name. */
  private long device() {
    MemorySegment device = arena.allocate(IbvDevice.SIZE, 8);
    device.setString(IbvDevice.NAME, "none");
    MemorySegment verbs = arena.allocate(IbvContext.SIZE, 8);
    verbs.set(JAVA_LONG, IbvContext.DEVICE, device.address());
    return verbs.address();
  }
}
