package org.roce4j.wire;

import static org.roce4j.wire.ExtensionHeader.AETH;
import static org.roce4j.wire.ExtensionHeader.ATOMIC_ACK_ETH;
import static org.roce4j.wire.ExtensionHeader.ATOMIC_ETH;
import static org.roce4j.wire.ExtensionHeader.CNP_RESERVED;
import static org.roce4j.wire.ExtensionHeader.DETH;
import static org.roce4j.wire.ExtensionHeader.FETH;
import static org.roce4j.wire.ExtensionHeader.IETH;
import static org.roce4j.wire.ExtensionHeader.IMM_DT;
import static org.roce4j.wire.ExtensionHeader.RETH;
import static org.roce4j.wire.ExtensionHeader.XRCETH;
import static org.roce4j.wire.Opcode.Place.FIRST;
import static org.roce4j.wire.Opcode.Place.LAST;
import static org.roce4j.wire.Opcode.Place.MIDDLE;
import static org.roce4j.wire.Opcode.Place.ONLY;
import static org.roce4j.wire.PayloadRule.ANY;
import static org.roce4j.wire.PayloadRule.EIGHT;
import static org.roce4j.wire.PayloadRule.FULL;
import static org.roce4j.wire.PayloadRule.NONE;
import static org.roce4j.wire.PayloadRule.SOME;

import java.util.List;

/**
 * Every opcode of RC, UC, UD, XRC and the congestion notification, one row each: code, transport,
 * operation, place in the message, payload rule, and the extension headers in wire order.
 *
 * <p>Messages of one packet of any kind (READ requests, acknowledgements, atomics, CNP) count as
 * ONLY. RD, which nobody implements, has no rows: its packets are of unknown opcode.
 *
 * <p>Offsets are from byte 0 of the BTH and {@link #ABSENT} for a header the opcode does not have.
 */
public enum Opcode {
  RC_SEND_FIRST(0x00, Transport.RC, Operation.SEND, FIRST, FULL),
  RC_SEND_MIDDLE(0x01, Transport.RC, Operation.SEND, MIDDLE, FULL),
  RC_SEND_LAST(0x02, Transport.RC, Operation.SEND, LAST, SOME),
  RC_SEND_LAST_WITH_IMMEDIATE(0x03, Transport.RC, Operation.SEND, LAST, SOME, IMM_DT),
  RC_SEND_ONLY(0x04, Transport.RC, Operation.SEND, ONLY, ANY),
  RC_SEND_ONLY_WITH_IMMEDIATE(0x05, Transport.RC, Operation.SEND, ONLY, ANY, IMM_DT),
  RC_RDMA_WRITE_FIRST(0x06, Transport.RC, Operation.RDMA_WRITE, FIRST, FULL, RETH),
  RC_RDMA_WRITE_MIDDLE(0x07, Transport.RC, Operation.RDMA_WRITE, MIDDLE, FULL),
  RC_RDMA_WRITE_LAST(0x08, Transport.RC, Operation.RDMA_WRITE, LAST, SOME),
  RC_RDMA_WRITE_LAST_WITH_IMMEDIATE(0x09, Transport.RC, Operation.RDMA_WRITE, LAST, SOME, IMM_DT),
  RC_RDMA_WRITE_ONLY(0x0A, Transport.RC, Operation.RDMA_WRITE, ONLY, ANY, RETH),
  RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE(
      0x0B, Transport.RC, Operation.RDMA_WRITE, ONLY, ANY, RETH, IMM_DT),
  RC_RDMA_READ_REQUEST(0x0C, Transport.RC, Operation.READ_REQUEST, ONLY, NONE, RETH),
  RC_RDMA_READ_RESPONSE_FIRST(0x0D, Transport.RC, Operation.READ_RESPONSE, FIRST, FULL, AETH),
  RC_RDMA_READ_RESPONSE_MIDDLE(0x0E, Transport.RC, Operation.READ_RESPONSE, MIDDLE, FULL),
  RC_RDMA_READ_RESPONSE_LAST(0x0F, Transport.RC, Operation.READ_RESPONSE, LAST, SOME, AETH),
  RC_RDMA_READ_RESPONSE_ONLY(0x10, Transport.RC, Operation.READ_RESPONSE, ONLY, ANY, AETH),
  RC_ACKNOWLEDGE(0x11, Transport.RC, Operation.ACKNOWLEDGE, ONLY, NONE, AETH),
  RC_ATOMIC_ACKNOWLEDGE(
      0x12, Transport.RC, Operation.ATOMIC_ACKNOWLEDGE, ONLY, NONE, AETH, ATOMIC_ACK_ETH),
  RC_COMPARE_SWAP(0x13, Transport.RC, Operation.COMPARE_SWAP, ONLY, NONE, ATOMIC_ETH),
  RC_FETCH_ADD(0x14, Transport.RC, Operation.FETCH_ADD, ONLY, NONE, ATOMIC_ETH),
  RC_SEND_LAST_WITH_INVALIDATE(0x16, Transport.RC, Operation.SEND, LAST, SOME, IETH),
  RC_SEND_ONLY_WITH_INVALIDATE(0x17, Transport.RC, Operation.SEND, ONLY, ANY, IETH),
  RC_FLUSH(0x1C, Transport.RC, Operation.FLUSH, ONLY, NONE, FETH, RETH),
  RC_ATOMIC_WRITE(0x1D, Transport.RC, Operation.ATOMIC_WRITE, ONLY, EIGHT, RETH),
  UC_SEND_FIRST(0x20, Transport.UC, Operation.SEND, FIRST, FULL),
  UC_SEND_MIDDLE(0x21, Transport.UC, Operation.SEND, MIDDLE, FULL),
  UC_SEND_LAST(0x22, Transport.UC, Operation.SEND, LAST, SOME),
  UC_SEND_LAST_WITH_IMMEDIATE(0x23, Transport.UC, Operation.SEND, LAST, SOME, IMM_DT),
  UC_SEND_ONLY(0x24, Transport.UC, Operation.SEND, ONLY, ANY),
  UC_SEND_ONLY_WITH_IMMEDIATE(0x25, Transport.UC, Operation.SEND, ONLY, ANY, IMM_DT),
  UC_RDMA_WRITE_FIRST(0x26, Transport.UC, Operation.RDMA_WRITE, FIRST, FULL, RETH),
  UC_RDMA_WRITE_MIDDLE(0x27, Transport.UC, Operation.RDMA_WRITE, MIDDLE, FULL),
  UC_RDMA_WRITE_LAST(0x28, Transport.UC, Operation.RDMA_WRITE, LAST, SOME),
  UC_RDMA_WRITE_LAST_WITH_IMMEDIATE(0x29, Transport.UC, Operation.RDMA_WRITE, LAST, SOME, IMM_DT),
  UC_RDMA_WRITE_ONLY(0x2A, Transport.UC, Operation.RDMA_WRITE, ONLY, ANY, RETH),
  UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE(
      0x2B, Transport.UC, Operation.RDMA_WRITE, ONLY, ANY, RETH, IMM_DT),
  UD_SEND_ONLY(0x64, Transport.UD, Operation.SEND, ONLY, ANY, DETH),
  UD_SEND_ONLY_WITH_IMMEDIATE(0x65, Transport.UD, Operation.SEND, ONLY, ANY, DETH, IMM_DT),
  CNP(0x81, Transport.CNP, Operation.CNP, ONLY, NONE, CNP_RESERVED),
  XRC_SEND_FIRST(0xA0, Transport.XRC, Operation.SEND, FIRST, FULL, XRCETH),
  XRC_SEND_MIDDLE(0xA1, Transport.XRC, Operation.SEND, MIDDLE, FULL, XRCETH),
  XRC_SEND_LAST(0xA2, Transport.XRC, Operation.SEND, LAST, SOME, XRCETH),
  XRC_SEND_LAST_WITH_IMMEDIATE(0xA3, Transport.XRC, Operation.SEND, LAST, SOME, XRCETH, IMM_DT),
  XRC_SEND_ONLY(0xA4, Transport.XRC, Operation.SEND, ONLY, ANY, XRCETH),
  XRC_SEND_ONLY_WITH_IMMEDIATE(0xA5, Transport.XRC, Operation.SEND, ONLY, ANY, XRCETH, IMM_DT),
  XRC_RDMA_WRITE_FIRST(0xA6, Transport.XRC, Operation.RDMA_WRITE, FIRST, FULL, XRCETH, RETH),
  XRC_RDMA_WRITE_MIDDLE(0xA7, Transport.XRC, Operation.RDMA_WRITE, MIDDLE, FULL, XRCETH),
  XRC_RDMA_WRITE_LAST(0xA8, Transport.XRC, Operation.RDMA_WRITE, LAST, SOME, XRCETH),
  XRC_RDMA_WRITE_LAST_WITH_IMMEDIATE(
      0xA9, Transport.XRC, Operation.RDMA_WRITE, LAST, SOME, XRCETH, IMM_DT),
  XRC_RDMA_WRITE_ONLY(0xAA, Transport.XRC, Operation.RDMA_WRITE, ONLY, ANY, XRCETH, RETH),
  XRC_RDMA_WRITE_ONLY_WITH_IMMEDIATE(
      0xAB, Transport.XRC, Operation.RDMA_WRITE, ONLY, ANY, XRCETH, RETH, IMM_DT),
  XRC_RDMA_READ_REQUEST(0xAC, Transport.XRC, Operation.READ_REQUEST, ONLY, NONE, XRCETH, RETH),
  XRC_RDMA_READ_RESPONSE_FIRST(0xAD, Transport.XRC, Operation.READ_RESPONSE, FIRST, FULL, AETH),
  XRC_RDMA_READ_RESPONSE_MIDDLE(0xAE, Transport.XRC, Operation.READ_RESPONSE, MIDDLE, FULL),
  XRC_RDMA_READ_RESPONSE_LAST(0xAF, Transport.XRC, Operation.READ_RESPONSE, LAST, SOME, AETH),
  XRC_RDMA_READ_RESPONSE_ONLY(0xB0, Transport.XRC, Operation.READ_RESPONSE, ONLY, ANY, AETH),
  XRC_ACKNOWLEDGE(0xB1, Transport.XRC, Operation.ACKNOWLEDGE, ONLY, NONE, AETH),
  XRC_ATOMIC_ACKNOWLEDGE(
      0xB2, Transport.XRC, Operation.ATOMIC_ACKNOWLEDGE, ONLY, NONE, AETH, ATOMIC_ACK_ETH),
  XRC_COMPARE_SWAP(0xB3, Transport.XRC, Operation.COMPARE_SWAP, ONLY, NONE, XRCETH, ATOMIC_ETH),
  XRC_FETCH_ADD(0xB4, Transport.XRC, Operation.FETCH_ADD, ONLY, NONE, XRCETH, ATOMIC_ETH),
  XRC_SEND_LAST_WITH_INVALIDATE(0xB6, Transport.XRC, Operation.SEND, LAST, SOME, XRCETH, IETH),
  XRC_SEND_ONLY_WITH_INVALIDATE(0xB7, Transport.XRC, Operation.SEND, ONLY, ANY, XRCETH, IETH);

  /** The offset of a header that is not there. */
  public static final int ABSENT = -1;

  /** A message of RC or UC has at most this many bytes. */
  public static final long MOST_MESSAGE_BYTES = 1L << 31;

  /** Where in its message a packet stands. */
  public enum Place {
    FIRST,
    MIDDLE,
    LAST,
    ONLY
  }

  private static final Opcode[] BY_CODE = new Opcode[256];
  private static final int TRAITS = 16;
  private static final int OPERATIONS = Operation.values().length;
  private static final Opcode[] BY_TRAITS =
      new Opcode[Transport.values().length * OPERATIONS * TRAITS];

  static {
    for (Opcode op : values()) {
      BY_CODE[op.code] = op;
      BY_TRAITS[
              index(
                  op.transport,
                  op.operation,
                  op.starts,
                  op.ends,
                  op.hasImmediate(),
                  op.hasInvalidate())] =
          op;
    }
  }

  private final int code;
  private final Transport transport;
  private final Operation operation;
  private final Place place;
  private final boolean starts;
  private final boolean ends;
  private final PayloadRule payloadRule;
  private final List<ExtensionHeader> headers;
  private final int xrcEthAt;
  private final int dethAt;
  private final int fethAt;
  private final int rethAt;
  private final int atomicEthAt;
  private final int aethAt;
  private final int atomicAckEthAt;
  private final int immediateAt;
  private final int iethAt;
  private final int headerLength;

  Opcode(
      int code,
      Transport transport,
      Operation operation,
      Place place,
      PayloadRule payloadRule,
      ExtensionHeader... headers) {
    this.code = code;
    this.transport = transport;
    this.operation = operation;
    this.place = place;
    this.starts = place == Place.FIRST || place == Place.ONLY;
    this.ends = place == Place.LAST || place == Place.ONLY;
    this.payloadRule = payloadRule;
    this.headers = List.of(headers);
    this.xrcEthAt = offsetOf(XRCETH);
    this.dethAt = offsetOf(DETH);
    this.fethAt = offsetOf(FETH);
    this.rethAt = offsetOf(RETH);
    this.atomicEthAt = offsetOf(ATOMIC_ETH);
    this.aethAt = offsetOf(AETH);
    this.atomicAckEthAt = offsetOf(ATOMIC_ACK_ETH);
    this.immediateAt = offsetOf(IMM_DT);
    this.iethAt = offsetOf(IETH);
    this.headerLength = Bth.SIZE + this.headers.stream().mapToInt(ExtensionHeader::size).sum();
  }

  /** The opcode with this code (low 8 bits of the BTH's first byte), or null when unknown. */
  public static Opcode of(int code) {
    return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
  }

  /**
   * The opcode of a packet by what it must be, or null when there is none. Allocates nothing.
   *
   * @param starts whether it is the first (or only) packet of its message
   * @param ends whether it is the last (or only) packet of its message
   * @param withImmediate whether it carries immediate data
   * @param withInvalidate whether it carries an R_Key to invalidate
   */
  public static Opcode of(
      Transport transport,
      Operation operation,
      boolean starts,
      boolean ends,
      boolean withImmediate,
      boolean withInvalidate) {
    return BY_TRAITS[index(transport, operation, starts, ends, withImmediate, withInvalidate)];
  }

  /** The eight bits of the BTH's first byte. */
  public int code() {
    return code;
  }

  public Transport transport() {
    return transport;
  }

  public Operation operation() {
    return operation;
  }

  public boolean first() {
    return place == Place.FIRST;
  }

  public boolean middle() {
    return place == Place.MIDDLE;
  }

  public boolean last() {
    return place == Place.LAST;
  }

  public boolean only() {
    return place == Place.ONLY;
  }

  /** FIRST or ONLY. */
  public boolean starts() {
    return starts;
  }

  /** LAST or ONLY. */
  public boolean ends() {
    return ends;
  }

  /** Sent by a requester, for the responder of the other end. */
  public boolean request() {
    return operation.request();
  }

  /** Sent by a responder, for the requester of the other end. */
  public boolean response() {
    return operation.response();
  }

  public boolean hasXrcEth() {
    return xrcEthAt != ABSENT;
  }

  public boolean hasDeth() {
    return dethAt != ABSENT;
  }

  public boolean hasFeth() {
    return fethAt != ABSENT;
  }

  public boolean hasReth() {
    return rethAt != ABSENT;
  }

  public boolean hasAtomicEth() {
    return atomicEthAt != ABSENT;
  }

  public boolean hasAeth() {
    return aethAt != ABSENT;
  }

  public boolean hasAtomicAckEth() {
    return atomicAckEthAt != ABSENT;
  }

  public boolean hasImmediate() {
    return immediateAt != ABSENT;
  }

  public boolean hasInvalidate() {
    return iethAt != ABSENT;
  }

  public int xrcEthAt() {
    return xrcEthAt;
  }

  public int dethAt() {
    return dethAt;
  }

  public int fethAt() {
    return fethAt;
  }

  public int rethAt() {
    return rethAt;
  }

  public int atomicEthAt() {
    return atomicEthAt;
  }

  public int aethAt() {
    return aethAt;
  }

  public int atomicAckEthAt() {
    return atomicAckEthAt;
  }

  public int immediateAt() {
    return immediateAt;
  }

  public int iethAt() {
    return iethAt;
  }

  /** BTH and extension headers: the offset of the payload from byte 0 of the BTH. */
  public int headerLength() {
    return headerLength;
  }

  /** The extension headers in wire order (for people and tests; not for the data path). */
  public List<ExtensionHeader> headers() {
    return headers;
  }

  public PayloadRule payloadRule() {
    return payloadRule;
  }

  /** Whether a legal packet of this opcode can have payload at all. */
  public boolean carriesPayload() {
    return payloadRule != NONE;
  }

  /** Whether {@code payload} bytes are legal on a path of this MTU (bytes). */
  public boolean payloadLegal(int payload, int pathMtu) {
    return payloadRule.legal(payload, pathMtu);
  }

  private static int index(
      Transport transport,
      Operation operation,
      boolean starts,
      boolean ends,
      boolean withImmediate,
      boolean withInvalidate) {
    int traits =
        (starts ? 1 : 0) | (ends ? 2 : 0) | (withImmediate ? 4 : 0) | (withInvalidate ? 8 : 0);
    int row = transport.ordinal() * OPERATIONS + operation.ordinal();
    return row * TRAITS + traits;
  }

  private int offsetOf(ExtensionHeader wanted) {
    int at = Bth.SIZE;
    for (ExtensionHeader header : headers) {
      if (header == wanted) {
        return at;
      }
      at += header.size();
    }
    return ABSENT;
  }
}
