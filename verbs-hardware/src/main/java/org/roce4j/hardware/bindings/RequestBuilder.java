package org.roce4j.hardware.bindings;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.ByteOrder;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvMwBindInfo;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvQpEx;

/**
 * Builds send requests through the function pointers of a {@code struct ibv_qp_ex}, as the header
 * does inline. A function is there only if the queue pair was made for the operation. The caller
 * sees to it that the queue pair exists, and is one thread at a time. Allocates nothing.
 */
public final class RequestBuilder {
  /** Behind the last field of the header that the layouts were made with: {@code wr_flush}. */
  private static final int WR_FLUSH = IbvQpEx.WR_ATOMIC_WRITE + 8;

  private static final int SIZE = WR_FLUSH + 8;

  private static final Linker LINKER = Linker.nativeLinker();

  /** One handle for each shape of function: constant, so that the compiler sees through it. */
  private static final MethodHandle PLAIN = link();

  private static final MethodHandle COMPLETE =
      LINKER.downcallHandle(FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
  private static final MethodHandle KEY = link(JAVA_INT);
  private static final MethodHandle REMOTE = link(JAVA_INT, JAVA_LONG);
  private static final MethodHandle REMOTE_INT = link(JAVA_INT, JAVA_LONG, JAVA_INT);
  private static final MethodHandle REMOTE_LONG = link(JAVA_INT, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle REMOTE_LONGS = link(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
  private static final MethodHandle REMOTE_MEMORY = link(JAVA_INT, JAVA_LONG, ADDRESS);

  /**
   * Its last two parameters are uint8_t in C. Some compilers expect them extended to int, which a
   * Java byte would not be.
   */
  private static final MethodHandle FLUSH =
      link(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT);

  private static final MethodHandle BIND = link(JAVA_LONG, JAVA_INT, ADDRESS);
  private static final MethodHandle DATAGRAM = link(JAVA_LONG, JAVA_INT, JAVA_INT);
  private static final MethodHandle MEMORY = link(ADDRESS, JAVA_LONG);
  private static final MethodHandle LIST = link(JAVA_LONG, ADDRESS);

  private final long qp;
  private final MemorySegment structure;

  /** Memory that a function reads during its call: a value of eight bytes, or a binding. */
  private final MemorySegment argument = Arena.ofAuto().allocate(IbvMwBindInfo.SIZE, Long.BYTES);

  /**
   * @param qp address of a {@code struct ibv_qp_ex}
   */
  public RequestBuilder(long qp) {
    this.qp = qp;
    structure = Memory.at(qp, SIZE);
  }

  private static MethodHandle link(MemoryLayout... arguments) {
    MemoryLayout[] all = new MemoryLayout[arguments.length + 1];
    all[0] = JAVA_LONG;
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    return LINKER.downcallHandle(FunctionDescriptor.ofVoid(all));
  }

  private MemorySegment function(long field) {
    return MemorySegment.ofAddress(Memory.i64(structure, field));
  }

  private static AssertionError impossible(Throwable thrown) {
    return new AssertionError("a downcall threw", thrown);
  }

  private static int network(int number) {
    return ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN
        ? Integer.reverseBytes(number)
        : number;
  }

  // ---- the batch

  /** {@code ibv_wr_start}. */
  public void start() {
    plain(IbvQpEx.WR_START);
  }

  /** {@code ibv_wr_complete}: 0 or an errno. */
  public int complete() {
    try {
      return Math.abs((int) COMPLETE.invokeExact(function(IbvQpEx.WR_COMPLETE), qp));
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** {@code ibv_wr_abort}. */
  public void abort() {
    plain(IbvQpEx.WR_ABORT);
  }

  /** Sets the fields of the next operation. */
  public void begin(long wrId, int flags) {
    Memory.i64(structure, IbvQpEx.WR_ID, wrId);
    Memory.i32(structure, IbvQpEx.WR_FLAGS, flags);
  }

  // ---- operations

  /** {@code ibv_wr_send}. */
  public void send() {
    plain(IbvQpEx.WR_SEND);
  }

  /** {@code ibv_wr_send_imm}. */
  public void sendImmediate(int immediate) {
    key(IbvQpEx.WR_SEND_IMM, network(immediate));
  }

  /** {@code ibv_wr_send_inv}. */
  public void sendInvalidate(int rkey) {
    key(IbvQpEx.WR_SEND_INV, rkey);
  }

  /** {@code ibv_wr_local_inv}. */
  public void localInvalidate(int rkey) {
    key(IbvQpEx.WR_LOCAL_INV, rkey);
  }

  /** {@code ibv_wr_rdma_write}. */
  public void write(int rkey, long remote) {
    remote(IbvQpEx.WR_RDMA_WRITE, rkey, remote);
  }

  /** {@code ibv_wr_rdma_read}. */
  public void read(int rkey, long remote) {
    remote(IbvQpEx.WR_RDMA_READ, rkey, remote);
  }

  /** {@code ibv_wr_rdma_write_imm}. */
  public void writeImmediate(int rkey, long remote, int immediate) {
    try {
      REMOTE_INT.invokeExact(
          function(IbvQpEx.WR_RDMA_WRITE_IMM), qp, rkey, remote, network(immediate));
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** {@code ibv_wr_atomic_cmp_swp}. */
  public void compareAndSwap(int rkey, long remote, long compare, long swap) {
    try {
      REMOTE_LONGS.invokeExact(
          function(IbvQpEx.WR_ATOMIC_CMP_SWP), qp, rkey, remote, compare, swap);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** {@code ibv_wr_atomic_fetch_add}. */
  public void fetchAndAdd(int rkey, long remote, long add) {
    try {
      REMOTE_LONG.invokeExact(function(IbvQpEx.WR_ATOMIC_FETCH_ADD), qp, rkey, remote, add);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** {@code ibv_wr_atomic_write} of eight bytes. */
  public void atomicWrite(int rkey, long remote, long value) {
    Memory.i64(argument, 0, value);
    try {
      REMOTE_MEMORY.invokeExact(function(IbvQpEx.WR_ATOMIC_WRITE), qp, rkey, remote, argument);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** {@code ibv_wr_flush}. */
  public void flush(int rkey, long remote, long length, int placement, int selectivity) {
    try {
      FLUSH.invokeExact(
          function(WR_FLUSH), qp, rkey, remote, length, placement & 0xff, selectivity & 0xff);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /**
   * {@code ibv_wr_bind_mw}.
   *
   * @param mr address of the region, 0: none
   */
  public void bind(long mw, int rkey, long mr, long address, long length, int access) {
    Memory.i64(argument, IbvMwBindInfo.MR, mr);
    Memory.i64(argument, IbvMwBindInfo.ADDR, address);
    Memory.i64(argument, IbvMwBindInfo.LENGTH, length);
    Memory.i32(argument, IbvMwBindInfo.MW_ACCESS_FLAGS, access);
    try {
      BIND.invokeExact(function(IbvQpEx.WR_BIND_MW), qp, mw, rkey, argument);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  // ---- the data and the destination of an operation

  /** {@code ibv_wr_set_sge}. */
  public void setSge(int lkey, long address, int length) {
    try {
      REMOTE_INT.invokeExact(function(IbvQpEx.WR_SET_SGE), qp, lkey, address, length);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** {@code ibv_wr_set_sge_list}. */
  public void setSgeList(MemorySegment elements, int count) {
    list(IbvQpEx.WR_SET_SGE_LIST, elements, count);
  }

  /** {@code ibv_wr_set_inline_data} of the first bytes of native memory. */
  public void setInlineData(MemorySegment data, long bytes) {
    try {
      MEMORY.invokeExact(function(IbvQpEx.WR_SET_INLINE_DATA), qp, data, bytes);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /**
   * {@code ibv_wr_set_inline_data_list}.
   *
   * @param buffers elements of {@link ExtendedLayouts.IbvDataBuf}
   */
  public void setInlineDataList(MemorySegment buffers, int count) {
    list(IbvQpEx.WR_SET_INLINE_DATA_LIST, buffers, count);
  }

  /** {@code ibv_wr_set_ud_addr}. */
  public void setUdAddress(long ah, int remoteQpn, int remoteQkey) {
    try {
      DATAGRAM.invokeExact(function(IbvQpEx.WR_SET_UD_ADDR), qp, ah, remoteQpn, remoteQkey);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  /** {@code ibv_wr_set_xrc_srqn}. */
  public void setXrcSrqNumber(int remoteSrqn) {
    key(IbvQpEx.WR_SET_XRC_SRQN, remoteSrqn);
  }

  private void plain(long field) {
    try {
      PLAIN.invokeExact(function(field), qp);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  private void key(long field, int key) {
    try {
      KEY.invokeExact(function(field), qp, key);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  private void remote(long field, int rkey, long remote) {
    try {
      REMOTE.invokeExact(function(field), qp, rkey, remote);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }

  private void list(long field, MemorySegment elements, int count) {
    try {
      LIST.invokeExact(function(field), qp, (long) count, elements);
    } catch (Throwable t) {
      throw impossible(t);
    }
  }
}
