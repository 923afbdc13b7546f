package org.roce4j.hardware.bindings;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvCqEx;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvTmInfo;

/**
 * Starts, steps and reads a {@code struct ibv_cq_ex} through its function pointers, as the header
 * does inline. A function that reads a field is there only if the queue was made for the field. The
 * caller sees to it that the queue exists. Allocates nothing.
 */
public final class CompletionReader {
  private static final Linker LINKER = Linker.nativeLinker();

  /** One handle for each shape of function: constant, so that the compiler sees through it. */
  private static final MethodHandle START = link(JAVA_INT, JAVA_LONG, ADDRESS);

  private static final MethodHandle INT = link(JAVA_INT, JAVA_LONG);
  private static final MethodHandle LONG = link(JAVA_LONG, JAVA_LONG);
  private static final MethodHandle SHORT = link(JAVA_SHORT, JAVA_LONG);
  private static final MethodHandle BYTE = link(JAVA_BYTE, JAVA_LONG);
  private static final MethodHandle END =
      LINKER.downcallHandle(FunctionDescriptor.ofVoid(JAVA_LONG));
  private static final MethodHandle TAG =
      LINKER.downcallHandle(FunctionDescriptor.ofVoid(JAVA_LONG, ADDRESS));

  /** A {@code struct ibv_poll_cq_attr}, which has a mask of nothing. */
  private static final MemorySegment NOTHING = Arena.global().allocate(JAVA_LONG);

  private final long cq;
  private final MemorySegment structure;

  /**
   * @param cq address of a {@code struct ibv_cq_ex}
   */
  public CompletionReader(long cq) {
    this.cq = cq;
    structure = Memory.at(cq, IbvCqEx.SIZE);
  }

  private static MethodHandle link(MemoryLayout result, MemoryLayout... arguments) {
    return LINKER.downcallHandle(FunctionDescriptor.of(result, arguments));
  }

  private MemorySegment function(long field) {
    return MemorySegment.ofAddress(Memory.i64(structure, field));
  }

  private static AssertionError impossible(Throwable thrown) {
    return new AssertionError("a downcall threw", thrown);
  }

  /** {@code ibv_start_poll}: 0 or an errno. */
  public int start() {
    try {
      return Math.abs((int) START.invokeExact(function(IbvCqEx.START_POLL), cq, NOTHING));
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** {@code ibv_next_poll}: 0 or an errno. */
  public int next() {
    return Math.abs(u32(IbvCqEx.NEXT_POLL));
  }

  /** {@code ibv_end_poll}. */
  public void end() {
    try {
      END.invokeExact(function(IbvCqEx.END_POLL), cq);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  public long wrId() {
    return Memory.i64(structure, IbvCqEx.WR_ID);
  }

  public int status() {
    return Memory.i32(structure, IbvCqEx.STATUS);
  }

  public int opcode() {
    return u32(IbvCqEx.READ_OPCODE);
  }

  public int vendorErr() {
    return u32(IbvCqEx.READ_VENDOR_ERR);
  }

  public int wcFlags() {
    return u32(IbvCqEx.READ_WC_FLAGS);
  }

  public int byteLength() {
    return u32(IbvCqEx.READ_BYTE_LEN);
  }

  /** In network order in C. */
  public int immediate() {
    int network = u32(IbvCqEx.READ_IMM_DATA);
    return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
        ? Integer.reverseBytes(network)
        : network;
  }

  /** In the place of the immediate data. */
  public int invalidatedRkey() {
    return u32(IbvCqEx.READ_IMM_DATA);
  }

  public int qpNum() {
    return u32(IbvCqEx.READ_QP_NUM);
  }

  public int sourceQp() {
    return u32(IbvCqEx.READ_SRC_QP);
  }

  public int slid() {
    return u32(IbvCqEx.READ_SLID);
  }

  public int serviceLevel() {
    return u8(IbvCqEx.READ_SL);
  }

  public int dlidPathBits() {
    return u8(IbvCqEx.READ_DLID_PATH_BITS);
  }

  public long completionTimestamp() {
    return u64(IbvCqEx.READ_COMPLETION_TS);
  }

  public long completionWallclockNs() {
    return u64(IbvCqEx.READ_COMPLETION_WALLCLOCK_NS);
  }

  public int flowTag() {
    return u32(IbvCqEx.READ_FLOW_TAG);
  }

  /** The VLAN tag of the client. */
  public int cvlan() {
    try {
      return Short.toUnsignedInt((short) SHORT.invokeExact(function(IbvCqEx.READ_CVLAN), cq));
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** The tag that was matched. */
  public long tag() {
    try (Frame frame = new Frame()) {
      MemorySegment info = frame.structure(IbvTmInfo.SIZE);
      TAG.invokeExact(function(IbvCqEx.READ_TM_INFO), cq, info);
      return Memory.i64(info, IbvTmInfo.TAG);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  private int u32(long field) {
    try {
      return (int) INT.invokeExact(function(field), cq);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  private long u64(long field) {
    try {
      return (long) LONG.invokeExact(function(field), cq);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  private int u8(long field) {
    try {
      return Byte.toUnsignedInt((byte) BYTE.invokeExact(function(field), cq));
    } catch (Throwable t) {
      throw impossible(t);
    }
  }
}
