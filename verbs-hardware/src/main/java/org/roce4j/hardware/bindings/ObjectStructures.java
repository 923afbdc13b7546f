package org.roce4j.hardware.bindings;

import java.lang.foreign.MemorySegment;
import org.roce4j.hardware.bindings.Structures.IbvAh;
import org.roce4j.hardware.bindings.Structures.IbvAsyncEvent;
import org.roce4j.hardware.bindings.Structures.IbvCompChannel;
import org.roce4j.hardware.bindings.Structures.IbvContext;
import org.roce4j.hardware.bindings.Structures.IbvCq;
import org.roce4j.hardware.bindings.Structures.IbvMr;
import org.roce4j.hardware.bindings.Structures.IbvMw;
import org.roce4j.hardware.bindings.Structures.IbvPd;
import org.roce4j.hardware.bindings.Structures.IbvQp;
import org.roce4j.hardware.bindings.Structures.IbvSrq;
import org.roce4j.verbs.QpType;

/**
 * Reads the structures of libibverbs' objects by their address. The {@code check} of a new object
 * compares the fields whose values are known; see {@link LayoutCheck}.
 */
public final class ObjectStructures {
  private ObjectStructures() {}

  private static int i32(long object, int field) {
    return Memory.i32(Memory.at(object, field + 4L), field);
  }

  private static long i64(long object, int field) {
    return Memory.i64(Memory.at(object, field + 8L), field);
  }

  private static void check(String field, long object, int offset, long expected) {
    LayoutCheck.same(field, expected, i64(object, offset));
  }

  // ---- struct ibv_context

  public static long device(long context) {
    return i64(context, IbvContext.DEVICE);
  }

  public static int cmdFd(long context) {
    return i32(context, IbvContext.CMD_FD);
  }

  public static int asyncFd(long context) {
    return i32(context, IbvContext.ASYNC_FD);
  }

  public static int completionVectors(long context) {
    return i32(context, IbvContext.NUM_COMP_VECTORS);
  }

  // ---- struct ibv_pd

  public static int pdHandle(long pd) {
    return i32(pd, IbvPd.HANDLE);
  }

  public static void checkPd(long pd, long context) {
    check("ibv_pd.context", pd, IbvPd.CONTEXT, context);
  }

  // ---- struct ibv_mr

  public static int mrHandle(long mr) {
    return i32(mr, IbvMr.HANDLE);
  }

  public static int lkey(long mr) {
    return i32(mr, IbvMr.LKEY);
  }

  public static int rkey(long mr) {
    return i32(mr, IbvMr.RKEY);
  }

  /** A region just made of memory that is not the program's. */
  public static void checkMr(long mr, long context) {
    check("ibv_mr.context", mr, IbvMr.CONTEXT, context);
  }

  public static void checkMr(long mr, long context, long pd, MemorySegment memory) {
    check("ibv_mr.context", mr, IbvMr.CONTEXT, context);
    check("ibv_mr.pd", mr, IbvMr.PD, pd);
    check("ibv_mr.addr", mr, IbvMr.ADDR, memory.address());
    check("ibv_mr.length", mr, IbvMr.LENGTH, memory.byteSize());
  }

  // ---- struct ibv_mw

  public static int mwHandle(long mw) {
    return i32(mw, IbvMw.HANDLE);
  }

  public static int mwRkey(long mw) {
    return i32(mw, IbvMw.RKEY);
  }

  public static void checkMw(long mw, long context, long pd, int type) {
    check("ibv_mw.context", mw, IbvMw.CONTEXT, context);
    check("ibv_mw.pd", mw, IbvMw.PD, pd);
    LayoutCheck.same("ibv_mw.type", type, i32(mw, IbvMw.TYPE));
  }

  // ---- struct ibv_comp_channel

  public static int channelFd(long channel) {
    return i32(channel, IbvCompChannel.FD);
  }

  public static void checkChannel(long channel, long context) {
    check("ibv_comp_channel.context", channel, IbvCompChannel.CONTEXT, context);
  }

  // ---- struct ibv_cq

  public static int cqHandle(long cq) {
    return i32(cq, IbvCq.HANDLE);
  }

  public static int cqe(long cq) {
    return i32(cq, IbvCq.CQE);
  }

  public static void checkCq(long cq, long context, long channel, int cqe) {
    check("ibv_cq.context", cq, IbvCq.CONTEXT, context);
    check("ibv_cq.channel", cq, IbvCq.CHANNEL, channel);
    int granted = cqe(cq);
    LayoutCheck.demand(
        granted >= cqe, "ibv_cq.cqe is " + granted + " where " + cqe + " were asked");
  }

  // ---- struct ibv_srq

  public static int srqHandle(long srq) {
    return i32(srq, IbvSrq.HANDLE);
  }

  public static void checkSrq(long srq, long context, long pd) {
    check("ibv_srq.context", srq, IbvSrq.CONTEXT, context);
    check("ibv_srq.pd", srq, IbvSrq.PD, pd);
  }

  // ---- struct ibv_qp

  public static int qpHandle(long qp) {
    return i32(qp, IbvQp.HANDLE);
  }

  public static int qpNum(long qp) {
    return i32(qp, IbvQp.QP_NUM);
  }

  /** Checks the fields that the attributes of the creation determine. */
  public static void checkQp(
      long qp, long context, long pd, long sendCq, long recvCq, long srq, int type) {
    check("ibv_qp.context", qp, IbvQp.CONTEXT, context);
    check("ibv_qp.pd", qp, IbvQp.PD, pd);
    check("ibv_qp.send_cq", qp, IbvQp.SEND_CQ, sendCq);
    check("ibv_qp.recv_cq", qp, IbvQp.RECV_CQ, recvCq);
    check("ibv_qp.srq", qp, IbvQp.SRQ, srq);
    LayoutCheck.same("ibv_qp.qp_type", type, i32(qp, IbvQp.QP_TYPE));
  }

  /** Checks the fields of an XRC_RECV queue pair, just made or opened. */
  public static void checkTarget(long qp, long context) {
    check("ibv_qp.context", qp, IbvQp.CONTEXT, context);
    int type = i32(qp, IbvQp.QP_TYPE);
    LayoutCheck.same("ibv_qp.qp_type", QpType.XRC_RECV.value(), type);
  }

  // ---- struct ibv_ah

  public static int ahHandle(long ah) {
    return i32(ah, IbvAh.HANDLE);
  }

  public static void checkAh(long ah, long context, long pd) {
    check("ibv_ah.context", ah, IbvAh.CONTEXT, context);
    check("ibv_ah.pd", ah, IbvAh.PD, pd);
  }

  // ---- struct ibv_async_event

  /** Memory for an event. */
  public static MemorySegment event(Frame frame) {
    return frame.structure(IbvAsyncEvent.SIZE);
  }

  /** An event as it was delivered, to acknowledge it. */
  public static MemorySegment event(Frame frame, long element, int type) {
    MemorySegment event = event(frame);
    Memory.i64(event, IbvAsyncEvent.ELEMENT, element);
    Memory.i32(event, IbvAsyncEvent.EVENT_TYPE, type);
    return event;
  }

  /** The object it concerns. */
  public static long eventElement(MemorySegment event) {
    return Memory.i64(event, IbvAsyncEvent.ELEMENT);
  }

  /** The port it concerns. */
  public static int eventPort(MemorySegment event) {
    return Memory.i32(event, IbvAsyncEvent.ELEMENT);
  }

  public static int eventType(MemorySegment event) {
    return Memory.i32(event, IbvAsyncEvent.EVENT_TYPE);
  }

  /** A pointer that a verb wrote. */
  public static long pointer(MemorySegment place) {
    return Memory.i64(place, 0);
  }
}
