package org.roce4j.benchmarks;

import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/** The exchange of two engines in one turn: always {@link #DATA_PACKETS} packets with data. */
public enum EngineExchange {
  RC_SEND_64B(QpType.RC, WrOpcode.SEND, 64),
  RC_SEND_64K(QpType.RC, WrOpcode.SEND, 1 << 16),
  RC_SEND_IMM_64B(QpType.RC, WrOpcode.SEND_WITH_IMM, 64),
  RC_WRITE_64B(QpType.RC, WrOpcode.RDMA_WRITE, 64),
  RC_WRITE_64K(QpType.RC, WrOpcode.RDMA_WRITE, 1 << 16),
  RC_WRITE_IMM_64B(QpType.RC, WrOpcode.RDMA_WRITE_WITH_IMM, 64),
  RC_READ_64B(QpType.RC, WrOpcode.RDMA_READ, 64),
  RC_READ_64K(QpType.RC, WrOpcode.RDMA_READ, 1 << 16),
  RC_FETCH_ADD(QpType.RC, WrOpcode.ATOMIC_FETCH_AND_ADD, 8),
  RC_COMPARE_SWAP(QpType.RC, WrOpcode.ATOMIC_CMP_AND_SWP, 8),
  RC_ATOMIC_WRITE(QpType.RC, WrOpcode.ATOMIC_WRITE, 8),
  UC_SEND_64B(QpType.UC, WrOpcode.SEND, 64),
  UC_SEND_64K(QpType.UC, WrOpcode.SEND, 1 << 16),
  UC_WRITE_64B(QpType.UC, WrOpcode.RDMA_WRITE, 64),
  UC_WRITE_64K(QpType.UC, WrOpcode.RDMA_WRITE, 1 << 16),
  UD_SEND_64B(QpType.UD, WrOpcode.SEND, 64);

  /** Sixteen packets of one full path MTU, or sixteen small messages. */
  public static final int DATA_PACKETS = 16;

  private final QpType type;
  private final WrOpcode opcode;
  private final int bytes;

  EngineExchange(QpType type, WrOpcode opcode, int bytes) {
    this.type = type;
    this.opcode = opcode;
    this.bytes = bytes;
  }

  QpType type() {
    return type;
  }

  private int messages() {
    return bytes > 4096 ? 1 : DATA_PACKETS;
  }

  SendRequestList requests(EnginePair pair) {
    return pair.requests(opcode, messages(), bytes);
  }

  /** Receive requests for the responder, or null if it needs none. */
  RecvRequestList receives(EnginePair pair) {
    return switch (opcode) {
      case SEND, SEND_WITH_IMM, RDMA_WRITE_WITH_IMM -> pair.receives(messages(), bytes);
      default -> null;
    };
  }
}
