package org.roce4j.property;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WrOpcode;

/**
 * The model of a reliable connection: requests execute one after the other, on two memories with
 * two lists of completions.
 */
final class DataPathModel {
  /** The part of the peer's memory that requests use. */
  static final int REMOTE_BYTES = 32 << 10;

  /** An expected completion. */
  record Done(long wrId, WcOpcode opcode, int bytes, int immediate) {}

  final byte[] near;
  final byte[] far;
  final List<Done> sent = new ArrayList<>();
  final List<Done> received = new ArrayList<>();
  private final int receiveBytes;

  /**
   * Whether a READ may still be outstanding: a later change of the peer's memory then needs FENCE.
   */
  private boolean unfencedRead;

  DataPathModel(byte[] near, byte[] far, int receiveBytes) {
    this.near = near;
    this.far = far;
    this.receiveBytes = receiveBytes;
  }

  /** Whether a request has a defined effect only with FENCE. */
  boolean needsFence(WrOpcode opcode) {
    return unfencedRead && changesRemoteMemory(opcode);
  }

  private static boolean changesRemoteMemory(WrOpcode opcode) {
    return switch (opcode) {
      case RDMA_WRITE, RDMA_WRITE_WITH_IMM, ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> true;
      default -> false;
    };
  }

  static boolean consumesReceive(WrOpcode opcode) {
    return opcode == WrOpcode.SEND
        || opcode == WrOpcode.SEND_WITH_IMM
        || opcode == WrOpcode.RDMA_WRITE_WITH_IMM;
  }

  /**
   * Executes a request.
   *
   * @param localAt offset of its bytes in the near memory
   * @param remoteAt offset of its bytes in the far memory
   */
  void happens(
      long wrId, RandomRequest request, int bytes, int localAt, int remoteAt, boolean fenced) {
    WrOpcode opcode = request.opcode();
    if (fenced) {
      unfencedRead = false;
    }
    switch (opcode) {
      case SEND, SEND_WITH_IMM ->
          System.arraycopy(near, localAt, far, receiveAt(received.size()), bytes);
      case RDMA_WRITE, RDMA_WRITE_WITH_IMM -> System.arraycopy(near, localAt, far, remoteAt, bytes);
      case RDMA_READ -> {
        System.arraycopy(far, remoteAt, near, localAt, bytes);
        unfencedRead = true;
      }
      default -> atomic(opcode, wrId, localAt, remoteAt);
    }
    if (request.signaled()) {
      sent.add(new Done(wrId, opcode.completion(), bytes, 0));
    }
    if (consumesReceive(opcode)) {
      boolean write = opcode == WrOpcode.RDMA_WRITE_WITH_IMM;
      received.add(
          new Done(
              received.size(),
              write ? WcOpcode.RECV_RDMA_WITH_IMM : WcOpcode.RECV,
              bytes,
              opcode == WrOpcode.SEND ? 0 : (int) wrId));
    }
  }

  /** Offset of the n-th receive's buffer. */
  int receiveAt(int n) {
    return REMOTE_BYTES + n * receiveBytes;
  }

  private void atomic(WrOpcode opcode, long wrId, int localAt, int remoteAt) {
    long before = HostLong.get(far, remoteAt);
    HostLong.put(near, localAt, before);
    if (opcode == WrOpcode.ATOMIC_FETCH_AND_ADD) {
      HostLong.put(far, remoteAt, before + addend(wrId));
    } else if (before == compare(wrId)) {
      HostLong.put(far, remoteAt, addend(wrId));
    }
  }

  /** The operand that a request adds or swaps in. */
  static long addend(long wrId) {
    return 0x0123_4567_89ab_cdefL * (wrId + 1);
  }

  /**
   * The operand that a request compares with: the value that the request before it would have left.
   */
  static long compare(long wrId) {
    return addend(wrId - 1);
  }
}
