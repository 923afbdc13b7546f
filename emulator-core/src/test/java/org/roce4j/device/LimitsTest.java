package org.roce4j.device;

import static java.util.stream.Collectors.toSet;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.reflect.RecordComponent;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Limit;
import org.roce4j.engine.Progress;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.AtomicCap;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/**
 * Each limit on the number of objects of a device: that number of objects can be created, one more
 * is ENOMEM and changes nothing, and a closed object makes room for another, any number of times.
 */
class LimitsTest {
  private static final int LIMIT = 3;
  private static final Gid HERE = Gid.parse("10.0.0.1");

  /** Creates one more object. */
  private interface Maker {
    AutoCloseable one(Parts parts, int number);
  }

  /** A way to create an object that a limit counts. */
  enum Way {
    PD(Limit.MAX_PD, (parts, number) -> parts.context.allocPd()),
    CQ(Limit.MAX_CQ, (parts, number) -> parts.context.createCq(1)),
    CQ_EX(Limit.MAX_CQ, (parts, number) -> parts.context.createCqEx(new CqInitAttr().cqe(1))),
    QP(Limit.MAX_QP, (parts, number) -> queuePair(parts, QpType.UD, number)),
    XRC_SENDER(Limit.MAX_QP, (parts, number) -> queuePair(parts, QpType.XRC_SEND, number)),
    XRC_TARGET(Limit.MAX_QP, (parts, number) -> parts.target()),
    MR(Limit.MAX_MR, (parts, number) -> parts.pd.registerMemory(Arena.ofAuto().allocate(8, 8), 0)),
    MR_OF_DM(
        Limit.MAX_MR,
        (parts, number) -> parts.pd.registerDeviceMemory(parts.dm, 0, 8, AccessFlags.ZERO_BASED)),
    MR_OF_NOTHING(Limit.MAX_MR, (parts, number) -> parts.pd.allocNullMr()),
    MW_1(Limit.MAX_MW, (parts, number) -> parts.pd.allocMemoryWindow(MwType.TYPE_1)),
    MW_2(Limit.MAX_MW, (parts, number) -> parts.pd.allocMemoryWindow(MwType.TYPE_2)),
    AH(Limit.MAX_AH, (parts, number) -> parts.pd.createAh(AhAttr.roce(Gid.parse("10.0.0.2"), 0))),
    SRQ(Limit.MAX_SRQ, (parts, number) -> parts.pd.createSrq(new SrqInitAttr(1, 1))),
    SRQ_OF_XRC(Limit.MAX_SRQ, (parts, number) -> parts.receivesOfXrc()),
    GROUP(Limit.MAX_MCAST_GROUPS, (parts, number) -> attached(parts, number, number)),
    MEMBER(Limit.MAX_MCAST_QP_ATTACH, (parts, number) -> attached(parts, 0, number));

    private final Limit limit;
    private final Maker maker;

    Way(Limit limit, Maker maker) {
      this.limit = limit;
      this.maker = maker;
    }
  }

  /** The objects that others are created from. */
  private record Parts(
      Context context, ProtectionDomain pd, CompletionQueue cq, XrcDomain xrcd, DeviceMemory dm) {
    private static Parts of(Context context) {
      return new Parts(
          context,
          context.allocPd(),
          context.createCq(1),
          context.openXrcd(new XrcdInitAttr()),
          context.allocDm(8, 0));
    }

    private QueuePair target() {
      return context.createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(xrcd));
    }

    private SharedReceiveQueue receivesOfXrc() {
      return context.createSrq(
          new SrqInitAttrEx().srqType(SrqType.XRC).pd(pd).xrcd(xrcd).cq(cq).maxWr(1).maxSge(1));
    }

    /** Closing is refused while an object is counted as made of one of them. */
    private void close() {
      dm.close();
      xrcd.close();
      cq.close();
      pd.close();
    }
  }

  /** Limits that do not count objects. */
  private static final Set<Limit> OTHERS =
      Set.of(
          Limit.MAX_QP_WR,
          Limit.MAX_SGE,
          Limit.MAX_INLINE_DATA,
          Limit.MAX_CQE,
          Limit.MAX_SRQ_WR,
          Limit.MAX_SRQ_SGE,
          Limit.MAX_QP_RD_ATOMIC,
          Limit.MAX_DM_SIZE,
          Limit.GID_TABLE_LENGTH,
          Limit.PATH_WINDOW_BYTES,
          Limit.MAX_PROBING_QP,
          Limit.LEAST_PROBED_PACKETS,
          Limit.MAX_HELD_REQUESTS);

  /** Limits that {@code ibv_query_device} does not report. */
  private static final Set<Limit> TOLD_ELSEWHERE =
      Set.of(
          Limit.MAX_DM_SIZE,
          Limit.GID_TABLE_LENGTH,
          Limit.PATH_WINDOW_BYTES,
          Limit.MAX_PROBING_QP,
          Limit.LEAST_PROBED_PACKETS,
          Limit.MAX_HELD_REQUESTS);

  static Stream<Arguments> waysAndEngines() {
    return Arrays.stream(Way.values())
        .flatMap(way -> Stream.of(1, 4).map(engines -> Arguments.of(way, engines)));
  }

  @ParameterizedTest
  @MethodSource("waysAndEngines")
  void countsWhatThereIsAndForgetsWhatWasClosed(Way way, int engines) throws Exception {
    int ofParts = way.limit == Limit.MAX_PD || way.limit == Limit.MAX_CQ ? 1 : 0;
    Parts parts = Parts.of(opened(DeviceLimits.DEFAULT.with(way.limit, LIMIT + ofParts), engines));
    Deque<AutoCloseable> made = new ArrayDeque<>();
    for (int i = 0; i < LIMIT; i++) {
      made.add(way.maker.one(parts, i));
    }
    for (int i = LIMIT; i < 4 * LIMIT; i++) {
      int number = i;
      VerbsException refused =
          assertThrows(VerbsException.class, () -> way.maker.one(parts, number));
      assertEquals(Errno.ENOMEM, refused.errno(), "one more than " + LIMIT);
      String words = (LIMIT + ofParts) + " " + way.limit.meaning().toLowerCase(Locale.ROOT);
      assertTrue(refused.getMessage().contains(words), refused.getMessage());
      made.remove().close();
      made.add(way.maker.one(parts, number));
    }
    for (AutoCloseable each : made) {
      each.close();
    }
    parts.close();
  }

  /** Regions and windows are keys of one table. */
  @Test
  void aLimitCountsNoObjectsOfAnotherKind() throws Exception {
    DeviceLimits limits = DeviceLimits.DEFAULT.with(Limit.MAX_MR, LIMIT).with(Limit.MAX_MW, LIMIT);
    Parts parts = Parts.of(opened(limits, 1));
    for (List<Way> order :
        List.of(List.of(Way.MW_1, Way.MR), List.of(Way.MR_OF_NOTHING, Way.MW_2))) {
      Deque<AutoCloseable> made = new ArrayDeque<>();
      for (Way way : order) {
        for (int i = 0; i < LIMIT; i++) {
          made.add(way.maker.one(parts, i));
        }
      }
      for (AutoCloseable each : made) {
        each.close();
      }
    }
    parts.close();
  }

  /** The last group that a device can have takes members until it is full of them. */
  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void theLimitOfGroupsIsNoneOfTheirMembers(int engines) throws Exception {
    DeviceLimits limits =
        DeviceLimits.DEFAULT.with(Limit.MAX_MCAST_GROUPS, 1).with(Limit.MAX_MCAST_QP_ATTACH, LIMIT);
    Parts parts = Parts.of(opened(limits, engines));
    Deque<AutoCloseable> made = new ArrayDeque<>();
    for (int i = 0; i < LIMIT; i++) {
      made.add(attached(parts, 0, i));
    }
    for (int group = 0; group < 2; group++) {
      int number = group;
      assertEquals(
          Errno.ENOMEM,
          assertThrows(VerbsException.class, () -> attached(parts, number, LIMIT)).errno());
    }
    for (AutoCloseable each : made) {
      each.close();
    }
    attached(parts, 1, 0).close();
    parts.close();
  }

  @Test
  void everyLimitOfADeviceIsListed() {
    Set<Limit> most = EnumSet.allOf(Limit.class);
    most.removeAll(OTHERS);
    assertEquals(most, Arrays.stream(Way.values()).map(way -> way.limit).collect(toSet()));
  }

  @Test
  void aDeviceTellsItsLimits() throws ReflectiveOperationException {
    DeviceLimits limits = DeviceLimits.DEFAULT;
    for (Limit each : Limit.values()) {
      limits = limits.with(each, 100 + each.ordinal());
    }
    Device device = device(limits, 1);
    assertEquals(limits.get(Limit.MAX_QP_RD_ATOMIC), device.maxRdAtomic());
    assertEquals(limits.get(Limit.MAX_PROBING_QP), device.maxProbingQp());
    assertEquals(limits.get(Limit.LEAST_PROBED_PACKETS), device.leastProbedPackets());
    assertEquals(limits.get(Limit.MAX_HELD_REQUESTS), device.maxHeldRequests());
    Context context = EmulatedContext.open(device, () -> {});
    assertEquals(limits.get(Limit.MAX_DM_SIZE), context.queryDeviceEx().maxDmSize());
    assertEquals(limits.get(Limit.GID_TABLE_LENGTH), context.queryPort(1).gidTableLength());
    DeviceAttr told = context.queryDevice();
    Set<Limit> seen = EnumSet.noneOf(Limit.class);
    for (RecordComponent number : DeviceAttr.class.getRecordComponents()) {
      String name = number.getName().replaceAll("([A-Z])", "_$1").toUpperCase(Locale.ROOT);
      for (Limit limit : Limit.values()) {
        if (limit.name().equals(name)) {
          assertEquals(limits.get(limit), number.getAccessor().invoke(told), name);
          seen.add(limit);
        }
      }
    }
    assertEquals(EnumSet.complementOf(EnumSet.copyOf(TOLD_ELSEWHERE)), seen);
    assertEquals(AtomicCap.HCA, told.atomicCap());
    assertEquals(told.maxSge(), told.maxSgeRd());
    assertEquals(told.maxQpRdAtomic(), told.maxQpInitRdAtomic());
    assertEquals(told.maxQpRdAtomic() * told.maxQp(), told.maxResRdAtomic());
    assertEquals(told.maxMcastGroups() * told.maxMcastQpAttach(), told.maxTotalMcastQpAttach());
  }

  /** A device whose engines have no driver. */
  private static Context opened(DeviceLimits limits, int engines) {
    return EmulatedContext.open(device(limits, engines), () -> {});
  }

  private static Device device(DeviceLimits limits, int engines) {
    Device device =
        new Device(
            Emulator.device(DeviceOptions.of("nameless", HERE)),
            limits,
            new GidTable(List.of(HERE), 0),
            Mtu.MTU_1024,
            new SplittableRandom(1),
            EngineTrace.NONE,
            engines);
    device.attach(PortControl.NONE, Progress.NONE, Collections.nCopies(engines, Progress.NONE));
    return device;
  }

  /** Creates each queue pair on the next engine. */
  private static QueuePair queuePair(Parts parts, QpType type, int number) {
    Context context = parts.context;
    int engines = context.queryDevice().numCompVectors();
    return parts.pd.createQp(
        new QpInitAttr()
            .qpType(type)
            .cq(context.createCq(1, null, null, number % engines))
            .cap(new QpCapabilities(1, 1, 1, 1, 0)));
  }

  private static AutoCloseable attached(Parts parts, int number, int members) {
    Gid group = Gid.parse("239.1.1." + (1 + number));
    QueuePair qp = queuePair(parts, QpType.UD, members);
    try {
      qp.attachMulticast(group);
    } catch (VerbsException e) {
      qp.close();
      throw e;
    }
    return () -> {
      qp.detachMulticast(group);
      qp.close();
    };
  }
}
