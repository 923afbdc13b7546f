package org.roce4j.hardware.bindings;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvAllocDmAttr;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvDm;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvParentDomainInitAttr;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvTdInitAttr;
import org.roce4j.hardware.bindings.Structures.VerbsContext;
import org.roce4j.verbs.Sge;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * Device memory, null regions, advice, thread and parent domains: functions of {@code struct
 * verbs_context} and of {@code struct ibv_dm}.
 */
public final class MemoryExtensions {
  private final long context;
  private final Optional<NativeFunction> allocDm;
  private final Optional<NativeFunction> freeDm;
  private final Optional<NativeFunction> regDmMr;
  private final Optional<NativeFunction> allocNullMr;
  private final Optional<NativeFunction> adviseMr;
  private final Optional<NativeFunction> allocTd;
  private final Optional<NativeFunction> deallocTd;
  private final Optional<NativeFunction> allocParentDomain;

  /**
   * Reads the function pointers.
   *
   * @param context address of a {@code struct ibv_context}
   */
  public MemoryExtensions(long context) {
    this.context = context;
    allocDm = value(VerbsContext.ALLOC_DM, 2);
    freeDm = status(VerbsContext.FREE_DM, 1);
    regDmMr = value(VerbsContext.REG_DM_MR, 5);
    allocNullMr = value(VerbsContext.ALLOC_NULL_MR, 1);
    adviseMr = status(VerbsContext.ADVISE_MR, 5);
    allocTd = value(VerbsContext.ALLOC_TD, 2);
    deallocTd = status(VerbsContext.DEALLOC_TD, 1);
    allocParentDomain = value(VerbsContext.ALLOC_PARENT_DOMAIN, 2);
  }

  private Optional<NativeFunction> value(int field, int arguments) {
    return ContextExtensions.pointer(context, field)
        .map(function -> NativeFunction.ofValue(function, arguments));
  }

  private Optional<NativeFunction> status(int field, int arguments) {
    return ContextExtensions.pointer(context, field)
        .map(function -> NativeFunction.ofStatus(function, arguments));
  }

  /** {@code ibv_alloc_dm}. */
  public long allocDm(Frame frame, long length, int logAlignReq) {
    NativeFunction function = LaterFunctions.present("ibv_alloc_dm", allocDm);
    MemorySegment attr = frame.structure(IbvAllocDmAttr.SIZE);
    Memory.i64(attr, IbvAllocDmAttr.LENGTH, length);
    Memory.i32(attr, IbvAllocDmAttr.LOG_ALIGN_REQ, logAlignReq);
    return LaterFunctions.made(
        "ibv_alloc_dm", function.value(frame, context, attr.address()), frame);
  }

  /** {@code ibv_free_dm}: 0 or an errno. */
  public int freeDm(Frame frame, long dm) {
    return Libibverbs.errno(freeDm.orElseThrow().status(frame, dm), frame);
  }

  /** The kernel's number of device memory. */
  public static int dmHandle(long dm) {
    return Memory.i32(Memory.at(dm, IbvDm.SIZE), IbvDm.HANDLE);
  }

  /** Device memory just made belongs to the context. */
  public static void checkDm(long dm, long context) {
    long found = Memory.i64(Memory.at(dm, IbvDm.SIZE), IbvDm.CONTEXT);
    LayoutCheck.same("ibv_dm.context", context, found);
  }

  /** {@code ibv_memcpy_to_dm}: 0 or an errno. */
  public static int copyTo(Frame frame, long dm, long offset, MemorySegment from) {
    return Libibverbs.errno(
        NativeFunction.ofStatus(member(dm, IbvDm.MEMCPY_TO_DM), 4)
            .status(frame, dm, offset, from.address(), from.byteSize()),
        frame);
  }

  /** {@code ibv_memcpy_from_dm}: 0 or an errno. */
  public static int copyFrom(Frame frame, MemorySegment to, long dm, long offset) {
    return Libibverbs.errno(
        NativeFunction.ofStatus(member(dm, IbvDm.MEMCPY_FROM_DM), 4)
            .status(frame, to.address(), dm, offset, to.byteSize()),
        frame);
  }

  private static MemorySegment member(long dm, int field) {
    return MemorySegment.ofAddress(Memory.i64(Memory.at(dm, IbvDm.SIZE), field));
  }

  /** {@code ibv_reg_dm_mr}. */
  public long regDmMr(Frame frame, long pd, long dm, long offset, long length, int access) {
    NativeFunction function = LaterFunctions.present("ibv_reg_dm_mr", regDmMr);
    return LaterFunctions.made(
        "ibv_reg_dm_mr", function.value(frame, pd, dm, offset, length, access), frame);
  }

  /** {@code ibv_alloc_null_mr}. */
  public long allocNullMr(Frame frame, long pd) {
    NativeFunction function = LaterFunctions.present("ibv_alloc_null_mr", allocNullMr);
    return LaterFunctions.made("ibv_alloc_null_mr", function.value(frame, pd), frame);
  }

  /** {@code ibv_advise_mr}. */
  public void adviseMr(Frame frame, long pd, int advice, int flags, List<Sge> pieces) {
    NativeFunction function = LaterFunctions.present("ibv_advise_mr", adviseMr);
    int count = pieces.size();
    MemorySegment list = frame.structure(Math.max(1, count) * SgeLayout.SIZE);
    for (int i = 0; i < count; i++) {
      Sge piece = pieces.get(i);
      long at = (long) i * SgeLayout.SIZE;
      SgeLayout.addr(list, at, piece.address());
      SgeLayout.length(list, at, piece.length());
      SgeLayout.lkey(list, at, piece.lkey());
    }
    int result = function.status(frame, pd, advice, flags, list.address(), count);
    if (result != 0) {
      throw Refusal.of("ibv_advise_mr", Libibverbs.errno(result, frame));
    }
  }

  /** {@code ibv_alloc_td}. */
  public long allocTd(Frame frame) {
    NativeFunction function = LaterFunctions.present("ibv_alloc_td", allocTd);
    MemorySegment attr = frame.structure(IbvTdInitAttr.SIZE);
    return LaterFunctions.made(
        "ibv_alloc_td", function.value(frame, context, attr.address()), frame);
  }

  /** {@code ibv_dealloc_td}: 0 or an errno. */
  public int deallocTd(Frame frame, long td) {
    return Libibverbs.errno(deallocTd.orElseThrow().status(frame, td), frame);
  }

  /**
   * {@code ibv_alloc_parent_domain}.
   *
   * @param td address of the thread domain, or 0
   */
  public long allocParentDomain(Frame frame, long pd, long td) {
    NativeFunction function = LaterFunctions.present("ibv_alloc_parent_domain", allocParentDomain);
    MemorySegment attr = frame.structure(IbvParentDomainInitAttr.SIZE);
    Memory.i64(attr, IbvParentDomainInitAttr.PD, pd);
    Memory.i64(attr, IbvParentDomainInitAttr.TD, td);
    return LaterFunctions.made(
        "ibv_alloc_parent_domain", function.value(frame, context, attr.address()), frame);
  }
}
