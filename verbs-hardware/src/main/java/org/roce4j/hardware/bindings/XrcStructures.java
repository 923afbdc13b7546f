package org.roce4j.hardware.bindings;

import java.lang.foreign.MemorySegment;
import org.roce4j.hardware.bindings.Structures.IbvQpInitAttr;
import org.roce4j.hardware.bindings.Structures.IbvQpInitAttrEx;
import org.roce4j.hardware.bindings.Structures.IbvQpOpenAttr;
import org.roce4j.hardware.bindings.Structures.IbvSrqAttr;
import org.roce4j.hardware.bindings.Structures.IbvSrqInitAttrEx;
import org.roce4j.hardware.bindings.Structures.IbvXrcd;
import org.roce4j.hardware.bindings.Structures.IbvXrcdInitAttr;
import org.roce4j.verbs.QpOpenAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;

/** Structures about extended reliable connections: from the API's. */
public final class XrcStructures {
  /** {@code IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS}. */
  private static final int XRCD_FD_AND_OFLAGS = 1 | 1 << 1;

  /** {@code IBV_SRQ_INIT_ATTR_TYPE | _PD | _XRCD | _CQ}. */
  private static final int SRQ_TYPE_PD_XRCD_AND_CQ = 1 | 1 << 1 | 1 << 2 | 1 << 3;

  /** {@code IBV_QP_INIT_ATTR_XRCD}. */
  private static final int QP_XRCD = 1 << 1;

  /** {@code IBV_QP_OPEN_ATTR_NUM | _XRCD | _TYPE}. */
  private static final int OPEN_NUM_XRCD_AND_TYPE = 1 | 1 << 1 | 1 << 3;

  private XrcStructures() {}

  /**
   * {@link IbvXrcdInitAttr}.
   *
   * @param fd of the file that names the domain, or -1
   */
  public static MemorySegment domain(Frame frame, int fd, int oflags) {
    MemorySegment s = frame.structure(IbvXrcdInitAttr.SIZE);
    Memory.i32(s, IbvXrcdInitAttr.COMP_MASK, XRCD_FD_AND_OFLAGS);
    Memory.i32(s, IbvXrcdInitAttr.FD, fd);
    Memory.i32(s, IbvXrcdInitAttr.OFLAGS, oflags);
    return s;
  }

  /** The domain just made belongs to the context. */
  public static void checkDomain(long xrcd, long context) {
    long found = Memory.i64(Memory.at(xrcd, IbvXrcd.SIZE), IbvXrcd.CONTEXT);
    LayoutCheck.same("ibv_xrcd.context", context, found);
  }

  /** {@link IbvSrqInitAttrEx} of type XRC, from the addresses of its parts. */
  public static MemorySegment sharedReceiveQueue(
      Frame frame, SrqInitAttrEx attr, long pd, long xrcd, long cq) {
    MemorySegment s = frame.structure(IbvSrqInitAttrEx.SIZE);
    Memory.i32(s, IbvSrqInitAttrEx.ATTR + (long) IbvSrqAttr.MAX_WR, attr.maxWr());
    Memory.i32(s, IbvSrqInitAttrEx.ATTR + (long) IbvSrqAttr.MAX_SGE, attr.maxSge());
    Memory.i32(s, IbvSrqInitAttrEx.COMP_MASK, SRQ_TYPE_PD_XRCD_AND_CQ);
    Memory.i32(s, IbvSrqInitAttrEx.SRQ_TYPE, SrqType.XRC.value());
    Memory.i64(s, IbvSrqInitAttrEx.PD, pd);
    Memory.i64(s, IbvSrqInitAttrEx.XRCD, xrcd);
    Memory.i64(s, IbvSrqInitAttrEx.CQ, cq);
    return s;
  }

  /** {@link IbvQpInitAttrEx} of a target queue pair. */
  public static MemorySegment target(Frame frame, long xrcd) {
    MemorySegment s = frame.structure(IbvQpInitAttrEx.SIZE);
    Memory.i32(s, IbvQpInitAttr.QP_TYPE, QpType.XRC_RECV.value());
    Memory.i32(s, IbvQpInitAttrEx.COMP_MASK, QP_XRCD);
    Memory.i64(s, IbvQpInitAttrEx.XRCD, xrcd);
    return s;
  }

  /** {@link IbvQpOpenAttr}. */
  public static MemorySegment opening(Frame frame, QpOpenAttr attr, long xrcd) {
    MemorySegment s = frame.structure(IbvQpOpenAttr.SIZE);
    Memory.i32(s, IbvQpOpenAttr.COMP_MASK, OPEN_NUM_XRCD_AND_TYPE);
    Memory.i32(s, IbvQpOpenAttr.QP_NUM, attr.qpNum());
    Memory.i64(s, IbvQpOpenAttr.XRCD, xrcd);
    Memory.i32(s, IbvQpOpenAttr.QP_TYPE, attr.qpType().value());
    return s;
  }
}
