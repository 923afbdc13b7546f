package org.roce4j.hardware.bindings;

import java.lang.foreign.MemorySegment;
import org.roce4j.hardware.bindings.Structures.IbvAhAttr;
import org.roce4j.hardware.bindings.Structures.IbvQpAttr;
import org.roce4j.hardware.bindings.Structures.IbvQpCap;
import org.roce4j.hardware.bindings.Structures.IbvQpInitAttr;
import org.roce4j.hardware.bindings.Structures.IbvQpInitAttrEx;
import org.roce4j.hardware.bindings.Structures.IbvSrqAttr;
import org.roce4j.hardware.bindings.Structures.IbvSrqInitAttr;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.MigState;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SrqAttr;

/** Structures about queue pairs, shared receive queues and addresses: from and to the API's. */
public final class QueueStructures {
  /** {@code IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_CREATE_FLAGS}. */
  private static final int WITH_PD_AND_CREATE_FLAGS = 1 | 1 << 2;

  /** {@code IBV_QP_INIT_ATTR_SEND_OPS_FLAGS}. */
  private static final int WITH_SEND_OPS = 1 << 6;

  private QueueStructures() {}

  /** A {@code union ibv_gid}. */
  public static MemorySegment gid(Frame frame, Gid gid) {
    MemorySegment structure = frame.structure(16);
    Memory.gid(structure, 0, gid);
    return structure;
  }

  /** {@link Structures.IbvAhAttr}. */
  public static MemorySegment addressVector(Frame frame, AhAttr attr) {
    MemorySegment structure = frame.structure(IbvAhAttr.SIZE);
    addressVector(structure, 0, attr);
    return structure;
  }

  static void addressVector(MemorySegment s, long at, AhAttr attr) {
    if (attr.isGlobal()) {
      GlobalRoute route = RequiredArgument.check(attr.grh(), "grh");
      Memory.gid(s, at + IbvAhAttr.DGID, RequiredArgument.check(route.dgid(), "dgid"));
      Memory.i32(s, at + IbvAhAttr.FLOW_LABEL, route.flowLabel());
      Memory.u8(s, at + IbvAhAttr.SGID_INDEX, route.sgidIndex());
      Memory.u8(s, at + IbvAhAttr.HOP_LIMIT, route.hopLimit());
      Memory.u8(s, at + IbvAhAttr.TRAFFIC_CLASS, route.trafficClass());
      Memory.u8(s, at + IbvAhAttr.IS_GLOBAL, 1);
    }
    Memory.u16(s, at + IbvAhAttr.DLID, attr.dlid());
    Memory.u8(s, at + IbvAhAttr.SL, attr.serviceLevel());
    Memory.u8(s, at + IbvAhAttr.SRC_PATH_BITS, attr.sourcePathBits());
    Memory.u8(s, at + IbvAhAttr.STATIC_RATE, attr.staticRate());
    Memory.u8(s, at + IbvAhAttr.PORT_NUM, attr.portNum());
  }

  static AhAttr addressVector(MemorySegment s, long at) {
    boolean global = Memory.u8(s, at + IbvAhAttr.IS_GLOBAL) != 0;
    GlobalRoute route =
        new GlobalRoute(
            Memory.gid(s, at + IbvAhAttr.DGID),
            Memory.i32(s, at + IbvAhAttr.FLOW_LABEL),
            Memory.u8(s, at + IbvAhAttr.SGID_INDEX),
            Memory.u8(s, at + IbvAhAttr.HOP_LIMIT),
            Memory.u8(s, at + IbvAhAttr.TRAFFIC_CLASS));
    return new AhAttr(
        global,
        global ? route : null,
        Memory.u16(s, at + IbvAhAttr.DLID),
        Memory.u8(s, at + IbvAhAttr.SL),
        Memory.u8(s, at + IbvAhAttr.SRC_PATH_BITS),
        Memory.u8(s, at + IbvAhAttr.STATIC_RATE),
        Memory.u8(s, at + IbvAhAttr.PORT_NUM));
  }

  /**
   * {@link Structures.IbvQpInitAttrEx}, whose beginning is {@link Structures.IbvQpInitAttr}.
   *
   * @param srq address of the shared receive queue, or 0
   */
  public static MemorySegment queuePair(
      Frame frame, QpInitAttr attr, long pd, long sendCq, long recvCq, long srq) {
    MemorySegment s = frame.structure(IbvQpInitAttrEx.SIZE);
    Memory.i64(s, IbvQpInitAttr.SEND_CQ, sendCq);
    Memory.i64(s, IbvQpInitAttr.RECV_CQ, recvCq);
    Memory.i64(s, IbvQpInitAttr.SRQ, srq);
    capabilities(s, IbvQpInitAttr.CAP, attr.cap());
    Memory.i32(s, IbvQpInitAttr.QP_TYPE, attr.qpType().value());
    Memory.i32(s, IbvQpInitAttr.SQ_SIG_ALL, attr.sqSigAll() ? 1 : 0);
    Memory.i32(s, IbvQpInitAttrEx.COMP_MASK, WITH_PD_AND_CREATE_FLAGS);
    Memory.i64(s, IbvQpInitAttrEx.PD, pd);
    Memory.i32(s, IbvQpInitAttrEx.CREATE_FLAGS, attr.createFlags());
    Memory.i32(s, IbvQpInitAttrEx.SOURCE_QPN, attr.sourceQpn());
    if (attr.sendOps() != 0) {
      Memory.i32(s, IbvQpInitAttrEx.COMP_MASK, WITH_PD_AND_CREATE_FLAGS | WITH_SEND_OPS);
      Memory.i64(s, IbvQpInitAttrEx.SEND_OPS_FLAGS, attr.sendOps());
    }
    return s;
  }

  /** The capabilities in {@link Structures.IbvQpInitAttr}. */
  public static QpCapabilities granted(MemorySegment initAttr) {
    return capabilities(initAttr, IbvQpInitAttr.CAP);
  }

  private static void capabilities(MemorySegment s, long at, QpCapabilities cap) {
    Memory.i32(s, at + IbvQpCap.MAX_SEND_WR, cap.maxSendWr());
    Memory.i32(s, at + IbvQpCap.MAX_RECV_WR, cap.maxRecvWr());
    Memory.i32(s, at + IbvQpCap.MAX_SEND_SGE, cap.maxSendSge());
    Memory.i32(s, at + IbvQpCap.MAX_RECV_SGE, cap.maxRecvSge());
    Memory.i32(s, at + IbvQpCap.MAX_INLINE_DATA, cap.maxInlineData());
  }

  private static QpCapabilities capabilities(MemorySegment s, long at) {
    return new QpCapabilities(
        Memory.i32(s, at + IbvQpCap.MAX_SEND_WR),
        Memory.i32(s, at + IbvQpCap.MAX_RECV_WR),
        Memory.i32(s, at + IbvQpCap.MAX_SEND_SGE),
        Memory.i32(s, at + IbvQpCap.MAX_RECV_SGE),
        Memory.i32(s, at + IbvQpCap.MAX_INLINE_DATA));
  }

  /** {@link Structures.IbvQpAttr}; attributes that were not set are 0. */
  public static MemorySegment attributes(Frame frame, QpAttr attr) {
    MemorySegment s = frame.structure(IbvQpAttr.SIZE);
    if (attr.qpState() != null) {
      Memory.i32(s, IbvQpAttr.QP_STATE, attr.qpState().value());
    }
    if (attr.curQpState() != null) {
      Memory.i32(s, IbvQpAttr.CUR_QP_STATE, attr.curQpState().value());
    }
    if (attr.pathMtu() != null) {
      Memory.i32(s, IbvQpAttr.PATH_MTU, attr.pathMtu().value());
    }
    if (attr.pathMigState() != null) {
      Memory.i32(s, IbvQpAttr.PATH_MIG_STATE, attr.pathMigState().value());
    }
    if (attr.cap() != null) {
      capabilities(s, IbvQpAttr.CAP, attr.cap());
    }
    if (attr.ahAttr() != null) {
      addressVector(s, IbvQpAttr.AH_ATTR, attr.ahAttr());
    }
    if (attr.altAhAttr() != null) {
      addressVector(s, IbvQpAttr.ALT_AH_ATTR, attr.altAhAttr());
    }
    numbers(s, attr);
    return s;
  }

  private static void numbers(MemorySegment s, QpAttr attr) {
    Memory.u16(s, IbvQpAttr.ALT_PKEY_INDEX, attr.altPkeyIndex());
    Memory.u8(s, IbvQpAttr.ALT_PORT_NUM, attr.altPortNum());
    Memory.u8(s, IbvQpAttr.ALT_TIMEOUT, attr.altTimeout());
    Memory.i32(s, IbvQpAttr.RATE_LIMIT, attr.rateLimit());
    Memory.i32(s, IbvQpAttr.QKEY, attr.qkey());
    Memory.i32(s, IbvQpAttr.RQ_PSN, attr.rqPsn());
    Memory.i32(s, IbvQpAttr.SQ_PSN, attr.sqPsn());
    Memory.i32(s, IbvQpAttr.DEST_QP_NUM, attr.destQpNum());
    Memory.i32(s, IbvQpAttr.QP_ACCESS_FLAGS, attr.qpAccessFlags());
    Memory.u16(s, IbvQpAttr.PKEY_INDEX, attr.pkeyIndex());
    Memory.u8(s, IbvQpAttr.EN_SQD_ASYNC_NOTIFY, attr.enSqdAsyncNotify() ? 1 : 0);
    Memory.u8(s, IbvQpAttr.MAX_RD_ATOMIC, attr.maxRdAtomic());
    Memory.u8(s, IbvQpAttr.MAX_DEST_RD_ATOMIC, attr.maxDestRdAtomic());
    Memory.u8(s, IbvQpAttr.MIN_RNR_TIMER, attr.minRnrTimer());
    Memory.u8(s, IbvQpAttr.PORT_NUM, attr.portNum());
    Memory.u8(s, IbvQpAttr.TIMEOUT, attr.timeout());
    Memory.u8(s, IbvQpAttr.RETRY_CNT, attr.retryCnt());
    Memory.u8(s, IbvQpAttr.RNR_RETRY, attr.rnrRetry());
  }

  /** The state in {@link Structures.IbvQpAttr}. */
  public static QpState state(MemorySegment s) {
    return QpState.of(Memory.i32(s, IbvQpAttr.QP_STATE));
  }

  /** {@link Structures.IbvQpAttr} as a query fills it. */
  public static QpAttr attributes(MemorySegment s) {
    return new QpAttr()
        .qpState(state(s))
        .curQpState(QpState.of(Memory.i32(s, IbvQpAttr.CUR_QP_STATE)))
        .pathMtu(Mtu.of(Memory.i32(s, IbvQpAttr.PATH_MTU)))
        .pathMigState(MigState.of(Memory.i32(s, IbvQpAttr.PATH_MIG_STATE)))
        .cap(capabilities(s, IbvQpAttr.CAP))
        .ahAttr(addressVector(s, IbvQpAttr.AH_ATTR))
        .altAhAttr(addressVector(s, IbvQpAttr.ALT_AH_ATTR))
        .qkey(Memory.i32(s, IbvQpAttr.QKEY))
        .rqPsn(Memory.i32(s, IbvQpAttr.RQ_PSN))
        .sqPsn(Memory.i32(s, IbvQpAttr.SQ_PSN))
        .destQpNum(Memory.i32(s, IbvQpAttr.DEST_QP_NUM))
        .qpAccessFlags(Memory.i32(s, IbvQpAttr.QP_ACCESS_FLAGS))
        .pkeyIndex(Memory.u16(s, IbvQpAttr.PKEY_INDEX))
        .enSqdAsyncNotify(Memory.u8(s, IbvQpAttr.EN_SQD_ASYNC_NOTIFY) != 0)
        .sqDraining(Memory.u8(s, IbvQpAttr.SQ_DRAINING) != 0)
        .maxRdAtomic(Memory.u8(s, IbvQpAttr.MAX_RD_ATOMIC))
        .maxDestRdAtomic(Memory.u8(s, IbvQpAttr.MAX_DEST_RD_ATOMIC))
        .minRnrTimer(Memory.u8(s, IbvQpAttr.MIN_RNR_TIMER))
        .portNum(Memory.u8(s, IbvQpAttr.PORT_NUM))
        .timeout(Memory.u8(s, IbvQpAttr.TIMEOUT))
        .retryCnt(Memory.u8(s, IbvQpAttr.RETRY_CNT))
        .rnrRetry(Memory.u8(s, IbvQpAttr.RNR_RETRY))
        .altPkeyIndex(Memory.u16(s, IbvQpAttr.ALT_PKEY_INDEX))
        .altPortNum(Memory.u8(s, IbvQpAttr.ALT_PORT_NUM))
        .altTimeout(Memory.u8(s, IbvQpAttr.ALT_TIMEOUT))
        .rateLimit(Memory.i32(s, IbvQpAttr.RATE_LIMIT));
  }

  /** {@link Structures.IbvSrqInitAttr}. */
  public static MemorySegment sharedReceiveQueue(Frame frame, SrqAttr attr) {
    MemorySegment s = frame.structure(IbvSrqInitAttr.SIZE);
    sharedReceiveQueue(s, IbvSrqInitAttr.ATTR, attr);
    return s;
  }

  /** {@link Structures.IbvSrqAttr}. */
  public static MemorySegment sharedReceiveQueueAttr(Frame frame, SrqAttr attr) {
    MemorySegment s = frame.structure(IbvSrqAttr.SIZE);
    sharedReceiveQueue(s, 0, attr);
    return s;
  }

  private static void sharedReceiveQueue(MemorySegment s, long at, SrqAttr attr) {
    Memory.i32(s, at + IbvSrqAttr.MAX_WR, attr.maxWr());
    Memory.i32(s, at + IbvSrqAttr.MAX_SGE, attr.maxSge());
    Memory.i32(s, at + IbvSrqAttr.SRQ_LIMIT, attr.limit());
  }

  /** {@link Structures.IbvSrqAttr}. */
  public static SrqAttr sharedReceiveQueueAttr(MemorySegment s) {
    return new SrqAttr(
        Memory.i32(s, IbvSrqAttr.MAX_WR),
        Memory.i32(s, IbvSrqAttr.MAX_SGE),
        Memory.i32(s, IbvSrqAttr.SRQ_LIMIT));
  }
}
