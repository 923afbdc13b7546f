package org.roce4j.wire;

import java.nio.ByteBuffer;

/**
 * A received packet, checked once and then trusted. One object is reused for every packet of an
 * engine: {@link #decode} copies all header fields into plain fields, so that what was checked is
 * what is used even if the bytes change, and no getter can fail. Fields of headers that the opcode
 * does not have are 0. Nothing is allocated.
 *
 * <p>Decoding refuses only what cannot be answered (too short, unknown opcode, wrong version:
 * dropped silently). Illegal pad counts and payload sizes are for the transport to answer: see
 * {@link #padLegal} and {@link Opcode#payloadLegal}.
 *
 * <p>After a verdict other than {@link Verdict#OK} the getters keep no meaning. Not thread-safe.
 */
public final class InboundPacket {
  /** The result of decoding a datagram. */
  public enum Verdict {
    /** Checked; the getters hold the packet's fields. */
    OK,
    /** Shorter than the headers of its opcode, its pad and the ICRC (or outside the buffer). */
    TOO_SHORT,
    /** No row in {@link Opcode}. */
    UNKNOWN_OPCODE,
    /** Transport header version other than 0. */
    BAD_VERSION
  }

  private ByteBuffer buffer;
  private int at;
  private int length;
  private Opcode opcode;
  private boolean solicited;
  private boolean migReq;
  private boolean fecn;
  private boolean becn;
  private boolean ackReq;
  private int padCount;
  private int pkey;
  private int destQp;
  private int psn;
  private int payloadLength;
  private long rethVa;
  private int rethRkey;
  private long rethLength;
  private int syndrome;
  private int msn;
  private int qkey;
  private int sourceQp;
  private long atomicVa;
  private int atomicRkey;
  private long swapOrAdd;
  private long compare;
  private long originalData;
  private int immediate;
  private int invalidateRkey;
  private int xrcSrqn;
  private int flushPlacement;
  private int flushSelectivity;

  /**
   * Checks and reads a packet.
   *
   * @param b where it lies; position and limit are not used and not changed
   * @param at index of the first byte of the BTH
   * @param length bytes of UDP payload: BTH up to and including the ICRC
   */
  public Verdict decode(ByteBuffer b, int at, int length) {
    if (at < 0 || length < Bth.SIZE + Icrc.SIZE || length > b.limit() - at) {
      return Verdict.TOO_SHORT;
    }
    Opcode op = Opcode.of(Bth.opcode(b, at));
    if (op == null) {
      return Verdict.UNKNOWN_OPCODE;
    }
    int flags = BigEndian.get8(b, at + Bth.FLAGS);
    int pad = flags >> 4 & 3;
    int payload = length - op.headerLength() - pad - Icrc.SIZE;
    if (payload < 0) {
      return Verdict.TOO_SHORT;
    }
    if ((flags & 0xF) != Bth.VERSION) {
      return Verdict.BAD_VERSION;
    }
    this.buffer = b;
    this.at = at;
    this.length = length;
    this.opcode = op;
    this.solicited = (flags & 0x80) != 0;
    this.migReq = (flags & 0x40) != 0;
    this.padCount = pad;
    this.payloadLength = payload;
    this.pkey = Bth.pkey(b, at);
    this.fecn = Bth.fecn(b, at);
    this.becn = Bth.becn(b, at);
    this.destQp = Bth.destQp(b, at);
    this.ackReq = Bth.ackReq(b, at);
    this.psn = Bth.psn(b, at);
    readExtensions(b, at, op);
    return Verdict.OK;
  }

  private void readExtensions(ByteBuffer b, int at, Opcode op) {
    boolean reth = op.hasReth();
    rethVa = reth ? Reth.va(b, at + op.rethAt()) : 0;
    rethRkey = reth ? Reth.rkey(b, at + op.rethAt()) : 0;
    rethLength = reth ? Reth.length(b, at + op.rethAt()) : 0;
    boolean aeth = op.hasAeth();
    syndrome = aeth ? Aeth.syndrome(b, at + op.aethAt()) : 0;
    msn = aeth ? Aeth.msn(b, at + op.aethAt()) : 0;
    immediate = op.hasImmediate() ? ImmDt.immediate(b, at + op.immediateAt()) : 0;
    invalidateRkey = op.hasInvalidate() ? Ieth.rkey(b, at + op.iethAt()) : 0;
    boolean deth = op.hasDeth();
    qkey = deth ? Deth.qkey(b, at + op.dethAt()) : 0;
    sourceQp = deth ? Deth.sourceQp(b, at + op.dethAt()) : 0;
    boolean atomic = op.hasAtomicEth();
    atomicVa = atomic ? AtomicEth.va(b, at + op.atomicEthAt()) : 0;
    atomicRkey = atomic ? AtomicEth.rkey(b, at + op.atomicEthAt()) : 0;
    swapOrAdd = atomic ? AtomicEth.swapOrAdd(b, at + op.atomicEthAt()) : 0;
    compare = atomic ? AtomicEth.compare(b, at + op.atomicEthAt()) : 0;
    originalData =
        op.hasAtomicAckEth() ? AtomicAckEth.originalData(b, at + op.atomicAckEthAt()) : 0;
    xrcSrqn = op.hasXrcEth() ? XrcEth.srqn(b, at + op.xrcEthAt()) : 0;
    boolean flush = op.hasFeth();
    flushPlacement = flush ? Feth.placement(b, at + op.fethAt()) : 0;
    flushSelectivity = flush ? Feth.selectivity(b, at + op.fethAt()) : 0;
  }

  /** Where the packet lies; the payload is read from here, fields have been copied. */
  public ByteBuffer buffer() {
    return buffer;
  }

  /** Index of the BTH in {@link #buffer}. */
  public int at() {
    return at;
  }

  /** BTH up to and including the ICRC, in bytes. */
  public int length() {
    return length;
  }

  /** The row of the packet's opcode. */
  public Opcode opcode() {
    return opcode;
  }

  /** BTH: {@link Bth#solicited}. */
  public boolean solicited() {
    return solicited;
  }

  /** BTH: {@link Bth#migReq}. */
  public boolean migReq() {
    return migReq;
  }

  /** BTH: pad bytes after the payload, 0..3; {@link #padLegal} compares them with the payload. */
  public int padCount() {
    return padCount;
  }

  /** BTH: partition key, 0..0xFFFF. */
  public int pkey() {
    return pkey;
  }

  /** BTH: {@link Bth#fecn}. */
  public boolean fecn() {
    return fecn;
  }

  /** BTH: {@link Bth#becn}. */
  public boolean becn() {
    return becn;
  }

  /** BTH: number of the receiving queue pair, 24 bits. */
  public int destQp() {
    return destQp;
  }

  /** BTH: {@link Bth#ackReq}. */
  public boolean ackReq() {
    return ackReq;
  }

  /** BTH: packet sequence number, 24 bits. */
  public int psn() {
    return psn;
  }

  /** Index of the payload in {@link #buffer}. */
  public int payloadAt() {
    return at + opcode.headerLength();
  }

  /** Payload bytes without the pad; never negative. */
  public int payloadLength() {
    return payloadLength;
  }

  /**
   * Whether the pad fills the payload up to a multiple of 4, which also says that the whole packet
   * is one.
   */
  public boolean padLegal() {
    return padCount == OutboundPacket.pad(payloadLength);
  }

  /** RETH: remote address. */
  public long rethVa() {
    return rethVa;
  }

  /** RETH: key of the remote memory. */
  public int rethRkey() {
    return rethRkey;
  }

  /** DMA length, 0 .. 2^32-1 as sent; legal up to 2^31. */
  public long rethLength() {
    return rethLength;
  }

  /** AETH syndrome, 0..255; see the predicates of {@link Aeth}. */
  public int syndrome() {
    return syndrome;
  }

  /** AETH: completed messages, 24 bits; see {@link Aeth#msn}. */
  public int msn() {
    return msn;
  }

  /** DETH: queue key of the sender's choice. */
  public int qkey() {
    return qkey;
  }

  /** DETH: number of the sender's queue pair, 24 bits. */
  public int sourceQp() {
    return sourceQp;
  }

  /** AtomicETH: address of the eight bytes. */
  public long atomicVa() {
    return atomicVa;
  }

  /** AtomicETH: key of the remote memory. */
  public int atomicRkey() {
    return atomicRkey;
  }

  /** AtomicETH: {@link AtomicEth#swapOrAdd}. */
  public long swapOrAdd() {
    return swapOrAdd;
  }

  /** AtomicETH: {@link AtomicEth#compare}. */
  public long compare() {
    return compare;
  }

  /** AtomicAckETH: the memory before the operation. */
  public long originalData() {
    return originalData;
  }

  /** Immediate data as the number whose network order is on the wire. */
  public int immediate() {
    return immediate;
  }

  /** IETH: the key to invalidate. */
  public int invalidateRkey() {
    return invalidateRkey;
  }

  /** XRCETH: number of the shared receive queue, 24 bits. */
  public int xrcSrqn() {
    return xrcSrqn;
  }

  /** Bits of {@link Feth#PLACEMENT_GLOBAL} and {@link Feth#PLACEMENT_PERSISTENT}. */
  public int flushPlacement() {
    return flushPlacement;
  }

  /** {@link Feth#SELECT_RANGE}, {@link Feth#SELECT_MR} or a reserved value. */
  public int flushSelectivity() {
    return flushSelectivity;
  }
}
