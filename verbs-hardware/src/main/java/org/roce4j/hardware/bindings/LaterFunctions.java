package org.roce4j.hardware.bindings;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.function.Function;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvEce;
import org.roce4j.verbs.Ece;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ForkStatus;

/**
 * Functions that libibverbs exports, and that releases of rdma-core which are otherwise new enough
 * may lack: a verb whose function is missing is refused with EOPNOTSUPP.
 */
public final class LaterFunctions {
  private final Optional<NativeFunction> forkInit;
  private final Optional<NativeFunction> getDeviceIndex;
  private final Optional<NativeFunction> isForkInitialized;
  private final Optional<NativeFunction> importDevice;
  private final Optional<NativeFunction> importPd;
  private final Optional<NativeFunction> unimportPd;
  private final Optional<NativeFunction> importMr;
  private final Optional<NativeFunction> unimportMr;
  private final Optional<NativeFunction> importDm;
  private final Optional<NativeFunction> unimportDm;
  private final Optional<NativeFunction> regDmabufMr;
  private final Optional<NativeFunction> queryEce;
  private final Optional<NativeFunction> setEce;
  private final Optional<NativeFunction> queryQpDataInOrder;
  private final Optional<NativeFunction> qpToQpEx;

  LaterFunctions(LibraryFunctions.Lookup lookup) {
    forkInit = lookup.function("ibv_fork_init", "IBVERBS_1.1").map(status(0));
    getDeviceIndex = lookup.function("ibv_get_device_index", "IBVERBS_1.9").map(status(1));
    isForkInitialized = lookup.function("ibv_is_fork_initialized", "IBVERBS_1.13").map(status(0));
    importDevice = lookup.function("ibv_import_device", "IBVERBS_1.10").map(value(1));
    importPd = lookup.function("ibv_import_pd", "IBVERBS_1.10").map(value(2));
    unimportPd = lookup.function("ibv_unimport_pd", "IBVERBS_1.10").map(nothing(1));
    importMr = lookup.function("ibv_import_mr", "IBVERBS_1.10").map(value(2));
    unimportMr = lookup.function("ibv_unimport_mr", "IBVERBS_1.10").map(nothing(1));
    importDm = lookup.function("ibv_import_dm", "IBVERBS_1.13").map(value(2));
    unimportDm = lookup.function("ibv_unimport_dm", "IBVERBS_1.13").map(nothing(1));
    regDmabufMr = lookup.function("ibv_reg_dmabuf_mr", "IBVERBS_1.12").map(value(6));
    queryEce = lookup.function("ibv_query_ece", "IBVERBS_1.10").map(status(2));
    setEce = lookup.function("ibv_set_ece", "IBVERBS_1.10").map(status(2));
    queryQpDataInOrder =
        lookup.function("ibv_query_qp_data_in_order", "IBVERBS_1.14").map(status(3));
    qpToQpEx = lookup.function("ibv_qp_to_qp_ex", "IBVERBS_1.6").map(value(1));
  }

  private static Function<MemorySegment, NativeFunction> status(int arguments) {
    return function -> NativeFunction.ofStatus(function, arguments);
  }

  private static Function<MemorySegment, NativeFunction> value(int arguments) {
    return function -> NativeFunction.ofValue(function, arguments);
  }

  private static Function<MemorySegment, NativeFunction> nothing(int arguments) {
    return function -> NativeFunction.ofNothing(function, arguments);
  }

  static NativeFunction present(String verb, Optional<NativeFunction> function) {
    return function.orElseThrow(() -> Refusal.of(verb, Errno.EOPNOTSUPP.number()));
  }

  static long made(String verb, long object, Frame frame) {
    if (object == 0) {
      throw Refusal.of(verb, frame.errno());
    }
    return object;
  }

  private static void demand(String verb, int result, Frame frame) {
    if (result != 0) {
      throw Refusal.of(verb, Libibverbs.errno(result, frame));
    }
  }

  /** {@code ibv_fork_init}. */
  public void forkInit(Frame frame) {
    demand("ibv_fork_init", present("ibv_fork_init", forkInit).status(frame), frame);
  }

  /** {@code ibv_get_device_index}: -1 if the kernel or the library does not say it. */
  public int deviceIndex(Frame frame, long device) {
    return getDeviceIndex.map(function -> function.status(frame, device)).orElse(-1);
  }

  /** {@code ibv_is_fork_initialized}; DISABLED if the library does not have it. */
  public ForkStatus forkStatus(Frame frame) {
    int status = isForkInitialized.map(function -> function.status(frame)).orElse(0);
    ForkStatus[] all = ForkStatus.values();
    return status >= 0 && status < all.length ? all[status] : ForkStatus.DISABLED;
  }

  /** {@code ibv_import_device}. */
  public long importDevice(Frame frame, int cmdFd) {
    NativeFunction function = present("ibv_import_device", importDevice);
    return made("ibv_import_device", function.value(frame, cmdFd), frame);
  }

  /** {@code ibv_import_pd}. */
  public long importPd(Frame frame, long context, int handle) {
    NativeFunction function = present("ibv_import_pd", importPd);
    return made(
        "ibv_import_pd", function.value(frame, context, Integer.toUnsignedLong(handle)), frame);
  }

  /** {@code ibv_unimport_pd}. */
  public void unimportPd(Frame frame, long pd) {
    unimportPd.orElseThrow().run(frame, pd);
  }

  /** {@code ibv_import_mr}. */
  public long importMr(Frame frame, long pd, int handle) {
    NativeFunction function = present("ibv_import_mr", importMr);
    return made("ibv_import_mr", function.value(frame, pd, Integer.toUnsignedLong(handle)), frame);
  }

  /** {@code ibv_unimport_mr}. */
  public void unimportMr(Frame frame, long mr) {
    unimportMr.orElseThrow().run(frame, mr);
  }

  /** {@code ibv_import_dm}. */
  public long importDm(Frame frame, long context, int handle) {
    NativeFunction function = present("ibv_import_dm", importDm);
    return made(
        "ibv_import_dm", function.value(frame, context, Integer.toUnsignedLong(handle)), frame);
  }

  /** {@code ibv_unimport_dm}. */
  public void unimportDm(Frame frame, long dm) {
    unimportDm.orElseThrow().run(frame, dm);
  }

  /** {@code ibv_reg_dmabuf_mr}. */
  public long regDmabufMr(
      Frame frame, long pd, long offset, long length, long iova, int fd, int access) {
    NativeFunction function = present("ibv_reg_dmabuf_mr", regDmabufMr);
    return made(
        "ibv_reg_dmabuf_mr", function.value(frame, pd, offset, length, iova, fd, access), frame);
  }

  /** {@code ibv_query_ece}. */
  public Ece queryEce(Frame frame, long qp) {
    MemorySegment ece = frame.structure(IbvEce.SIZE);
    NativeFunction function = present("ibv_query_ece", queryEce);
    demand("ibv_query_ece", function.status(frame, qp, ece.address()), frame);
    return new Ece(Memory.i32(ece, IbvEce.VENDOR_ID), Memory.i32(ece, IbvEce.OPTIONS));
  }

  /** {@code ibv_set_ece}. */
  public void setEce(Frame frame, long qp, Ece wanted) {
    MemorySegment ece = frame.structure(IbvEce.SIZE);
    Memory.i32(ece, IbvEce.VENDOR_ID, wanted.vendorId());
    Memory.i32(ece, IbvEce.OPTIONS, wanted.options());
    NativeFunction function = present("ibv_set_ece", setEce);
    demand("ibv_set_ece", function.status(frame, qp, ece.address()), frame);
  }

  /** {@code ibv_query_qp_data_in_order}; a library without it promises nothing. */
  public boolean queryQpDataInOrder(Frame frame, long qp, int opcode, int flags) {
    return queryQpDataInOrder
        .map(function -> function.status(frame, qp, opcode, flags) != 0)
        .orElse(false);
  }

  /** {@code ibv_qp_to_qp_ex}: 0 for a queue pair without a builder. */
  public long qpToQpEx(Frame frame, long qp) {
    return qpToQpEx.map(function -> function.value(frame, qp)).orElse(0L);
  }
}
