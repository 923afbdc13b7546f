package org.roce4j.engine.responder;

import org.roce4j.wire.Opcode;
import org.roce4j.wire.Operation;

/**
 * The message whose packets are still arriving. SEND and RDMA WRITE messages are FIRST, MIDDLE*,
 * LAST without interruption, or ONLY; all other requests are one packet.
 */
enum OpenMessage {
  NONE,
  SEND,
  WRITE;

  /** Whether the opcode may come next. */
  boolean accepts(Opcode opcode) {
    return switch (this) {
      case NONE -> opcode.starts();
      case SEND -> opcode.operation() == Operation.SEND && !opcode.starts();
      case WRITE -> opcode.operation() == Operation.RDMA_WRITE && !opcode.starts();
    };
  }

  /** The open message after this packet of a SEND or RDMA WRITE. */
  static OpenMessage after(Opcode opcode) {
    if (opcode.ends()) {
      return NONE;
    }
    return opcode.operation() == Operation.SEND ? SEND : WRITE;
  }
}
