package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.lang.reflect.RecordComponent;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Limit;
import org.roce4j.engine.Progress;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.DeviceAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.NodeType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.TransportType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.VerbsProvider;

/**
 * Each limit of a device on how many objects there are: as many as it says can be had, one more is
 * ENOMEM and changes nothing, and what was closed can be had again, however often.
 */
class LimitsTest {
  private static final int LIMIT = 3;
  private static final Gid HERE = Gid.parse("10.0.0.1");

  /** One more object of the kind. */
  private interface Maker {
    AutoCloseable one(ProtectionDomain pd, int number);
  }

  private static final Map<Limit, Maker> MAKERS =
      new TreeMap<>(
          Map.of(
              Limit.MAX_PD, (pd, number) -> pd.context().allocPd(),
              Limit.MAX_CQ, (pd, number) -> pd.context().createCq(1),
              Limit.MAX_QP, LimitsTest::queuePair,
              Limit.MAX_MR, (pd, number) -> pd.registerMemory(Arena.ofAuto().allocate(8, 8), 0),
              Limit.MAX_MW, (pd, number) -> pd.allocMemoryWindow(MwType.TYPE_1),
              Limit.MAX_AH, (pd, number) -> pd.createAh(AhAttr.roce(Gid.parse("10.0.0.2"), 0)),
              Limit.MAX_SRQ, (pd, number) -> pd.createSrq(new SrqInitAttr(1, 1)),
              Limit.MAX_MCAST_GROUPS, (pd, number) -> attached(pd, number, number),
              Limit.MAX_MCAST_QP_ATTACH, (pd, number) -> attached(pd, 0, number)));

  /** What is no count of objects. */
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

  /** What {@code ibv_query_device} does not tell. */
  private static final Set<Limit> TOLD_ELSEWHERE =
      Set.of(
          Limit.MAX_DM_SIZE,
          Limit.GID_TABLE_LENGTH,
          Limit.PATH_WINDOW_BYTES,
          Limit.MAX_PROBING_QP,
          Limit.LEAST_PROBED_PACKETS,
          Limit.MAX_HELD_REQUESTS);

  static Set<Limit> kinds() {
    return MAKERS.keySet();
  }

  static Stream<Arguments> kindsAndEngines() {
    return kinds().stream().flatMap(kind -> Stream.of(1, 4).map(n -> Arguments.of(kind, n)));
  }

  @ParameterizedTest
  @MethodSource("kindsAndEngines")
  void countsWhatThereIsAndForgetsWhatWasClosed(Limit kind, int engines) throws Exception {
    int others = kind == Limit.MAX_PD ? 1 : 0; // the domain that the objects are made in
    DeviceLimits limits = DeviceLimits.DEFAULT.with(kind, LIMIT + others);
    ProtectionDomain pd = domain(limits, engines);
    Maker maker = MAKERS.get(kind);
    Deque<AutoCloseable> made = new ArrayDeque<>();
    for (int i = 0; i < LIMIT; i++) {
      made.add(maker.one(pd, i));
    }
    for (int i = LIMIT; i < 4 * LIMIT; i++) {
      int number = i;
      assertEquals(
          Errno.ENOMEM,
          assertThrows(VerbsException.class, () -> maker.one(pd, number)).errno(),
          "one more than " + LIMIT);
      made.remove().close();
      made.add(maker.one(pd, number));
    }
  }

  @Test
  void everyLimitOfADeviceIsListed() {
    Set<Limit> most = EnumSet.allOf(Limit.class);
    most.removeAll(OTHERS);
    assertEquals(most, kinds());
  }

  @Test
  void aDeviceTellsItsLimits() throws ReflectiveOperationException {
    DeviceLimits limits = DeviceLimits.DEFAULT;
    for (Limit each : Limit.values()) {
      limits = limits.with(each, 100 + each.ordinal());
    }
    DeviceAttr told = domain(limits, 1).context().queryDevice();
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
    assertEquals(told.maxSge(), told.maxSgeRd());
    assertEquals(told.maxQpRdAtomic(), told.maxQpInitRdAtomic());
  }

  /** A domain of a device with engines that nothing drives. */
  private static ProtectionDomain domain(DeviceLimits limits, int engines) {
    Device device =
        new Device(
            new Nameless(),
            limits,
            new GidTable(List.of(HERE), 0),
            Mtu.MTU_1024,
            new SplittableRandom(1),
            EngineTrace.NONE,
            engines);
    device.attach(PortControl.NONE, Progress.NONE, Collections.nCopies(engines, Progress.NONE));
    return EmulatedContext.open(device, () -> {}).allocPd();
  }

  private static int engines(ProtectionDomain pd) {
    return pd.context().queryDevice().numCompVectors();
  }

  private record Nameless() implements RdmaDevice {
    @Override
    public String name() {
      return "nameless";
    }

    @Override
    public long guid() {
      return 1;
    }

    @Override
    public NodeType nodeType() {
      return NodeType.CA;
    }

    @Override
    public TransportType transportType() {
      return TransportType.IB;
    }

    @Override
    public VerbsProvider provider() {
      return null;
    }

    @Override
    public Context open() {
      throw new UnsupportedOperationException();
    }
  }

  /** Each on the next engine. */
  private static QueuePair queuePair(ProtectionDomain pd, int number) {
    return pd.createQp(
        new QpInitAttr()
            .qpType(QpType.UD)
            .cq(pd.context().createCq(1, null, null, number % engines(pd)))
            .cap(new QpCapabilities(1, 1, 1, 1, 0)));
  }

  private static AutoCloseable attached(ProtectionDomain pd, int number, int members) {
    Gid group = Gid.parse("239.1.1." + (1 + number));
    QueuePair qp = queuePair(pd, members);
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
