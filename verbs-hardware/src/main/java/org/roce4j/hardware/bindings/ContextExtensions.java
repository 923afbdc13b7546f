package org.roce4j.hardware.bindings;

import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.roce4j.hardware.bindings.Structures.IbvContext;
import org.roce4j.hardware.bindings.Structures.IbvDeviceAttr;
import org.roce4j.hardware.bindings.Structures.IbvDeviceAttrEx;
import org.roce4j.hardware.bindings.Structures.VerbsContext;
import org.roce4j.verbs.Errno;

/**
 * The verbs that are no exported functions: their pointers stand in {@code struct verbs_context},
 * in front of {@code struct ibv_context}. As in the header, a pointer counts when the structure is
 * long enough to hold it and it is not null; else the older verb does what it can.
 */
public final class ContextExtensions {
  private static final long EXTENDED = -1;

  private final Libibverbs library;
  private final long context;
  private final Optional<NativeFunction> queryPort;
  private final Optional<NativeFunction> queryDeviceEx;
  private final Optional<NativeFunction> createQpEx;

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

  private static Optional<MemorySegment> function(long table, int offset) {
    if (table == 0) {
      return Optional.empty();
    }
    MemorySegment structure = Memory.at(table, VerbsContext.CONTEXT);
    long size = (long) VerbsContext.SIZE + mutexGrowth();
    // It grows at its start, so that what an older library lacks is missing from the front.
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
   * {@code ibv_query_device_ex}, or {@code ibv_query_device} where there is none, into {@link
   * Structures.IbvDeviceAttrEx}.
   */
  public void queryDevice(Frame frame, MemorySegment attr) {
    if (queryDeviceEx.isPresent()
        && queryDeviceEx.get().status(frame, context, 0, attr.address(), attr.byteSize()) == 0) {
      return;
    }
    library.queryDevice(frame, context, attr);
    Memory.i64(
        attr,
        IbvDeviceAttrEx.DEVICE_CAP_FLAGS_EX,
        Integer.toUnsignedLong(Memory.i32(attr, IbvDeviceAttr.DEVICE_CAP_FLAGS)));
  }

  /** {@code ibv_create_qp_ex} from {@link Structures.IbvQpInitAttrEx}. */
  public long createQp(Frame frame, MemorySegment attr) {
    long qp = createQpEx.isPresent() ? createQpEx.get().value(frame, context, attr.address()) : 0;
    if (qp == 0) {
      throw Refusal.of(
          "ibv_create_qp", createQpEx.isEmpty() ? Errno.EOPNOTSUPP.number() : frame.errno());
    }
    return qp;
  }
}
