package org.roce4j.simulation;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.text.Wording;

/** A posted send request, with the oracle's expectations. */
final class PostedSend {
  final long wrId;
  final WrOpcode opcode;
  final boolean signaled;
  final MemorySegment payload;
  int immediate;

  /** Local memory, in the order of the scatter/gather list; empty if the data is inline. */
  final List<Extent> local = new ArrayList<>();

  /** Local memory that is freed with this request. */
  final List<Extent> owned = new ArrayList<>();

  /** The peer's memory that it reads or writes, or null. */
  Extent remote;

  /** The cell that an atomic works on. */
  AtomicCell cell;

  /** The operand of FETCH_AND_ADD; the value that an atomic on a private cell must return. */
  long add;

  long original;
  long result;

  /** The peer's window whose key it uses, binds or invalidates, or null. */
  WindowModel window;

  /** The addressing of an unreliable datagram, or null. */
  Datagram datagram;

  /** Whether the message was received; only for requests that complete a receive request. */
  boolean received;

  PostedSend(long wrId, WrOpcode opcode, boolean signaled, MemorySegment payload) {
    this.wrId = wrId;
    this.opcode = opcode;
    this.signaled = signaled;
    this.payload = payload;
  }

  int length() {
    return (int) payload.byteSize();
  }

  /** Whether it takes a receive request of the peer. */
  boolean isMessage() {
    return switch (opcode) {
      case SEND, SEND_WITH_IMM, SEND_WITH_INV, RDMA_WRITE_WITH_IMM -> true;
      default -> false;
    };
  }

  boolean isAtomic() {
    return opcode == WrOpcode.ATOMIC_CMP_AND_SWP || opcode == WrOpcode.ATOMIC_FETCH_AND_ADD;
  }

  /** The request may write its remote memory in part or not at all. */
  void mayTearRemote() {
    boolean write = opcode == WrOpcode.RDMA_WRITE || opcode == WrOpcode.RDMA_WRITE_WITH_IMM;
    if (write && remote != null) {
      remote.memory.mayTear(remote, payload);
    }
  }

  /** Gives its local memory back for other requests. */
  void giveOwned() {
    owned.forEach(extent -> extent.zone.give(extent));
  }

  @Override
  public String toString() {
    return Wording.of(
        "%s of %d bytes, wr_id=0x%x%s", opcode, length(), wrId, signaled ? "" : " unsignaled");
  }
}
