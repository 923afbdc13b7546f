package org.roce4j.engine.requester;

import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Operation;
import org.roce4j.wire.Transport;

/** How the requester of a reliable connection treats a work request (rc-transport 3). */
enum RequestKind {
  /** SEND and RDMA WRITE: segmented into packets; an ACK of a later PSN acknowledges them. */
  MESSAGE(false, true),
  /** RDMA READ: a request packet takes the PSNs of the response packets that it asks for. */
  READ(true, false),
  /** COMPARE_SWAP and FETCH_ADD: one packet, answered with the value before the operation. */
  ATOMIC(true, false),
  /** ATOMIC_WRITE: one packet of eight bytes, answered by an empty READ response. */
  ATOMIC_WRITE(true, true),
  /** FLUSH: one packet, answered by an empty READ response. */
  FLUSH(true, false),
  /** LOCAL_INV and BIND_MW: take no PSN and never leave the device. */
  LOCAL(false, false);

  /** See {@link #needsResponse()}. */
  private final boolean needsResponse;

  /** See {@link #carriesPayload()}. */
  private final boolean carriesPayload;

  RequestKind(boolean needsResponse, boolean carriesPayload) {
    this.needsResponse = needsResponse;
    this.carriesPayload = carriesPayload;
  }

  static RequestKind of(WrOpcode request) {
    return switch (request) {
      case RDMA_READ -> READ;
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD -> ATOMIC;
      case ATOMIC_WRITE -> ATOMIC_WRITE;
      case FLUSH -> FLUSH;
      case LOCAL_INV, BIND_MW -> LOCAL;
      default -> MESSAGE;
    };
  }

  /**
   * Whether only data answers the operation: no plain ACK covers it (R2). Its request always asks
   * for an acknowledgement and takes a max_rd_atomic credit.
   */
  boolean needsResponse() {
    return needsResponse;
  }

  /** Whether request packets carry bytes of the local buffers. */
  boolean carriesPayload() {
    return carriesPayload;
  }

  /** PSNs of a request of {@code length} bytes. */
  int packets(long length, int pathMtu) {
    return switch (this) {
      case MESSAGE, READ -> Segmentation.packets(length, pathMtu);
      case ATOMIC, ATOMIC_WRITE, FLUSH -> 1;
      case LOCAL -> 0;
    };
  }

  /**
   * The opcode of a request packet.
   *
   * @param transport RC or XRC
   */
  Opcode opcode(Transport transport, WrOpcode request, boolean first, boolean last) {
    return switch (this) {
      case MESSAGE -> Segmentation.opcode(transport, request, first, last);
      case READ -> whole(transport, Operation.READ_REQUEST);
      case ATOMIC ->
          whole(
              transport,
              request == WrOpcode.ATOMIC_CMP_AND_SWP
                  ? Operation.COMPARE_SWAP
                  : Operation.FETCH_ADD);
      case ATOMIC_WRITE -> whole(transport, Operation.ATOMIC_WRITE);
      case FLUSH -> whole(transport, Operation.FLUSH);
      case LOCAL -> throw new AssertionError(request + " is not sent");
    };
  }

  private static Opcode whole(Transport transport, Operation operation) {
    return Opcode.of(transport, operation, true, true, false, false);
  }
}
