package org.roce4j.property;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WrOpcode;

/**
 * What a reliable connection must do, said simply: requests happen one after the other. Two
 * memories and two lists of completions.
 */
final class DataPathModel {
  /** The part of the peer's memory that requests use. */
  static final int REMOTE_BYTES = 32 << 10;

  /** A completion that must come. */
  record Done(long wrId, WcOpcode opcode, int bytes, int immediate) {}

  final byte[] near;
  final byte[] far;
  final List<Done> sent = new ArrayList<>();
  final List<Done> received = new ArrayList<>();
  private final int receiveBytes;

  /** Whether a READ may still be under way: what changes the peer's memory after it needs FENCE. */
  private boolean unfencedRead;

  DataPathModel(byte[] near, byte[] far, int receiveBytes) {
    this.near = near;
    this.far = far;
    this.receiveBytes = receiveBytes;
  }

  /** Whether a request must bear FENCE for its effect to be defined. */
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
   * A request happens.
   *
   * @param localAt where its bytes are or go, in the near memory
   * @param remoteAt where its remote bytes are
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

  /** Where the n-th receive puts its bytes. */
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

  /** What the n-th request adds or swaps in. */
  static long addend(long wrId) {
    return 0x0123_4567_89ab_cdefL * (wrId + 1);
  }

  /** What it compares with: what the request before it would have left. */
  static long compare(long wrId) {
    return addend(wrId - 1);
  }
}
