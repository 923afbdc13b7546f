package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.hardware.LibraryRefusals.refused;

import java.io.IOException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvAllocDmAttr;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvCqInitAttrEx;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvEce;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvModifyCqAttr;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvParentDomainInitAttr;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvQpRateLimitAttr;
import org.roce4j.hardware.bindings.LibraryInJava;
import org.roce4j.hardware.bindings.Structures.IbvMwBind;
import org.roce4j.hardware.bindings.Structures.IbvQpOpenAttr;
import org.roce4j.hardware.bindings.Structures.IbvSrqAttr;
import org.roce4j.hardware.bindings.Structures.IbvSrqInitAttr;
import org.roce4j.hardware.bindings.Structures.IbvXrcdInitAttr;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CqCreateFlags;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.CqModeration;
import org.roce4j.verbs.Ece;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.ThreadDomain;
import org.roce4j.verbs.WcExFlags;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.XrcdInitAttr;

/**
 * Each argument of a verb reaches C: every argument has a number of its own, which is expected at
 * its place.
 */
@EnabledOnOs(OS.LINUX)
class EveryArgumentTest extends WholeDriverFixture {
  private static final int WRITE = AccessFlags.LOCAL_WRITE;

  /**
   * Where C finds a number. @param at the offset in the structure that the argument points
   * to @param width null if the argument itself is the number
   */
  private record Place(
      int argument, long at, MemoryLayout width, ToLongFunction<EveryArgumentTest> number) {
    long found(long[] arguments) {
      if (width == null) {
        return arguments[argument];
      }
      MemorySegment c = LibraryInJava.at(arguments[argument], at + width.byteSize());
      return width == JAVA_SHORT
          ? c.get(JAVA_SHORT, at)
          : width == JAVA_INT ? c.get(JAVA_INT, at) : c.get(JAVA_LONG, at);
    }
  }

  private static Place number(int argument, long number) {
    return new Place(argument, 0, null, test -> number);
  }

  private static Place object(int argument, ToLongFunction<EveryArgumentTest> object) {
    return new Place(argument, 0, null, object);
  }

  private static Place field(int argument, long at, MemoryLayout width, long number) {
    return new Place(argument, at, width, test -> number);
  }

  private static Place pointer(int argument, long at, ToLongFunction<EveryArgumentTest> object) {
    return new Place(argument, at, JAVA_LONG, object);
  }

  /** A verb, its function and the function's arguments. */
  enum Verb {
    REG_MR(
        "ibv_reg_mr_iova2",
        test -> test.pd.registerMemory(test.memory, 0x7000, WRITE),
        object(0, test -> address(test.pd)),
        object(1, test -> test.memory.address()),
        number(2, 64),
        number(3, 0x7000),
        number(4, WRITE)),
    REG_DM(
        "reg_dm_mr",
        test -> test.pd.registerDeviceMemory(test.dm, 8, 16, AccessFlags.ZERO_BASED),
        object(1, test -> address(test.dm)),
        number(2, 8),
        number(3, 16),
        number(4, AccessFlags.ZERO_BASED)),
    REG_DMABUF(
        "ibv_reg_dmabuf_mr",
        test -> test.pd.registerDmabuf(4096, 32, 0x9000, 7, WRITE),
        number(1, 4096),
        number(2, 32),
        number(3, 0x9000),
        number(4, 7),
        number(5, WRITE)),
    ALLOC_DM(
        "alloc_dm",
        test -> test.context.allocDm(77, 3),
        field(1, IbvAllocDmAttr.LENGTH, JAVA_LONG, 77),
        field(1, IbvAllocDmAttr.LOG_ALIGN_REQ, JAVA_INT, 3)),
    IMPORT_PD("ibv_import_pd", test -> test.context.importPd(-5), number(1, 0xFFFF_FFFBL)),
    IMPORT_DM("ibv_import_dm", test -> test.context.importDm(6), number(1, 6)),
    IMPORT_MR("ibv_import_mr", test -> test.pd.importMr(7), number(1, 7)),
    PARENT(
        "alloc_parent_domain",
        test -> test.context.allocParentDomain(new ParentDomainInitAttr(test.other, test.td)),
        pointer(1, IbvParentDomainInitAttr.PD, test -> address(test.other)),
        pointer(1, IbvParentDomainInitAttr.TD, test -> address(test.td))),
    CREATE_CQ(
        "ibv_create_cq",
        test -> test.context.createCq(9, null, test.channel, 0),
        number(1, 9),
        number(2, 0),
        object(3, test -> address(test.channel)),
        number(4, 0)),
    RESIZE_CQ("ibv_resize_cq", test -> test.cq.resize(11), number(1, 11)),
    MODIFY_CQ(
        "modify_cq",
        test -> test.cq.modify(new CqModeration(12, 0xFFFE)),
        field(1, IbvModifyCqAttr.ATTR_MASK, JAVA_INT, 1),
        field(1, IbvModifyCqAttr.CQ_COUNT, JAVA_SHORT, 12),
        field(1, IbvModifyCqAttr.CQ_PERIOD, JAVA_SHORT, -2)),
    CREATE_CQ_EX(
        "create_cq_ex",
        test ->
            test.context.createCqEx(
                new CqInitAttr()
                    .cqe(13)
                    .channel(test.channel)
                    .flags(CqCreateFlags.SINGLE_THREADED)
                    .wcFlags(WcExFlags.WITH_IMM)),
        field(1, IbvCqInitAttrEx.CQE, JAVA_INT, 13),
        pointer(1, IbvCqInitAttrEx.CHANNEL, test -> address(test.channel)),
        field(1, IbvCqInitAttrEx.WC_FLAGS, JAVA_LONG, WcExFlags.WITH_IMM),
        field(1, IbvCqInitAttrEx.COMP_MASK, JAVA_INT, 1),
        field(1, IbvCqInitAttrEx.FLAGS, JAVA_INT, CqCreateFlags.SINGLE_THREADED)),
    CREATE_SRQ(
        "ibv_create_srq",
        test -> test.pd.createSrq(new SrqInitAttr(14, 2)),
        field(1, IbvSrqInitAttr.ATTR + (long) IbvSrqAttr.MAX_WR, JAVA_INT, 14),
        field(1, IbvSrqInitAttr.ATTR + (long) IbvSrqAttr.MAX_SGE, JAVA_INT, 2)),
    MODIFY_SRQ(
        "ibv_modify_srq",
        test -> test.srq.modify(new SrqAttr(3, 1, 2), SrqAttrMask.LIMIT),
        field(1, IbvSrqAttr.SRQ_LIMIT, JAVA_INT, 2),
        number(2, SrqAttrMask.LIMIT)),
    OPEN_XRCD(
        "open_xrcd",
        test -> test.context.openXrcd(new XrcdInitAttr()),
        field(1, IbvXrcdInitAttr.FD, JAVA_INT, -1)),
    OPEN_QP(
        "open_qp",
        test -> test.context.openQp(new QpOpenAttr(15, test.xrcd)),
        field(1, IbvQpOpenAttr.QP_NUM, JAVA_INT, 15),
        pointer(1, IbvQpOpenAttr.XRCD, test -> address(test.xrcd)),
        field(1, IbvQpOpenAttr.QP_TYPE, JAVA_INT, QpType.XRC_RECV.value())),
    BIND(
        "bind_mw",
        test ->
            test.qp.bindMemoryWindow(
                test.window,
                16,
                SendFlags.SIGNALED,
                test.region,
                0x1000,
                17,
                AccessFlags.REMOTE_READ),
        object(0, test -> address(test.qp)),
        object(1, test -> address(test.window)),
        field(2, IbvMwBind.WR_ID, JAVA_LONG, 16),
        field(2, IbvMwBind.SEND_FLAGS, JAVA_INT, SendFlags.SIGNALED),
        pointer(2, IbvMwBind.MR, test -> address(test.region)),
        field(2, IbvMwBind.ADDR, JAVA_LONG, 0x1000),
        field(2, IbvMwBind.LENGTH, JAVA_LONG, 17),
        field(2, IbvMwBind.MW_ACCESS_FLAGS, JAVA_INT, AccessFlags.REMOTE_READ)),
    RATE_LIMIT(
        "modify_qp_rate_limit",
        test -> test.qp.modifyRateLimit(new QpRateLimitAttr(18, 19, 20)),
        field(1, IbvQpRateLimitAttr.RATE_LIMIT, JAVA_INT, 18),
        field(1, IbvQpRateLimitAttr.MAX_BURST_SZ, JAVA_INT, 19),
        field(1, IbvQpRateLimitAttr.TYPICAL_PKT_SZ, JAVA_SHORT, 20)),
    SET_ECE(
        "ibv_set_ece",
        test -> test.qp.setEce(new Ece(21, 22)),
        field(1, IbvEce.VENDOR_ID, JAVA_INT, 21),
        field(1, IbvEce.OPTIONS, JAVA_INT, 22)),
    DATA_IN_ORDER(
        "ibv_query_qp_data_in_order",
        test -> test.qp.queryDataInOrder(WrOpcode.RDMA_READ, 23),
        number(1, WrOpcode.RDMA_READ.value()),
        number(2, 23)),
    ATTACH(
        "ibv_attach_mcast",
        test -> test.datagrams.attachMulticast(GROUP),
        field(1, 8, JAVA_LONG, Long.reverseBytes(GROUP.low())),
        number(2, 0)),
    DETACH(
        "ibv_detach_mcast",
        test -> test.datagrams.detachMulticast(GROUP),
        field(1, 8, JAVA_LONG, Long.reverseBytes(GROUP.low())),
        number(2, 0));

    private final String function;
    private final Consumer<EveryArgumentTest> verb;
    private final List<Place> places;

    Verb(String function, Consumer<EveryArgumentTest> verb, Place... places) {
      this.function = function;
      this.verb = verb;
      this.places = List.of(places);
    }
  }

  private static final Gid GROUP = Gid.parse("239.1.2.3");

  private final MemorySegment memory = arena.allocate(64);
  private ProtectionDomain other;
  private ThreadDomain td;
  private QueuePair qp;
  private QueuePair datagrams;

  @BeforeEach
  void makeTheRest() {
    other = context.allocPd();
    td = context.allocTd();
    qp = queuePair(QpType.RC);
    datagrams = queuePair(QpType.UD);
  }

  @ParameterizedTest
  @EnumSource
  void reachesC(Verb verb) {
    LibraryInJava.Function before = c.now(verb.function);
    List<Long> found = new ArrayList<>();
    c.does(
        verb.function,
        arguments -> {
          verb.places.forEach(place -> found.add(place.found(arguments)));
          return before.call(arguments);
        });
    verb.verb.accept(this);
    assertEquals(verb.places.stream().map(place -> place.number.applyAsLong(this)).toList(), found);
  }

  /** A verb and an object that it takes. */
  enum Taken {
    TD(test -> test.td, Verb.PARENT),
    PD(test -> test.other, Verb.PARENT),
    DM(test -> test.dm, Verb.REG_DM),
    CHANNEL(test -> test.channel, Verb.CREATE_CQ),
    CHANNEL_EX(test -> test.channel, Verb.CREATE_CQ_EX),
    XRCD(test -> test.xrcd, Verb.OPEN_QP),
    WINDOW(test -> test.window, Verb.BIND),
    REGION(test -> test.region, Verb.BIND);

    private final Function<EveryArgumentTest, AutoCloseable> object;
    private final Verb verb;

    Taken(Function<EveryArgumentTest, AutoCloseable> object, Verb verb) {
      this.object = object;
      this.verb = verb;
    }
  }

  @ParameterizedTest
  @EnumSource
  void anObjectThatIsGoneReachesNoC(Taken taken) throws Exception {
    taken.object.apply(this).close();
    c.calls.clear();
    refused(Errno.EINVAL, () -> taken.verb.verb.accept(this));
    assertFalse(c.calls.contains(taken.verb.function), c.calls::toString);
  }

  /** A program started by this one would keep the domain alive. */
  @Test
  void theFileOfADomainIsNotInherited() throws Exception {
    List<String> told = new ArrayList<>();
    LibraryInJava.Function before = c.now("open_xrcd");
    c.does(
        "open_xrcd",
        a -> {
          long fd = field(1, IbvXrcdInitAttr.FD, JAVA_INT, 0).found(a);
          told.addAll(lines(Path.of("/proc/self/fdinfo/" + fd)));
          return before.call(a);
        });
    Path file = Files.createTempFile("xrcd", "");
    try {
      context.openXrcd(new XrcdInitAttr(file, 0)).close();
    } finally {
      Files.delete(file);
    }
    String flags = told.stream().filter(line -> line.startsWith("flags:")).findAny().orElseThrow();
    assertTrue((Integer.parseInt(flags.split("\\s+")[1], 8) & 0x80000) != 0, flags);
  }

  private static List<String> lines(Path file) {
    try {
      return Files.readAllLines(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
