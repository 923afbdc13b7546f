package org.roce4j.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.roce4j.verbs.layout.WcLayout;
import org.roce4j.verbs.text.Wording;

/**
 * An array of {@code struct ibv_wc} in native memory, filled by polling.
 *
 * <p>Accessors take the index of an entry; the result of the poll says how many entries are filled.
 * When the status is not {@code SUCCESS}, only {@link #wrId}, {@link #status}, {@link #qpNum} and
 * {@link #vendorErr} mean anything. Nothing is allocated after construction. Not thread-safe.
 */
public final class WorkCompletions implements AutoCloseable {
  private static final long ALIGNMENT = 64;

  private final Arena owned;
  private final MemorySegment memory;
  private final int capacity;

  /**
   * Makes an array in memory of its own, which {@link #close} frees.
   *
   * @param capacity entries, 1 or more
   */
  public WorkCompletions(int capacity) {
    this(Arena.ofShared(), true, capacity);
  }

  /** Makes an array in memory of this arena, which alone decides when it is freed. */
  public WorkCompletions(Arena arena, int capacity) {
    this(arena, false, capacity);
  }

  private WorkCompletions(Arena arena, boolean own, int capacity) {
    if (capacity < 1) {
      throw new VerbsException(
          Errno.EINVAL, "an array of completions needs a capacity of at least 1, not " + capacity);
    }
    this.owned = own ? arena : null;
    this.capacity = capacity;
    this.memory =
        RequiredArgument.check(arena, "arena").allocate((long) capacity * WcLayout.SIZE, ALIGNMENT);
  }

  /** The memory of the array. */
  public MemorySegment memory() {
    return memory;
  }

  /** Absolute address of the first entry. */
  public long address() {
    return memory.address();
  }

  /** Entries it can hold. */
  public int capacity() {
    return capacity;
  }

  /** The identifier of the request. */
  public long wrId(int index) {
    return WcLayout.wrId(memory, at(index));
  }

  /** How it ended, {@code null} when the number is unknown. */
  public WcStatus status(int index) {
    return WcStatus.of(statusValue(index));
  }

  /** The number of the status, 0 being success. */
  public int statusValue(int index) {
    return WcLayout.status(memory, at(index));
  }

  /** The operation, {@code null} when the number is unknown. */
  public WcOpcode opcode(int index) {
    return WcOpcode.of(opcodeValue(index));
  }

  /** The number of the operation. */
  public int opcodeValue(int index) {
    return WcLayout.opcode(memory, at(index));
  }

  /** The vendor's code of an error. */
  public int vendorErr(int index) {
    return WcLayout.vendorErr(memory, at(index));
  }

  /** Bytes transferred, unsigned; a datagram's include the 40 of the network header. */
  public int byteLength(int index) {
    return WcLayout.byteLen(memory, at(index));
  }

  /** The immediate data, a number; meaningful with {@link WcFlags#WITH_IMM}. */
  public int immediate(int index) {
    return WcLayout.immData(memory, at(index));
  }

  /** The key that the peer invalidated; meaningful with {@link WcFlags#WITH_INV}. */
  public int invalidatedRkey(int index) {
    return WcLayout.invalidatedRkey(memory, at(index));
  }

  /** The number of the local queue pair. */
  public int qpNum(int index) {
    return WcLayout.qpNum(memory, at(index));
  }

  /** The number of the sending queue pair (UD). */
  public int sourceQp(int index) {
    return WcLayout.srcQp(memory, at(index));
  }

  /** The {@link WcFlags}. */
  public int flags(int index) {
    return WcLayout.wcFlags(memory, at(index));
  }

  /** The index of the partition key (GSI). */
  public int pkeyIndex(int index) {
    return WcLayout.pkeyIndex(memory, at(index));
  }

  /** The source local identifier; 0 on RoCE. */
  public int slid(int index) {
    return WcLayout.slid(memory, at(index));
  }

  /** Service level of the path that the datagram came by, 0..15 ({@code wc.sl}). */
  public int serviceLevel(int index) {
    return WcLayout.sl(memory, at(index));
  }

  /** The path bits of the destination local identifier; 0 on RoCE. */
  public int dlidPathBits(int index) {
    return WcLayout.dlidPathBits(memory, at(index));
  }

  /** A description of an entry, such as {@code wr_id=7 SUCCESS RECV qp=0x11 64 bytes imm=0x2a}. */
  public String toString(int index) {
    StringBuilder text = new StringBuilder("wr_id=").append(wrId(index)).append(' ');
    WcStatus status = status(index);
    if (status != WcStatus.SUCCESS) {
      return text.append(status == null ? "status " + statusValue(index) : status)
          .append(" (")
          .append(WcStatus.describe(statusValue(index)))
          .append(") qp=")
          .append(hex(qpNum(index)))
          .append(" vendor_err=")
          .append(hex(vendorErr(index)))
          .toString();
    }
    WcOpcode opcode = opcode(index);
    text.append("SUCCESS ").append(opcode == null ? "opcode " + opcodeValue(index) : opcode);
    text.append(" qp=").append(hex(qpNum(index)));
    text.append(' ').append(Integer.toUnsignedLong(byteLength(index))).append(" bytes");
    int flags = flags(index);
    if ((flags & WcFlags.WITH_IMM) != 0) {
      text.append(" imm=").append(hex(immediate(index)));
    }
    if ((flags & WcFlags.WITH_INV) != 0) {
      text.append(" invalidated=").append(hex(invalidatedRkey(index)));
    }
    if ((flags & WcFlags.GRH) != 0) {
      text.append(" from=").append(hex(sourceQp(index)));
    }
    return text.toString();
  }

  @Override
  public String toString() {
    return Wording.of("room for %d completions", capacity);
  }

  /** Frees memory of the array's own; memory of a given arena is left to that arena. */
  @Override
  public void close() {
    if (owned != null && owned.scope().isAlive()) {
      owned.close();
    }
  }

  private long at(int index) {
    return (long) Objects.checkIndex(index, capacity) * WcLayout.SIZE;
  }

  private static String hex(int number) {
    return "0x" + Integer.toHexString(number);
  }
}
