package org.roce4j.engine.requester;

import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Operation;
import org.roce4j.wire.Transport;

/** The segmentation of messages into packets (rc-transport 3; wire-format 5). Pure functions. */
final class Segmentation {
  /** Why a longer request fails with LOC_LEN_ERR. */
  static final String TOO_LONG = "a message has at most 2^31 bytes";

  private Segmentation() {}

  /** PSNs of a message: max(1, ceil(length / path MTU)). */
  static int packets(long length, int pathMtu) {
    return length <= pathMtu ? 1 : (int) ((length + pathMtu - 1) / pathMtu);
  }

  /** Payload bytes of packet {@code index}, counted from 0. */
  static int payload(long length, int pathMtu, int index) {
    return (int) Math.min(pathMtu, length - (long) index * pathMtu);
  }

  /** Payload bytes of packets {@code [from, to)}. */
  static long payloadBetween(long length, int pathMtu, long from, long to) {
    return Math.min(length, to * pathMtu) - Math.min(length, from * pathMtu);
  }

  /** The opcode of a packet of a SEND or RDMA WRITE message. */
  static Opcode opcode(Transport transport, WrOpcode request, boolean first, boolean last) {
    return switch (request) {
      case SEND -> Opcode.of(transport, Operation.SEND, first, last, false, false);
      case SEND_WITH_IMM -> Opcode.of(transport, Operation.SEND, first, last, last, false);
      case SEND_WITH_INV -> Opcode.of(transport, Operation.SEND, first, last, false, last);
      case RDMA_WRITE -> Opcode.of(transport, Operation.RDMA_WRITE, first, last, false, false);
      case RDMA_WRITE_WITH_IMM ->
          Opcode.of(transport, Operation.RDMA_WRITE, first, last, last, false);
      default -> throw new AssertionError(request + " is not cut into packets");
    };
  }
}
