package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvCqInitAttrEx;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvDm;
import org.roce4j.hardware.bindings.LibraryInJava;
import org.roce4j.hardware.bindings.Structures.IbvAh;
import org.roce4j.hardware.bindings.Structures.IbvContext;
import org.roce4j.hardware.bindings.Structures.IbvCq;
import org.roce4j.hardware.bindings.Structures.IbvMw;
import org.roce4j.hardware.bindings.Structures.IbvPd;
import org.roce4j.hardware.bindings.Structures.IbvPortAttr;
import org.roce4j.hardware.bindings.Structures.IbvQp;
import org.roce4j.hardware.bindings.Structures.IbvQpInitAttr;
import org.roce4j.hardware.bindings.Structures.IbvQpInitAttrEx;
import org.roce4j.hardware.bindings.Structures.IbvSrq;
import org.roce4j.hardware.bindings.Structures.IbvSrqInitAttrEx;
import org.roce4j.hardware.bindings.Structures.VerbsContext;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
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
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** A library and a driver with every verb, and an object of each kind. */
abstract class WholeDriverFixture extends LibraryFixture {
  static final int TABLE_LENGTH = 3;
  static final int DM_BYTES = 64;

  final byte[] stored = new byte[DM_BYTES];

  ProtectionDomain pd;
  CompletionChannel channel;
  CompletionQueue cq;
  SharedReceiveQueue srq;
  XrcDomain xrcd;
  DeviceMemory dm;
  MemoryRegion region;
  MemoryWindow window;

  @Override
  Map<Integer, String> later() {
    Map<Integer, String> fields = new HashMap<>();
    VERBS.forEach((name, field) -> fields.put(field, name));
    DATA_PATH.forEach((name, field) -> fields.put(VerbsContext.CONTEXT + field, name));
    makesWhatLaterVerbsMake();
    c.does("memcpy_to_dm", a -> copied(LibraryInJava.at(a[2], a[3]), (int) a[1], true));
    c.does("memcpy_from_dm", a -> copied(LibraryInJava.at(a[0], a[3]), (int) a[2], false));
    c.does("ibv_query_port", a -> portOf(a[2]));
    return fields;
  }

  private static final Map<String, Integer> VERBS =
      Map.ofEntries(
          Map.entry("query_port", VerbsContext.QUERY_PORT),
          Map.entry("advise_mr", VerbsContext.ADVISE_MR),
          Map.entry("alloc_null_mr", VerbsContext.ALLOC_NULL_MR),
          Map.entry("reg_dm_mr", VerbsContext.REG_DM_MR),
          Map.entry("alloc_dm", VerbsContext.ALLOC_DM),
          Map.entry("free_dm", VerbsContext.FREE_DM),
          Map.entry("modify_cq", VerbsContext.MODIFY_CQ),
          Map.entry("modify_qp_rate_limit", VerbsContext.MODIFY_QP_RATE_LIMIT),
          Map.entry("alloc_parent_domain", VerbsContext.ALLOC_PARENT_DOMAIN),
          Map.entry("dealloc_td", VerbsContext.DEALLOC_TD),
          Map.entry("alloc_td", VerbsContext.ALLOC_TD),
          Map.entry("open_qp", VerbsContext.OPEN_QP),
          Map.entry("get_srq_num", VerbsContext.GET_SRQ_NUM),
          Map.entry("create_srq_ex", VerbsContext.CREATE_SRQ_EX),
          Map.entry("open_xrcd", VerbsContext.OPEN_XRCD),
          Map.entry("close_xrcd", VerbsContext.CLOSE_XRCD),
          Map.entry("create_qp_ex", VerbsContext.CREATE_QP_EX),
          Map.entry("create_cq_ex", VerbsContext.CREATE_CQ_EX));

  static final Map<String, Integer> DATA_PATH =
      Map.of(
          "alloc_mw", IbvContext.ALLOC_MW,
          "dealloc_mw", IbvContext.DEALLOC_MW,
          "bind_mw", IbvContext.BIND_MW,
          "req_notify_cq", IbvContext.REQ_NOTIFY_CQ,
          "post_srq_recv", IbvContext.POST_SRQ_RECV,
          "post_send", IbvContext.POST_SEND,
          "post_recv", IbvContext.POST_RECV);

  private void makesWhatLaterVerbsMake() {
    for (String ofContext :
        new String[] {
          "alloc_td", "alloc_parent_domain", "open_xrcd", "ibv_import_pd",
        }) {
      c.does(ofContext, a -> c.structure(a[0]).address());
    }
    for (String ofDomain :
        new String[] {"alloc_null_mr", "reg_dm_mr", "ibv_reg_dmabuf_mr", "ibv_import_mr"}) {
      c.does(ofDomain, a -> region(a[0]));
    }
    c.does("alloc_dm", a -> deviceMemory(a[0]));
    c.does("ibv_import_dm", a -> deviceMemory(a[0]));
    c.does("alloc_mw", a -> window(a[0], (int) a[1]));
    c.does("ibv_create_ah", a -> addressHandle(a[0]));
    c.does("create_srq_ex", a -> receiveQueue(a[0], a[1]));
    c.does("create_qp_ex", a -> extended(a[0], LibraryInJava.at(a[1], IbvQpInitAttrEx.SIZE)));
    c.does("open_qp", a -> target(a[0]));
    c.does("create_cq_ex", a -> extendedQueue(a[0], a[1]));
  }

  private static long contextOf(long pd) {
    return LibraryInJava.at(pd, IbvPd.SIZE).get(JAVA_LONG, IbvPd.CONTEXT);
  }

  private long region(long ofPd) {
    MemorySegment made = c.structure(contextOf(ofPd));
    LibraryInJava.keys(made.address(), 11, 12);
    return made.address();
  }

  private long deviceMemory(long owner) {
    MemorySegment made = c.structure(owner);
    made.set(ADDRESS, IbvDm.MEMCPY_TO_DM, c.pointer("memcpy_to_dm"));
    made.set(ADDRESS, IbvDm.MEMCPY_FROM_DM, c.pointer("memcpy_from_dm"));
    return made.address();
  }

  private long copied(MemorySegment host, int offset, boolean in) {
    MemorySegment device = MemorySegment.ofArray(stored).asSlice(offset, host.byteSize());
    (in ? device : host).copyFrom(in ? host : device);
    return 0;
  }

  private long window(long ofPd, int type) {
    MemorySegment made = c.structure(contextOf(ofPd));
    made.set(JAVA_LONG, IbvMw.PD, ofPd);
    made.set(JAVA_INT, IbvMw.TYPE, type);
    return made.address();
  }

  private long addressHandle(long ofPd) {
    MemorySegment made = c.structure(contextOf(ofPd));
    made.set(JAVA_LONG, IbvAh.PD, ofPd);
    return made.address();
  }

  private long receiveQueue(long owner, long attr) {
    MemorySegment made = c.structure(owner);
    MemorySegment asked = LibraryInJava.at(attr, IbvSrqInitAttrEx.SIZE);
    made.set(JAVA_LONG, IbvSrq.PD, asked.get(JAVA_LONG, IbvSrqInitAttrEx.PD));
    return made.address();
  }

  private long extended(long owner, MemorySegment asked) {
    MemorySegment made = c.structure(owner);
    made.set(JAVA_LONG, IbvQp.PD, asked.get(JAVA_LONG, IbvQpInitAttrEx.PD));
    made.set(JAVA_LONG, IbvQp.SEND_CQ, asked.get(JAVA_LONG, IbvQpInitAttr.SEND_CQ));
    made.set(JAVA_LONG, IbvQp.RECV_CQ, asked.get(JAVA_LONG, IbvQpInitAttr.RECV_CQ));
    made.set(JAVA_LONG, IbvQp.SRQ, asked.get(JAVA_LONG, IbvQpInitAttr.SRQ));
    made.set(JAVA_INT, IbvQp.QP_TYPE, asked.get(JAVA_INT, IbvQpInitAttr.QP_TYPE));
    return made.address();
  }

  private long target(long owner) {
    MemorySegment made = c.structure(owner);
    made.set(JAVA_INT, IbvQp.QP_TYPE, QpType.XRC_RECV.value());
    return made.address();
  }

  private long extendedQueue(long owner, long attr) {
    MemorySegment asked = LibraryInJava.at(attr, IbvCqInitAttrEx.SIZE);
    MemorySegment made = arena.allocate(512, 8);
    made.set(JAVA_LONG, IbvCq.CONTEXT, owner);
    made.set(JAVA_LONG, IbvCq.CHANNEL, asked.get(JAVA_LONG, IbvCqInitAttrEx.CHANNEL));
    made.set(JAVA_INT, IbvCq.CQE, asked.get(JAVA_INT, IbvCqInitAttrEx.CQE));
    return made.address();
  }

  private static long portOf(long attr) {
    MemorySegment port = LibraryInJava.at(attr, IbvPortAttr.SIZE);
    port.set(JAVA_INT, IbvPortAttr.GID_TBL_LEN, TABLE_LENGTH);
    port.set(JAVA_SHORT, IbvPortAttr.PKEY_TBL_LEN, (short) TABLE_LENGTH);
    return 0;
  }

  @BeforeEach
  void makeOneOfEach() {
    c.does("query_port", a -> portOf(a[2]));
    pd = context.allocPd();
    channel = context.createCompletionChannel();
    cq = context.createCq(1, null, channel, 0);
    srq = pd.createSrq(new SrqInitAttr(4, 1));
    xrcd = context.openXrcd(new XrcdInitAttr());
    dm = context.allocDm(DM_BYTES, 0);
    region = pd.registerMemory(arena.allocate(64), 0);
    window = pd.allocMemoryWindow(MwType.TYPE_1);
  }

  final QpInitAttr initAttr(QpType type) {
    QpCapabilities cap = new QpCapabilities(1, 1, 1, 1, 0);
    return new QpInitAttr().qpType(type).cq(cq).pd(pd).xrcd(xrcd).cap(cap);
  }

  final QueuePair queuePair(QpType type) {
    return context.createQp(initAttr(type));
  }

  final SrqInitAttrEx receivesOfXrc() {
    return new SrqInitAttrEx().srqType(SrqType.XRC).pd(pd).xrcd(xrcd).cq(cq).maxWr(4);
  }
}
