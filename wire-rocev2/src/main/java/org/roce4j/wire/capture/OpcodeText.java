package org.roce4j.wire.capture;

import org.roce4j.wire.Opcode;

/** Opcodes in the words of packet dissectors. */
final class OpcodeText {
  private OpcodeText() {}

  /** {@code RC SEND First}, {@code RC RDMA WRITE Only Immediate}, {@code UC SEND Last}, ... */
  static String of(Opcode op) {
    String operation =
        switch (op.operation()) {
          case SEND -> "SEND" + place(op);
          case RDMA_WRITE -> "RDMA WRITE" + place(op);
          case READ_REQUEST -> "RDMA READ Request";
          case READ_RESPONSE -> "RDMA READ Response" + place(op);
          case ACKNOWLEDGE -> "Acknowledge";
          case ATOMIC_ACKNOWLEDGE -> "Atomic Acknowledge";
          case COMPARE_SWAP -> "Compare Swap";
          case FETCH_ADD -> "Fetch Add";
          case FLUSH -> "Flush";
          case ATOMIC_WRITE -> "Atomic Write";
          case CNP -> "";
        };
    String suffix = op.hasImmediate() ? " Immediate" : op.hasInvalidate() ? " Invalidate" : "";
    return (op.transport() + " " + operation + suffix).strip();
  }

  private static String place(Opcode op) {
    if (op.first()) {
      return " First";
    }
    if (op.middle()) {
      return " Middle";
    }
    return op.last() ? " Last" : " Only";
  }
}
