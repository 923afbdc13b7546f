package org.roce4j.hardware.bindings;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvCqInitAttrEx;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvModifyCqAttr;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvQpRateLimitAttr;
import org.roce4j.hardware.bindings.Structures.IbvContext;
import org.roce4j.hardware.bindings.Structures.IbvDeviceAttr;
import org.roce4j.hardware.bindings.Structures.IbvDeviceAttrEx;
import org.roce4j.hardware.bindings.Structures.VerbsContext;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.CqModeration;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QpRateLimitAttr;

/**
 * The verbs that are not exported functions: their pointers are in {@code struct verbs_context},
 * before {@code struct ibv_context}. As in the header, a pointer is valid if the structure is long
 * enough to contain it and it is not null; otherwise the older verb is used.
 */
public final class ContextExtensions {
  private static final long EXTENDED = -1;

  /** {@code IBV_CQ_INIT_ATTR_MASK_FLAGS}. */
  private static final int CQ_INIT_ATTR_FLAGS = 1;

  /** {@code IBV_CQ_ATTR_MODERATE}. */
  private static final int CQ_MODERATE = 1;

  private final Libibverbs library;
  private final long context;
  private final Optional<NativeFunction> queryPort;
  private final Optional<NativeFunction> queryDeviceEx;
  private final Optional<NativeFunction> createQpEx;
  private final Optional<NativeFunction> openXrcd;
  private final Optional<NativeFunction> closeXrcd;
  private final Optional<NativeFunction> createSrqEx;
  private final Optional<NativeFunction> getSrqNum;
  private final Optional<NativeFunction> openQp;
  private final Optional<NativeFunction> modifyQpRateLimit;
  private final Optional<NativeFunction> modifyCq;
  private final Optional<NativeFunction> createCqEx;

  /**
   * Reads the function pointers.
   *
   * @param context address of a {@code struct ibv_context}
   */
  public ContextExtensions(Libibverbs library, long context) {
    this.library = library;
    this.context = context;
    long table = table(context);
    queryPort = function(table, VerbsContext.QUERY_PORT).map(f -> NativeFunction.ofStatus(f, 4));
    queryDeviceEx =
        function(table, VerbsContext.QUERY_DEVICE_EX).map(f -> NativeFunction.ofStatus(f, 4));
    createQpEx = function(table, VerbsContext.CREATE_QP_EX).map(f -> NativeFunction.ofValue(f, 2));
    openXrcd = function(table, VerbsContext.OPEN_XRCD).map(f -> NativeFunction.ofValue(f, 2));
    closeXrcd = function(table, VerbsContext.CLOSE_XRCD).map(f -> NativeFunction.ofStatus(f, 1));
    createSrqEx =
        function(table, VerbsContext.CREATE_SRQ_EX).map(f -> NativeFunction.ofValue(f, 2));
    getSrqNum = function(table, VerbsContext.GET_SRQ_NUM).map(f -> NativeFunction.ofStatus(f, 2));
    openQp = function(table, VerbsContext.OPEN_QP).map(f -> NativeFunction.ofValue(f, 2));
    modifyQpRateLimit =
        function(table, VerbsContext.MODIFY_QP_RATE_LIMIT).map(f -> NativeFunction.ofStatus(f, 2));
    createCqEx = function(table, VerbsContext.CREATE_CQ_EX).map(f -> NativeFunction.ofValue(f, 2));
    modifyCq = function(table, VerbsContext.MODIFY_CQ).map(f -> NativeFunction.ofStatus(f, 2));
  }

  /** The address of {@code struct verbs_context}, or 0. */
  private static long table(long context) {
    int abiCompat = IbvContext.ABI_COMPAT + mutexGrowth();
    boolean extended = Memory.i64(Memory.at(context, abiCompat + 8L), abiCompat) == EXTENDED;
    return extended ? context - VerbsContext.CONTEXT : 0;
  }

  /** A mutex has 40 bytes everywhere but with glibc on aarch64, where it has 48. */
  private static int mutexGrowth() {
    return "aarch64".equals(System.getProperty("os.arch")) ? 8 : 0;
  }

  /** A verb's function; empty when library or driver lacks it. */
  static Optional<MemorySegment> pointer(long context, int offset) {
    return function(table(context), offset);
  }

  private static Optional<MemorySegment> function(long table, int offset) {
    if (table == 0) {
      return Optional.empty();
    }
    MemorySegment structure = Memory.at(table, VerbsContext.CONTEXT);
    long size = (long) VerbsContext.SIZE + mutexGrowth();
    // It grows at its start, so a field that an older library lacks is missing at the front.
    if (Memory.i64(structure, VerbsContext.SZ) < size - offset) {
      return Optional.empty();
    }
    long address = Memory.i64(structure, offset);
    return address == 0 ? Optional.empty() : Optional.of(MemorySegment.ofAddress(address));
  }

  /** {@code ibv_query_port} into {@link Structures.IbvPortAttr}. */
  public void queryPort(Frame frame, int port, MemorySegment attr) {
    if (queryPort.isEmpty()) {
      library.queryPort(frame, context, port, attr);
      return;
    }
    int result = queryPort.get().status(frame, context, port, attr.address(), attr.byteSize());
    if (result != 0) {
      throw Refusal.of("ibv_query_port", Libibverbs.errno(result, frame));
    }
  }

  /**
   * {@code ibv_query_device_ex}, or {@code ibv_query_device} if it is missing, into {@link
   * Structures.IbvDeviceAttrEx}.
   */
  public void queryDevice(Frame frame, MemorySegment attr) {
    if (queryDeviceEx.isPresent()) {
      int result = queryDeviceEx.get().status(frame, context, 0, attr.address(), attr.byteSize());
      int errno = Libibverbs.errno(result, frame);
      if (errno == 0) {
        return;
      }
      if (errno != Errno.EOPNOTSUPP.number() && errno != Errno.ENOSYS.number()) {
        throw Refusal.of("ibv_query_device_ex", errno);
      }
      attr.fill((byte) 0);
    }
    library.queryDevice(frame, context, attr);
    Memory.i64(
        attr,
        IbvDeviceAttrEx.DEVICE_CAP_FLAGS_EX,
        Integer.toUnsignedLong(Memory.i32(attr, IbvDeviceAttr.DEVICE_CAP_FLAGS)));
  }

  /** {@code ibv_create_qp_ex} from {@link Structures.IbvQpInitAttrEx}. */
  public long createQp(Frame frame, MemorySegment attr) {
    return made("ibv_create_qp", createQpEx, frame, attr);
  }

  /** {@code ibv_open_xrcd} from {@link Structures.IbvXrcdInitAttr}. */
  public long openXrcd(Frame frame, MemorySegment attr) {
    return made("ibv_open_xrcd", openXrcd, frame, attr);
  }

  /** {@code ibv_close_xrcd}: 0 or an errno. */
  public int closeXrcd(Frame frame, long xrcd) {
    return Libibverbs.errno(closeXrcd.orElseThrow().status(frame, xrcd), frame);
  }

  /** {@code ibv_create_srq_ex} from {@link Structures.IbvSrqInitAttrEx}. */
  public long createSrq(Frame frame, MemorySegment attr) {
    return made("ibv_create_srq_ex", createSrqEx, frame, attr);
  }

  /** {@code ibv_get_srq_num}. */
  public int srqNum(Frame frame, long srq) {
    MemorySegment number = frame.structure(Integer.BYTES);
    int result =
        getSrqNum.isEmpty()
            ? Errno.EOPNOTSUPP.number()
            : getSrqNum.get().status(frame, srq, number.address());
    if (result != 0) {
      throw Refusal.of("ibv_get_srq_num", Libibverbs.errno(result, frame));
    }
    return Memory.i32(number, 0);
  }

  /** {@code ibv_open_qp} from {@link Structures.IbvQpOpenAttr}. */
  public long openQp(Frame frame, MemorySegment attr) {
    return made("ibv_open_qp", openQp, frame, attr);
  }

  /** {@code ibv_modify_qp_rate_limit}. */
  public void modifyQpRateLimit(Frame frame, long qp, QpRateLimitAttr wanted) {
    MemorySegment attr = frame.structure(IbvQpRateLimitAttr.SIZE);
    Memory.i32(attr, IbvQpRateLimitAttr.RATE_LIMIT, wanted.rateLimit());
    Memory.i32(attr, IbvQpRateLimitAttr.MAX_BURST_SZ, wanted.maxBurstSize());
    Memory.u16(attr, IbvQpRateLimitAttr.TYPICAL_PKT_SZ, wanted.typicalPacketSize());
    demand("ibv_modify_qp_rate_limit", modifyQpRateLimit, frame, qp, attr);
  }

  /**
   * {@code ibv_create_cq_ex}.
   *
   * @param channel address of the completion channel, or 0
   */
  public long createCqEx(Frame frame, CqInitAttr wanted, long channel) {
    MemorySegment attr = frame.structure(IbvCqInitAttrEx.SIZE);
    Memory.i32(attr, IbvCqInitAttrEx.CQE, wanted.cqe());
    Memory.i64(attr, IbvCqInitAttrEx.CHANNEL, channel);
    Memory.i32(attr, IbvCqInitAttrEx.COMP_VECTOR, wanted.compVector());
    Memory.i64(attr, IbvCqInitAttrEx.WC_FLAGS, Integer.toUnsignedLong(wanted.wcFlags()));
    if (wanted.flags() != 0) {
      Memory.i32(attr, IbvCqInitAttrEx.COMP_MASK, CQ_INIT_ATTR_FLAGS);
      Memory.i32(attr, IbvCqInitAttrEx.FLAGS, wanted.flags());
    }
    return made("ibv_create_cq_ex", createCqEx, frame, attr);
  }

  /** {@code ibv_modify_cq}: moderation of its events. */
  public void modifyCq(Frame frame, long cq, CqModeration moderation) {
    MemorySegment attr = frame.structure(IbvModifyCqAttr.SIZE);
    Memory.i32(attr, IbvModifyCqAttr.ATTR_MASK, CQ_MODERATE);
    Memory.u16(attr, IbvModifyCqAttr.CQ_COUNT, moderation.count());
    Memory.u16(attr, IbvModifyCqAttr.CQ_PERIOD, moderation.periodUs());
    demand("ibv_modify_cq", modifyCq, frame, cq, attr);
  }

  private static void demand(
      String verb,
      Optional<NativeFunction> function,
      Frame frame,
      long object,
      MemorySegment attr) {
    int result =
        function.isEmpty()
            ? Errno.EOPNOTSUPP.number()
            : function.get().status(frame, object, attr.address());
    if (result != 0) {
      throw Refusal.of(verb, Libibverbs.errno(result, frame));
    }
  }

  private long made(
      String verb, Optional<NativeFunction> function, Frame frame, MemorySegment attr) {
    long object = function.isPresent() ? function.get().value(frame, context, attr.address()) : 0;
    if (object == 0) {
      throw Refusal.of(verb, function.isEmpty() ? Errno.EOPNOTSUPP.number() : frame.errno());
    }
    return object;
  }
}
