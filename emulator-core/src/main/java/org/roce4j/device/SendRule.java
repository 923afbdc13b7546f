package org.roce4j.device;

import org.roce4j.engine.queue.SendQueue;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.WrOpcode;

/**
 * The rules for posting a send request in a list or by a builder (verbs-tables 4 and 7). A request
 * that breaks a rule is refused with EINVAL.
 */
enum SendRule {
  OPERATION("queue pairs of this type have no such operation"),
  ELEMENTS("the queue takes fewer scatter/gather elements: ask for a larger max_send_sge"),
  INLINE("the queue takes fewer bytes inline: ask for a larger max_inline_data"),
  INLINE_OPERATION("the operation takes no inline data"),
  ANSWERED("max_rd_atomic is 0: set it, with the peer's max_dest_rd_atomic, on the way to RTS"),
  EIGHT_BYTES("the operation works on eight bytes, at a remote address that is a multiple of 8"),
  NO_ELEMENTS("the operation takes no scatter/gather elements");

  private final String words;

  SendRule(String words) {
    this.words = words;
  }

  /** The mistake and its remedy, for messages. */
  String words() {
    return words;
  }

  /** The first rule that a request breaks, apart from its elements; null: none. */
  static SendRule brokenBy(QpType type, SendQueue queue, WrOpcode opcode, int elements) {
    if (opcode == null || !supported(opcode, type)) {
      return OPERATION;
    }
    if (elements < 0 || elements > queue.maxSge()) {
      return ELEMENTS;
    }
    return elements > 0 && ofNoData(opcode) ? NO_ELEMENTS : null;
  }

  /** Whether {@link #brokenByData} needs the number of a request's bytes. */
  static boolean counts(WrOpcode opcode, int flags) {
    return (flags & SendFlags.INLINE) != 0 || ofEightBytes(opcode);
  }

  /**
   * The first rule that a request breaks by its data; null: none.
   *
   * @param maxRdAtomic the queue pair's limit of READs and atomics
   * @param bytes number of bytes of its elements, if {@link #counts} is true
   */
  static SendRule brokenByData(
      int maxRdAtomic,
      SendQueue queue,
      WrOpcode opcode,
      int flags,
      long bytes,
      long remoteAddress) {
    if ((flags & SendFlags.INLINE) != 0) {
      if (!inlines(opcode)) {
        return INLINE_OPERATION;
      }
      if (bytes > queue.maxInline()) {
        return INLINE;
      }
    }
    if (answered(opcode) && maxRdAtomic == 0) {
      return ANSWERED;
    }
    return ofEightBytes(opcode) && (bytes != 8 || (remoteAddress & 7) != 0) ? EIGHT_BYTES : null;
  }

  /** Whether queue pairs of a type support an operation. */
  static boolean supported(WrOpcode opcode, QpType type) {
    if (type == QpType.XRC_RECV) {
      return false;
    }
    return switch (opcode) {
      case SEND, SEND_WITH_IMM -> true;
      case RDMA_WRITE, RDMA_WRITE_WITH_IMM, BIND_MW, LOCAL_INV -> type != QpType.UD;
      case SEND_WITH_INV, RDMA_READ, ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD ->
          type == QpType.RC || type == QpType.XRC_SEND;
      case ATOMIC_WRITE, FLUSH -> type == QpType.RC;
      default -> false;
    };
  }

  private static boolean ofNoData(WrOpcode opcode) {
    return switch (opcode) {
      case BIND_MW, LOCAL_INV, FLUSH -> true;
      default -> false;
    };
  }

  private static boolean answered(WrOpcode opcode) {
    return switch (opcode) {
      case RDMA_READ, ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD, ATOMIC_WRITE, FLUSH -> true;
      default -> false;
    };
  }

  private static boolean inlines(WrOpcode opcode) {
    return switch (opcode) {
      case SEND, SEND_WITH_IMM, SEND_WITH_INV, RDMA_WRITE, RDMA_WRITE_WITH_IMM, ATOMIC_WRITE ->
          true;
      default -> false;
    };
  }

  private static boolean ofEightBytes(WrOpcode opcode) {
    return switch (opcode) {
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD, ATOMIC_WRITE -> true;
      default -> false;
    };
  }
}
