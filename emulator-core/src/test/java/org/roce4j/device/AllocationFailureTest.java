package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;
import static org.roce4j.engine.Limit.MAX_AH;
import static org.roce4j.engine.Limit.MAX_CQ;
import static org.roce4j.engine.Limit.MAX_CQE;
import static org.roce4j.engine.Limit.MAX_INLINE_DATA;
import static org.roce4j.engine.Limit.MAX_MR;
import static org.roce4j.engine.Limit.MAX_MW;
import static org.roce4j.engine.Limit.MAX_PD;
import static org.roce4j.engine.Limit.MAX_QP;
import static org.roce4j.engine.Limit.MAX_SGE;
import static org.roce4j.engine.Limit.MAX_SRQ;
import static org.roce4j.engine.Limit.MAX_SRQ_SGE;

import java.lang.foreign.Arena;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Limit;
import org.roce4j.engine.Progress;
import org.roce4j.engine.queue.HandleTable;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.ThreadDomain;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/**
 * Memory runs out in each verb that creates an object: ENOMEM, and nothing of the object is left in
 * other objects or in the device's counts.
 */
class AllocationFailureTest {
  /** With the two to four longs beside them, the entries need more longs than an array can have. */
  private static final int SRQ_SGE = 1_073_741_822;

  private static final int SEND_SGE = 1_073_741_819;
  private static final int MANY = 1 << 30;

  /** Objects of each kind; fewer than the failures. */
  private static final int MOST = 9;

  private static final int FAILURES = 2 * MOST;

  private boolean noHandles;
  private boolean noNumbers;

  private final Device device = device();
  private final Context context = EmulatedContext.open(device, () -> {});
  private final ProtectionDomain pd = context.allocPd();
  private final CompletionChannel channel = context.createCompletionChannel();
  private final CompletionQueue cq = context.createCq(4, null, channel, 0);
  private final SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(4, 1));
  private final XrcDomain xrcd = context.openXrcd(new XrcdInitAttr());
  private final DeviceMemory dm = context.allocDm(64, 0);
  private final ThreadDomain td = context.allocTd();
  private final Arena arena = Arena.ofShared();
  private final Deque<AutoCloseable> others = new ArrayDeque<>();

  private Device device() {
    SplittableRandom random = new SplittableRandom(6);
    RandomGenerator failing =
        () -> {
          if (noNumbers) {
            throw new OutOfMemoryError("no numbers");
          }
          return random.nextLong();
        };
    DeviceLimits limits = DeviceLimits.DEFAULT;
    for (Limit each : List.of(MAX_CQ, MAX_PD, MAX_AH, MAX_SRQ, MAX_MR, MAX_MW, MAX_QP)) {
      limits = limits.with(each, MOST);
    }
    for (Limit size : List.of(MAX_CQE, MAX_SGE, MAX_SRQ_SGE, MAX_INLINE_DATA)) {
      limits = limits.with(size, Integer.MAX_VALUE);
    }
    Device made =
        new Device(
            null,
            limits,
            new GidTable(List.of(Gid.parse("10.0.0.1")), 0),
            Mtu.MTU_1024,
            failing,
            EngineTrace.NONE,
            1,
            new HandleTable<>(this::handles));
    made.attach(PortControl.NONE, Progress.NONE);
    return made;
  }

  private AtomicReferenceArray<EmulatedObject> handles(int length) {
    if (noHandles) {
      throw new OutOfMemoryError("no handles");
    }
    return new AtomicReferenceArray<>(length);
  }

  @AfterEach
  void close() {
    context.close();
    arena.close();
  }

  interface Verb {
    AutoCloseable create(AllocationFailureTest test) throws Exception;
  }

  private QueuePair queuePair(QpType type, QpCapabilities cap, boolean shared) {
    return pd.createQp(new QpInitAttr().qpType(type).cq(cq).srq(shared ? srq : null).cap(cap));
  }

  private static Verb queuePair(QpCapabilities cap, boolean shared) {
    return test -> test.queuePair(QpType.RC, cap, shared);
  }

  private static final Verb QUEUE_PAIR = queuePair(new QpCapabilities(4, 4, 1, 1), false);
  private static final Verb QUEUE_PAIR_OF_SRQ = queuePair(new QpCapabilities(4, 0, 1, 0), true);
  private static final Verb COMPLETION_QUEUE =
      test -> test.context.createCq(4, null, test.channel, 0);
  private static final Verb SHARED_QUEUE = test -> test.pd.createSrq(new SrqInitAttr(4, 1));
  private static final Verb REGION =
      test -> test.pd.registerMemory(test.arena.allocate(64, 64), AccessFlags.LOCAL_WRITE);
  private static final Verb WINDOW = test -> test.pd.allocMemoryWindow(MwType.TYPE_2);

  private static final Verb REGION_OF_DM =
      test -> test.pd.registerDeviceMemory(test.dm, 0, 8, AccessFlags.ZERO_BASED);
  private static final Verb NULL_REGION = test -> test.pd.allocNullMr();
  private static final Verb EXTENDED_QUEUE =
      test -> test.context.createCqEx(new CqInitAttr().cqe(4).channel(test.channel));
  private static final Verb XRC_QUEUE = test -> test.context.createSrq(test.receivesOfXrc());
  private static final Verb XRC_SENDER =
      test -> test.queuePair(QpType.XRC_SEND, new QpCapabilities(4, 0, 1, 0), false);
  private static final Verb XRC_TARGET =
      test -> test.context.createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(test.xrcd));
  private static final Verb DEVICE_MEMORY = test -> test.context.allocDm(64, 0);

  private SrqInitAttrEx receivesOfXrc() {
    return new SrqInitAttrEx().srqType(SrqType.XRC).pd(pd).xrcd(xrcd).cq(cq).maxWr(4).maxSge(1);
  }

  static Stream<Arguments> verbs() {
    return Stream.of(
        Arguments.of("alloc_dm", DEVICE_MEMORY),
        Arguments.of("alloc_td", (Verb) test -> test.context.allocTd()),
        Arguments.of(
            "alloc_parent_domain",
            (Verb)
                test -> test.context.allocParentDomain(new ParentDomainInitAttr(test.pd, test.td))),
        Arguments.of("reg_dm_mr", REGION_OF_DM),
        Arguments.of("alloc_null_mr", NULL_REGION),
        Arguments.of("create_cq_ex", EXTENDED_QUEUE),
        Arguments.of("open_xrcd", (Verb) test -> test.context.openXrcd(new XrcdInitAttr())),
        Arguments.of("create_srq of XRC", XRC_QUEUE),
        Arguments.of("create_qp XRC_SEND", XRC_SENDER),
        Arguments.of("create_qp XRC_RECV", XRC_TARGET),
        Arguments.of("alloc_pd", (Verb) test -> test.context.allocPd()),
        Arguments.of("create_comp_channel", (Verb) test -> test.context.createCompletionChannel()),
        Arguments.of("create_cq", COMPLETION_QUEUE),
        Arguments.of("create_srq", SHARED_QUEUE),
        Arguments.of("create_qp", QUEUE_PAIR),
        Arguments.of("create_qp with srq", QUEUE_PAIR_OF_SRQ),
        Arguments.of("reg_mr", REGION),
        Arguments.of("alloc_mw", WINDOW),
        Arguments.of(
            "create_ah", (Verb) test -> test.pd.createAh(AhAttr.roce(Gid.parse("10.0.0.2"), 0))));
  }

  static Stream<Arguments> numbered() {
    return Stream.of(
        Arguments.of("reg_dm_mr", REGION_OF_DM),
        Arguments.of("alloc_null_mr", NULL_REGION),
        Arguments.of("create_srq of XRC", XRC_QUEUE),
        Arguments.of("reg_mr", REGION),
        Arguments.of("alloc_mw", WINDOW));
  }

  static Stream<Arguments> tooLarge() {
    return Stream.of(
        Arguments.of(
            "create_srq of XRC",
            (Verb) test -> test.context.createSrq(test.receivesOfXrc().maxWr(1).maxSge(SRQ_SGE)),
            XRC_QUEUE),
        Arguments.of(
            "create_cq",
            (Verb) test -> test.context.createCq(MANY, null, test.channel, 0),
            COMPLETION_QUEUE),
        Arguments.of(
            "create_srq",
            (Verb) test -> test.pd.createSrq(new SrqInitAttr(1, SRQ_SGE)),
            SHARED_QUEUE),
        Arguments.of(
            "create_qp, sends",
            queuePair(new QpCapabilities(1, 1, SEND_SGE, 1), false),
            QUEUE_PAIR),
        Arguments.of(
            "create_qp, receives",
            queuePair(new QpCapabilities(1, 1, 1, SRQ_SGE), false),
            QUEUE_PAIR),
        Arguments.of(
            "create_qp with srq",
            queuePair(new QpCapabilities(1, 0, SEND_SGE, 0), true),
            QUEUE_PAIR_OF_SRQ));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("verbs")
  void aHandleThatFindsNoRoomLeavesNothing(String name, Verb verb) throws Exception {
    for (int used = 7; used < 15; used++) {
      others.push(context.createCompletionChannel());
    }
    noHandles = true;
    fails(verb, FAILURES);
    noHandles = false;
    works(verb);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("numbered")
  void aNumberThatCannotBeDrawnLeavesNothing(String name, Verb verb) throws Exception {
    noNumbers = true;
    fails(verb, FAILURES);
    noNumbers = false;
    works(verb);
  }

  /** Each failure of native memory takes half a second, in which the JVM waits. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("tooLarge")
  void whatIsTooLargeLeavesNothing(String name, Verb verb, Verb smaller) throws Exception {
    fails(verb, name.equals("create_cq") ? 1 : FAILURES);
    works(smaller);
  }

  private void fails(Verb verb, int times) {
    int queuePairs = device.queuePairs();
    int keys = device.keys().size();
    long room = device.room().left();
    int handles = device.handles().all(EmulatedObject.class).size();
    for (int i = 0; i < times; i++) {
      VerbsException e = refused(Errno.ENOMEM, () -> verb.create(this));
      assertTrue(e.remedy().startsWith("memory ran out"), e.getMessage());
    }
    assertEquals(queuePairs, device.queuePairs());
    assertEquals(keys, device.keys().size());
    assertEquals(room, device.room().left());
    assertEquals(handles, device.handles().all(EmulatedObject.class).size());
  }

  /**
   * One object can be created, then as many as the limit allows, and nothing is busy when all are
   * closed.
   */
  private void works(Verb verb) throws Exception {
    verb.create(this).close();
    List<AutoCloseable> rest = List.of(srq, cq, channel, xrcd, dm, td, pd);
    Deque<AutoCloseable> made = new ArrayDeque<>();
    VerbsException full =
        refused(
            Errno.ENOMEM,
            () -> {
              while (made.size() <= MOST) {
                made.push(verb.create(this));
              }
              throw new VerbsException(Errno.ENOMEM, "no limit");
            });
    assertTrue(made.size() >= MOST - 1, made.size() + " made, then " + full.getMessage());
    for (AutoCloseable each : made) {
      each.close();
    }
    for (AutoCloseable each : others) {
      each.close();
    }
    for (AutoCloseable each : rest) {
      each.close(); // refused while anything is counted as theirs
    }
  }

  // ---- verbs that create nothing but need memory

  @Test
  void aCompletionQueueThatCannotGrowStaysAsItIs() {
    refused(Errno.ENOMEM, () -> cq.resize(MANY));
    assertEquals(4, cq.cqe());
    cq.resize(8);
    assertEquals(8, cq.cqe());
  }

  @Test
  void aPostForWhoseInlineDataNoMemoryIsLeftIsNotPosted() {
    QpCapabilities cap = new QpCapabilities(1, 1, 1, 1, Integer.MAX_VALUE);
    QueuePair qp = queuePair(QpType.UC, cap, false);
    qp.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(0));
    qp.modify(new QpAttr().qpState(QpState.ERR));
    SendRequestList inline = new SendRequestList(arena, 1, 1, 8);
    inline.add().opcode(WrOpcode.SEND).inline(arena.allocate(8));
    assertEquals(Errno.ENOMEM.number(), qp.postSend(inline));
    assertEquals(0, inline.badIndex());
    assertEquals(0, qp.postSend(inline.clear().add().opcode(WrOpcode.SEND)));
  }
}
