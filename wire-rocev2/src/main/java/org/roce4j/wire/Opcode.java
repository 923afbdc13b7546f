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
  /** 0x00: begins a SEND longer than the path MTU; the responder takes a receive request for it. */
  RC_SEND_FIRST(0x00, Transport.RC, Operation.SEND, FIRST, FULL),
  /** 0x01: goes on with a SEND; its own place in the message follows from the PSN alone. */
  RC_SEND_MIDDLE(0x01, Transport.RC, Operation.SEND, MIDDLE, FULL),
  /** 0x02: ends a SEND; the receiver's completion is {@code IBV_WC_RECV}. */
  RC_SEND_LAST(0x02, Transport.RC, Operation.SEND, LAST, SOME),
  /** 0x03: ends a SEND; immediate data goes into the receiver's completion. */
  RC_SEND_LAST_WITH_IMMEDIATE(0x03, Transport.RC, Operation.SEND, LAST, SOME, IMM_DT),
  /** 0x04: a SEND of one packet, also one of no bytes. */
  RC_SEND_ONLY(0x04, Transport.RC, Operation.SEND, ONLY, ANY),
  /** 0x05: a SEND of one packet with immediate data. */
  RC_SEND_ONLY_WITH_IMMEDIATE(0x05, Transport.RC, Operation.SEND, ONLY, ANY, IMM_DT),
  /** 0x06: begins a WRITE longer than the path MTU; the RETH contains the whole length. */
  RC_RDMA_WRITE_FIRST(0x06, Transport.RC, Operation.RDMA_WRITE, FIRST, FULL, RETH),
  /** 0x07: goes on with a WRITE, after the bytes of the packet before. */
  RC_RDMA_WRITE_MIDDLE(0x07, Transport.RC, Operation.RDMA_WRITE, MIDDLE, FULL),
  /** 0x08: ends a WRITE; the peer's program learns nothing of it. */
  RC_RDMA_WRITE_LAST(0x08, Transport.RC, Operation.RDMA_WRITE, LAST, SOME),
  /** 0x09: ends a WRITE and consumes a receive request ({@code IBV_WC_RECV_RDMA_WITH_IMM}). */
  RC_RDMA_WRITE_LAST_WITH_IMMEDIATE(0x09, Transport.RC, Operation.RDMA_WRITE, LAST, SOME, IMM_DT),
  /** 0x0A: a WRITE of one packet, also one of no bytes, whose key is not checked. */
  RC_RDMA_WRITE_ONLY(0x0A, Transport.RC, Operation.RDMA_WRITE, ONLY, ANY, RETH),
  /**
   * 0x0B: a WRITE of one packet that consumes a receive request; the RETH is before the immediate
   * data.
   */
  RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE(
      0x0B, Transport.RC, Operation.RDMA_WRITE, ONLY, ANY, RETH, IMM_DT),
  /**
   * 0x0C: asks for up to 2^31 bytes; the PSNs of the responses are its own and those that follow.
   */
  RC_RDMA_READ_REQUEST(0x0C, Transport.RC, Operation.READ_REQUEST, ONLY, NONE, RETH),
  /** 0x0D: begins the answer to a READ; its AETH acknowledges all requests before the READ. */
  RC_RDMA_READ_RESPONSE_FIRST(0x0D, Transport.RC, Operation.READ_RESPONSE, FIRST, FULL, AETH),
  /** 0x0E: goes on with the answer; the only response without an AETH. */
  RC_RDMA_READ_RESPONSE_MIDDLE(0x0E, Transport.RC, Operation.READ_RESPONSE, MIDDLE, FULL),
  /** 0x0F: ends the answer to a READ. */
  RC_RDMA_READ_RESPONSE_LAST(0x0F, Transport.RC, Operation.READ_RESPONSE, LAST, SOME, AETH),
  /** 0x10: the whole answer to a READ, or to the rest of a READ that was requested again. */
  RC_RDMA_READ_RESPONSE_ONLY(0x10, Transport.RC, Operation.READ_RESPONSE, ONLY, ANY, AETH),
  /** 0x11: an ACK, NAK or RNR NAK; it may acknowledge many requests at once. */
  RC_ACKNOWLEDGE(0x11, Transport.RC, Operation.ACKNOWLEDGE, ONLY, NONE, AETH),
  /** 0x12: the answer to COMPARE_SWAP or FETCH_ADD; repeated from memory for a duplicate. */
  RC_ATOMIC_ACKNOWLEDGE(
      0x12, Transport.RC, Operation.ATOMIC_ACKNOWLEDGE, ONLY, NONE, AETH, ATOMIC_ACK_ETH),
  /** 0x13: an atomic operation; the AtomicETH contains the operands, and there is no payload. */
  RC_COMPARE_SWAP(0x13, Transport.RC, Operation.COMPARE_SWAP, ONLY, NONE, ATOMIC_ETH),
  /** 0x14: an atomic operation; the compare operand has no meaning. */
  RC_FETCH_ADD(0x14, Transport.RC, Operation.FETCH_ADD, ONLY, NONE, ATOMIC_ETH),
  /** 0x16: ends a SEND and invalidates a key of the receiver ({@code IBV_WC_WITH_INV}). */
  RC_SEND_LAST_WITH_INVALIDATE(0x16, Transport.RC, Operation.SEND, LAST, SOME, IETH),
  /** 0x17: a SEND of one packet that invalidates a key of the receiver. */
  RC_SEND_ONLY_WITH_INVALIDATE(0x17, Transport.RC, Operation.SEND, ONLY, ANY, IETH),
  /** 0x1C: memory placement extension; answered by a READ response of no bytes. */
  RC_FLUSH(0x1C, Transport.RC, Operation.FLUSH, ONLY, NONE, FETH, RETH),
  /**
   * 0x1D: memory placement extension; eight bytes of payload, answered by a READ response of no
   * bytes.
   */
  RC_ATOMIC_WRITE(0x1D, Transport.RC, Operation.ATOMIC_WRITE, ONLY, EIGHT, RETH),
  /**
   * 0x20: begins a SEND longer than the path MTU; a lost packet abandons the message without a
   * word.
   */
  UC_SEND_FIRST(0x20, Transport.UC, Operation.SEND, FIRST, FULL),
  /** 0x21: goes on with a SEND; dropped where the PSN is not the expected one. */
  UC_SEND_MIDDLE(0x21, Transport.UC, Operation.SEND, MIDDLE, FULL),
  /** 0x22: ends a SEND. */
  UC_SEND_LAST(0x22, Transport.UC, Operation.SEND, LAST, SOME),
  /** 0x23: ends a SEND with immediate data. */
  UC_SEND_LAST_WITH_IMMEDIATE(0x23, Transport.UC, Operation.SEND, LAST, SOME, IMM_DT),
  /** 0x24: a SEND of one packet; also brings the expected PSN up to date after a loss. */
  UC_SEND_ONLY(0x24, Transport.UC, Operation.SEND, ONLY, ANY),
  /** 0x25: a SEND of one packet with immediate data. */
  UC_SEND_ONLY_WITH_IMMEDIATE(0x25, Transport.UC, Operation.SEND, ONLY, ANY, IMM_DT),
  /** 0x26: begins a WRITE longer than the path MTU; bytes before a loss stay written. */
  UC_RDMA_WRITE_FIRST(0x26, Transport.UC, Operation.RDMA_WRITE, FIRST, FULL, RETH),
  /** 0x27: goes on with a WRITE; dropped where the PSN is not the expected one. */
  UC_RDMA_WRITE_MIDDLE(0x27, Transport.UC, Operation.RDMA_WRITE, MIDDLE, FULL),
  /** 0x28: ends a WRITE. */
  UC_RDMA_WRITE_LAST(0x28, Transport.UC, Operation.RDMA_WRITE, LAST, SOME),
  /** 0x29: ends a WRITE and consumes a receive request; without one the message is dropped. */
  UC_RDMA_WRITE_LAST_WITH_IMMEDIATE(0x29, Transport.UC, Operation.RDMA_WRITE, LAST, SOME, IMM_DT),
  /** 0x2A: a WRITE of one packet; also brings the expected PSN up to date after a loss. */
  UC_RDMA_WRITE_ONLY(0x2A, Transport.UC, Operation.RDMA_WRITE, ONLY, ANY, RETH),
  /** 0x2B: a WRITE of one packet that consumes a receive request. */
  UC_RDMA_WRITE_ONLY_WITH_IMMEDIATE(
      0x2B, Transport.UC, Operation.RDMA_WRITE, ONLY, ANY, RETH, IMM_DT),
  /**
   * 0x64: a datagram, also used by connection managers; the receive request needs 40 bytes more for
   * the GRH.
   */
  UD_SEND_ONLY(0x64, Transport.UD, Operation.SEND, ONLY, ANY, DETH),
  /** 0x65: a datagram with immediate data. */
  UD_SEND_ONLY_WITH_IMMEDIATE(0x65, Transport.UD, Operation.SEND, ONLY, ANY, DETH, IMM_DT),
  /**
   * 0x81: congestion notification (RoCEv2 annex A17.9.3); for the queue pair that has sent the
   * marked packet, of no PSN.
   */
  CNP(0x81, Transport.CNP, Operation.CNP, ONLY, NONE, CNP_RESERVED),
  /** 0xA0: as 0x00; the XRCETH names the shared receive queue that the message is for. */
  XRC_SEND_FIRST(0xA0, Transport.XRC, Operation.SEND, FIRST, FULL, XRCETH),
  /** 0xA1: as 0x01; every request has the XRCETH, not the first packet alone. */
  XRC_SEND_MIDDLE(0xA1, Transport.XRC, Operation.SEND, MIDDLE, FULL, XRCETH),
  /** 0xA2: as 0x02; the completion is on the completion queue of the shared receive queue. */
  XRC_SEND_LAST(0xA2, Transport.XRC, Operation.SEND, LAST, SOME, XRCETH),
  /** 0xA3: as 0x03; the XRCETH is before the immediate data. */
  XRC_SEND_LAST_WITH_IMMEDIATE(0xA3, Transport.XRC, Operation.SEND, LAST, SOME, XRCETH, IMM_DT),
  /** 0xA4: as 0x04, to a shared receive queue. */
  XRC_SEND_ONLY(0xA4, Transport.XRC, Operation.SEND, ONLY, ANY, XRCETH),
  /** 0xA5: as 0x05, to a shared receive queue. */
  XRC_SEND_ONLY_WITH_IMMEDIATE(0xA5, Transport.XRC, Operation.SEND, ONLY, ANY, XRCETH, IMM_DT),
  /** 0xA6: as 0x06; the XRCETH, which a WRITE does not need, is before the RETH. */
  XRC_RDMA_WRITE_FIRST(0xA6, Transport.XRC, Operation.RDMA_WRITE, FIRST, FULL, XRCETH, RETH),
  /** 0xA7: as 0x07. */
  XRC_RDMA_WRITE_MIDDLE(0xA7, Transport.XRC, Operation.RDMA_WRITE, MIDDLE, FULL, XRCETH),
  /** 0xA8: as 0x08. */
  XRC_RDMA_WRITE_LAST(0xA8, Transport.XRC, Operation.RDMA_WRITE, LAST, SOME, XRCETH),
  /** 0xA9: as 0x09; the receive request comes from the shared receive queue. */
  XRC_RDMA_WRITE_LAST_WITH_IMMEDIATE(
      0xA9, Transport.XRC, Operation.RDMA_WRITE, LAST, SOME, XRCETH, IMM_DT),
  /** 0xAA: as 0x0A. */
  XRC_RDMA_WRITE_ONLY(0xAA, Transport.XRC, Operation.RDMA_WRITE, ONLY, ANY, XRCETH, RETH),
  /** 0xAB: as 0x0B; the receive request comes from the shared receive queue. */
  XRC_RDMA_WRITE_ONLY_WITH_IMMEDIATE(
      0xAB, Transport.XRC, Operation.RDMA_WRITE, ONLY, ANY, XRCETH, RETH, IMM_DT),
  /** 0xAC: as 0x0C; the responses have no XRCETH, nor has any other. */
  XRC_RDMA_READ_REQUEST(0xAC, Transport.XRC, Operation.READ_REQUEST, ONLY, NONE, XRCETH, RETH),
  /** 0xAD: as 0x0D. */
  XRC_RDMA_READ_RESPONSE_FIRST(0xAD, Transport.XRC, Operation.READ_RESPONSE, FIRST, FULL, AETH),
  /** 0xAE: as 0x0E. */
  XRC_RDMA_READ_RESPONSE_MIDDLE(0xAE, Transport.XRC, Operation.READ_RESPONSE, MIDDLE, FULL),
  /** 0xAF: as 0x0F. */
  XRC_RDMA_READ_RESPONSE_LAST(0xAF, Transport.XRC, Operation.READ_RESPONSE, LAST, SOME, AETH),
  /** 0xB0: as 0x10. */
  XRC_RDMA_READ_RESPONSE_ONLY(0xB0, Transport.XRC, Operation.READ_RESPONSE, ONLY, ANY, AETH),
  /** 0xB1: as 0x11. */
  XRC_ACKNOWLEDGE(0xB1, Transport.XRC, Operation.ACKNOWLEDGE, ONLY, NONE, AETH),
  /** 0xB2: as 0x12. */
  XRC_ATOMIC_ACKNOWLEDGE(
      0xB2, Transport.XRC, Operation.ATOMIC_ACKNOWLEDGE, ONLY, NONE, AETH, ATOMIC_ACK_ETH),
  /** 0xB3: as 0x13; with XRCETH and AtomicETH it has the longest headers of all, 44 bytes. */
  XRC_COMPARE_SWAP(0xB3, Transport.XRC, Operation.COMPARE_SWAP, ONLY, NONE, XRCETH, ATOMIC_ETH),
  /** 0xB4: as 0x14. */
  XRC_FETCH_ADD(0xB4, Transport.XRC, Operation.FETCH_ADD, ONLY, NONE, XRCETH, ATOMIC_ETH),
  /** 0xB6: as 0x16. */
  XRC_SEND_LAST_WITH_INVALIDATE(0xB6, Transport.XRC, Operation.SEND, LAST, SOME, XRCETH, IETH),
  /** 0xB7: as 0x17. */
  XRC_SEND_ONLY_WITH_INVALIDATE(0xB7, Transport.XRC, Operation.SEND, ONLY, ANY, XRCETH, IETH);

  /** The offset of a header that is not there. */
  public static final int ABSENT = -1;

  /** A message of RC or UC has at most this many bytes. */
  public static final long MOST_MESSAGE_BYTES = 1L << 31;

  /** The place of a packet in its message. */
  public enum Place {
    /** The first of several packets. */
    FIRST,
    /** Neither the first nor the last. */
    MIDDLE,
    /** The last of several packets. */
    LAST,
    /** The whole message in one packet. */
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

  /** Bits 7..5 of the code. */
  public Transport transport() {
    return transport;
  }

  /** The operation of the packet; the same for all packets of a message. */
  public Operation operation() {
    return operation;
  }

  /** The first of several packets; {@link #starts} counts ONLY too. */
  public boolean first() {
    return place == Place.FIRST;
  }

  /** Neither begins nor ends its message. */
  public boolean middle() {
    return place == Place.MIDDLE;
  }

  /** The last of several packets; {@link #ends} counts ONLY too. */
  public boolean last() {
    return place == Place.LAST;
  }

  /** The whole message. */
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

  /** Whether it is a request of XRC. */
  public boolean hasXrcEth() {
    return xrcEthAt != ABSENT;
  }

  /** Whether it is a datagram of UD. */
  public boolean hasDeth() {
    return dethAt != ABSENT;
  }

  /** Whether it is a FLUSH. */
  public boolean hasFeth() {
    return fethAt != ABSENT;
  }

  /**
   * Whether it names remote memory with a length: READ, FLUSH, ATOMIC_WRITE, the first packet of a
   * WRITE.
   */
  public boolean hasReth() {
    return rethAt != ABSENT;
  }

  /** Whether it is COMPARE_SWAP or FETCH_ADD. */
  public boolean hasAtomicEth() {
    return atomicEthAt != ABSENT;
  }

  /** Whether it acknowledges: every response but a READ response in the middle. */
  public boolean hasAeth() {
    return aethAt != ABSENT;
  }

  /** Whether it answers COMPARE_SWAP or FETCH_ADD. */
  public boolean hasAtomicAckEth() {
    return atomicAckEthAt != ABSENT;
  }

  /** Whether it carries immediate data. */
  public boolean hasImmediate() {
    return immediateAt != ABSENT;
  }

  /** Whether it carries a key to invalidate. */
  public boolean hasInvalidate() {
    return iethAt != ABSENT;
  }

  /** Offset of the {@link XrcEth}. */
  public int xrcEthAt() {
    return xrcEthAt;
  }

  /** Offset of the {@link Deth}. */
  public int dethAt() {
    return dethAt;
  }

  /** Offset of the {@link Feth}. */
  public int fethAt() {
    return fethAt;
  }

  /** Offset of the {@link Reth}. */
  public int rethAt() {
    return rethAt;
  }

  /** Offset of the {@link AtomicEth}. */
  public int atomicEthAt() {
    return atomicEthAt;
  }

  /** Offset of the {@link Aeth}. */
  public int aethAt() {
    return aethAt;
  }

  /** Offset of the {@link AtomicAckEth}. */
  public int atomicAckEthAt() {
    return atomicAckEthAt;
  }

  /** Offset of the {@link ImmDt}. */
  public int immediateAt() {
    return immediateAt;
  }

  /** Offset of the {@link Ieth}. */
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
