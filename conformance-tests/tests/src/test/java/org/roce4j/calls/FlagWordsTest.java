package org.roce4j.calls;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.bench.Expect.refused;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Executable;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Advice;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqCreateFlags;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.LegacyXrc;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpCreateFlags;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.Verbs;
import org.roce4j.verbs.WcExFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/**
 * Every set of flags of the API, bit by bit: a foreign bit is refused with the errno of libibverbs,
 * whatever other bits are set, and each known bit is accepted.
 */
class FlagWordsTest extends PlayedCalls {
  private static final Pattern NAME = Pattern.compile("(?i).*flags|.*mask|.*access|oflags|sendOps");

  private static final int REMOTE =
      AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ | AccessFlags.REMOTE_ATOMIC;
  private static final int MEMORY =
      AccessFlags.LOCAL_WRITE
          | REMOTE
          | AccessFlags.MW_BIND
          | AccessFlags.ON_DEMAND
          | AccessFlags.HUGETLB
          | AccessFlags.FLUSH_GLOBAL
          | AccessFlags.FLUSH_PERSISTENT
          | AccessFlags.OPTIONAL_RANGE;
  private static final int TO_INIT =
      QpAttrMask.STATE | QpAttrMask.ACCESS_FLAGS | QpAttrMask.PKEY_INDEX | QpAttrMask.PORT;

  /** Attributes without a meaning for a queue pair that only receives, which it takes. */
  private static final int OF_SENDERS =
      QpAttrMask.MAX_QP_RD_ATOMIC | QpAttrMask.RETRY_CNT | QpAttrMask.RNR_RETRY;

  private static final int BYTES = 64;

  /** The flags that a device reports and must not refuse. */
  private static final Set<String> TOLD =
      Set.of(
          "DeviceAttr.DeviceAttr(deviceCapFlags)",
          "DeviceAttrEx.DeviceAttrEx(completionTimestampMask)",
          "PortAttr.PortAttr(flags)",
          "PortAttr.PortAttr(portCapFlags)",
          "RssCaps.DeviceAttrEx$RssCaps(rxHashFieldsMask)",
          "TagMatchingCaps.DeviceAttrEx$TagMatchingCaps(flags)",
          "WorkCompletions.flags(index)");

  /** As in libibverbs, whose providers look only at the bits that they know. */
  private static final Set<String> FOREIGN_BITS_HAVE_NO_EFFECT =
      Set.of(
          "AddrInfo.flags(value)",
          "QpAttr.qpAccessFlags(value)",
          "QueuePair.bindMemoryWindow(sendFlags)",
          "QueuePair.query(mask)",
          "QueuePair.queryDataInOrder(flags)",
          "SendRequestList.flags(flags)",
          "WorkRequestBuilder.flags(flags)");

  /** The rights of a window, which the request is checked for when it is executed. */
  private static final Set<String> FAIL_THEIR_REQUEST =
      Set.of(
          "QueuePair.bindMemoryWindow(accessFlags)",
          "SendRequestList.bindMw(accessFlags)",
          "WorkRequestBuilder.bindMemoryWindow(accessFlags)");

  /** Refused with EOPNOTSUPP, whatever the flags. */
  private static final Set<String> WITHOUT_EMULATION =
      Set.of("ProtectionDomain.registerDmabuf(accessFlags)");

  private interface Use {
    void with(LiveObjects objects, long word);
  }

  /** A word that the emulator checks. */
  private enum Word {
    OFLAGS(
        "XrcdInitAttr.XrcdInitAttr(oflags)",
        Errno.EINVAL,
        XrcdInitAttr.O_CREAT,
        XrcdInitAttr.O_EXCL,
        (o, word) -> o.context.openXrcd(new XrcdInitAttr(null, (int) word)).close()),
    CQ_FLAGS(
        "CqInitAttr.flags(value)",
        Errno.EINVAL,
        0,
        CqCreateFlags.SINGLE_THREADED | CqCreateFlags.IGNORE_OVERRUN,
        (o, word) -> o.context.createCqEx(new CqInitAttr().flags((int) word)).close()),
    WC_FLAGS(
        "CqInitAttr.wcFlags(value)",
        Errno.EOPNOTSUPP,
        0,
        WcExFlags.STANDARD
            | WcExFlags.WITH_COMPLETION_TIMESTAMP
            | WcExFlags.WITH_COMPLETION_TIMESTAMP_WALLCLOCK,
        (o, word) -> o.context.createCqEx(new CqInitAttr().wcFlags((int) word)).close()),
    CREATE_FLAGS(
        "QpInitAttr.createFlags(value)",
        Errno.EOPNOTSUPP,
        0,
        QpCreateFlags.BLOCK_SELF_MCAST_LB,
        (o, word) -> {
          QpInitAttr attr = o.init().qpType(QpType.UD).createFlags((int) word);
          o.pd.createQp(attr).close();
        }),
    SEND_OPS(
        "QpInitAttr.sendOps(value)",
        Errno.EOPNOTSUPP,
        0,
        (SendOpsFlags.WITH_ATOMIC_WRITE << 1) - 1 & ~SendOpsFlags.WITH_TSO,
        (o, word) -> o.pd.createQp(o.init().sendOps(word)).close()),
    REGISTER(
        "ProtectionDomain.registerMemory(accessFlags)",
        Errno.EINVAL,
        AccessFlags.LOCAL_WRITE,
        MEMORY | AccessFlags.ZERO_BASED,
        (o, word) -> o.pd.registerMemory(o.arena.allocate(BYTES), (int) word).close()),
    REGISTER_AT(
        "ProtectionDomain.registerMemory(accessFlags)",
        Errno.EINVAL,
        AccessFlags.LOCAL_WRITE,
        MEMORY | AccessFlags.ZERO_BASED,
        (o, word) -> {
          MemorySegment memory = o.arena.allocate(BYTES, BYTES);
          o.pd.registerMemory(memory, memory.address(), (int) word).close();
        }),
    REGISTER_DEVICE_MEMORY(
        "ProtectionDomain.registerDeviceMemory(accessFlags)",
        Errno.EINVAL,
        AccessFlags.ZERO_BASED | AccessFlags.LOCAL_WRITE,
        REMOTE | AccessFlags.OPTIONAL_RANGE,
        (o, word) -> {
          try (DeviceMemory memory = o.context.allocDm(BYTES, 0)) {
            o.pd.registerDeviceMemory(memory, 0, BYTES, (int) word).close();
          }
        }),
    REREGISTER(
        "MemoryRegion.reregister(newAccessFlags)",
        Errno.EINVAL,
        AccessFlags.LOCAL_WRITE,
        MEMORY,
        (o, word) -> {
          try (MemoryRegion region = o.pd.registerMemory(o.arena.allocate(BYTES), 0)) {
            region.reregister(null, (int) word);
          }
        }),
    REREGISTER_ELSEWHERE(
        "MemoryRegion.reregister(newAccessFlags)",
        Errno.EINVAL,
        AccessFlags.LOCAL_WRITE,
        MEMORY,
        (o, word) -> {
          try (MemoryRegion region = o.pd.registerMemory(o.arena.allocate(BYTES), 0)) {
            region.reregister(o.arena.allocate(BYTES), null, (int) word);
          }
        }),
    ADVISE(
        "ProtectionDomain.adviseMr(flags)",
        Errno.EINVAL,
        0,
        Advice.FLUSH,
        (o, word) -> {
          Sge piece = new Sge(o.region.iova(), 1, o.region.lkey());
          o.pd.adviseMr(Advice.PREFETCH, (int) word, List.of(piece));
        }),
    MODIFY_QP(
        "QueuePair.modify(mask)",
        Errno.EOPNOTSUPP,
        TO_INIT,
        TO_INIT,
        (o, word) -> {
          try (QueuePair qp = o.pd.createQp(o.init())) {
            try {
              qp.modify(LiveObjects.toInit(), (int) word);
            } finally {
              assertEquals(word == TO_INIT ? QpState.INIT : QpState.RESET, qp.state());
            }
          }
        }),
    MODIFY_XRC_TARGET(
        "LegacyXrc.modifyXrcRcvQp(mask)",
        Errno.EOPNOTSUPP,
        TO_INIT,
        OF_SENDERS,
        (o, word) -> {
          LegacyXrc legacy = new LegacyXrc();
          try (XrcDomain domain = o.context.openXrcd(new XrcdInitAttr())) {
            int number = legacy.createXrcRcvQp(new QpInitAttr().xrcd(domain));
            try {
              legacy.modifyXrcRcvQp(domain, number, LiveObjects.toInit(), (int) word);
            } finally {
              legacy.unregXrcRcvQp(domain, number);
            }
          }
        }),
    MODIFY_SRQ(
        "SharedReceiveQueue.modify(mask)",
        Errno.EINVAL,
        0,
        SrqAttrMask.MAX_WR | SrqAttrMask.LIMIT,
        (o, word) -> o.srq.modify(new SrqAttr(LiveObjects.DEPTH, 0, 1), (int) word));

    private final String name;
    private final Errno errno;
    private final long base;
    private final long known;
    private final Use use;

    /**
     * @param errno of a foreign bit
     * @param base with which the call succeeds
     * @param known bits that it takes beside those
     */
    Word(String name, Errno errno, long base, long known, Use use) {
      this.name = name;
      this.errno = errno;
      this.base = base;
      this.known = known;
      this.use = use;
    }

    /** Whether a bit has a meaning for which the call refuses it, with EINVAL. */
    private boolean meant(long bit) {
      return this == MODIFY_QP || this == MODIFY_XRC_TARGET
          ? bit < 1L << 21
          : base == AccessFlags.LOCAL_WRITE && bit == AccessFlags.ZERO_BASED;
    }
  }

  @AutoClose private final LiveObjects objects = live();

  @ParameterizedTest
  @EnumSource(Word.class)
  void aForeignBitIsRefusedAndAKnownOneIsTaken(Word word) {
    long all = word.base | word.known;
    int bits = word == Word.SEND_OPS ? Long.SIZE : Integer.SIZE;
    for (int i = 0; i < bits; i++) {
      long bit = 1L << i;
      if ((all & bit) != 0) {
        assertDoesNotThrow(() -> word.use.with(objects, word.base | bit), () -> "bit " + bit);
        continue;
      }
      Errno errno = word.meant(bit) ? Errno.EINVAL : word.errno;
      for (long beside : new long[] {word.base, all}) {
        refused(errno, () -> word.use.with(objects, beside | bit));
      }
    }
    assertDoesNotThrow(() -> word.use.with(objects, all));
    objects.works();
    objects.destroy(Context.class);
  }

  /** A device that knows none of the bits ignores them, whatever their values. */
  @ParameterizedTest
  @EnumSource(Free.class)
  void aForeignBitWithoutEffectIsNoFault(Free word) {
    for (int i = 0; i < Integer.SIZE; i++) {
      int bit = 1 << i;
      if ((bit & word.known) == 0) {
        assertDoesNotThrow(() -> word.use.with(objects, bit), () -> "bit " + bit);
      }
    }
    objects.works();
    objects.destroy(Context.class);
  }

  /** A word whose foreign bits no device looks at. */
  private enum Free {
    QP_ACCESS(
        0,
        (o, word) -> {
          try (QueuePair qp = o.pd.createQp(o.init())) {
            qp.modify(LiveObjects.toInit().qpAccessFlags((int) word));
          }
        }),
    QUERY_QP(0, (o, word) -> o.qp.query((int) word)),
    DATA_IN_ORDER(0, (o, word) -> o.qp.queryDataInOrder(WrOpcode.RDMA_WRITE, (int) word)),
    SEND(
        SendFlags.INLINE,
        (o, word) -> {
          o.write(1);
          o.sends.flags((int) word | SendFlags.SIGNALED);
          assertEquals(0, o.qp.postSend(o.sends));
          assertTrue(o.completed() > 0);
        });

    private final int known;
    private final Use use;

    Free(int known, Use use) {
      this.known = known;
      this.use = use;
    }
  }

  /** The request says that it fails: {@code ibv_bind_mw} posts. */
  @Test
  void aForeignRightOfAWindowFailsItsRequest() {
    for (int i = 0; i < Integer.SIZE; i++) {
      int right = 1 << i;
      if ((right & REMOTE) == 0 && right != AccessFlags.ZERO_BASED) {
        try (LiveObjects each = live();
            WorkCompletions completion = new WorkCompletions(1)) {
          bind(each, REMOTE | right);
          while (each.cq.poll(completion) == 1 && completion.status(0) == WcStatus.SUCCESS) {}
          assertEquals(WcStatus.MW_BIND_ERR, completion.status(0), () -> "right " + right);
        }
      }
    }
    refused(Errno.EINVAL, () -> bind(objects, REMOTE | AccessFlags.ZERO_BASED));
    bind(objects, REMOTE);
    objects.works();
  }

  private static void bind(LiveObjects objects, int rights) {
    MemoryWindow window = objects.pd.allocMemoryWindow(MwType.TYPE_1);
    objects.qp.bindMemoryWindow(
        window, 1, SendFlags.SIGNALED, objects.region, objects.region.iova(), 8, rights);
    objects.settle(objects.qp);
  }

  // ---- every word has its place above

  @Test
  void everySetOfFlagsIsInATable() {
    Set<String> known = new TreeSet<>(TOLD);
    known.addAll(FOREIGN_BITS_HAVE_NO_EFFECT);
    known.addAll(WITHOUT_EMULATION);
    known.addAll(FAIL_THEIR_REQUEST);
    Arrays.stream(Word.values()).forEach(word -> known.add(word.name));
    assertEquals(lines(known), lines(words()));
  }

  private static String lines(Set<String> words) {
    return String.join("\n", words);
  }

  private static Set<String> words() {
    return new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(Verbs.class.getPackageName())
            .stream()
            .map(JavaClass::reflect)
            .filter(type -> Modifier.isPublic(type.getModifiers()))
            .flatMap(
                type ->
                    Stream.<Executable>concat(
                        Arrays.stream(type.getDeclaredMethods()),
                        Arrays.stream(type.getDeclaredConstructors())))
            .filter(call -> Modifier.isPublic(call.getModifiers()) && !call.isSynthetic())
            .filter(call -> !Modifier.isStatic(call.getModifiers()))
            .flatMap(FlagWordsTest::words)
            .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Stream<String> words(Executable call) {
    String name = call.getName().replaceAll(".*[.]", "");
    boolean setter = call.getParameterCount() == 1 && NAME.matcher(name).matches();
    return Arrays.stream(call.getParameters())
        .filter(each -> each.getType() == int.class || each.getType() == long.class)
        .filter(each -> setter || NAME.matcher(each.getName()).matches())
        .map(
            each ->
                call.getDeclaringClass().getSimpleName() + "." + name + "(" + each.getName() + ")");
  }
}
