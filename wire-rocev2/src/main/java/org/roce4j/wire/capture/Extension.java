package org.roce4j.wire.capture;

import java.nio.ByteBuffer;
import java.util.Locale;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.AtomicAckEth;
import org.roce4j.wire.AtomicEth;
import org.roce4j.wire.Deth;
import org.roce4j.wire.ExtensionHeader;
import org.roce4j.wire.Feth;
import org.roce4j.wire.Ieth;
import org.roce4j.wire.ImmDt;
import org.roce4j.wire.Reth;
import org.roce4j.wire.XrcEth;

/** An extended transport header, bit for bit; {@code toString} reads like a dissector. */
public sealed interface Extension {
  /** The kind of header. */
  default ExtensionHeader header() {
    return switch (this) {
      case Xrc _ -> ExtensionHeader.XRCETH;
      case Datagram _ -> ExtensionHeader.DETH;
      case Flush _ -> ExtensionHeader.FETH;
      case Rdma _ -> ExtensionHeader.RETH;
      case Atomic _ -> ExtensionHeader.ATOMIC_ETH;
      case Acknowledge _ -> ExtensionHeader.AETH;
      case AtomicAcknowledge _ -> ExtensionHeader.ATOMIC_ACK_ETH;
      case Immediate _ -> ExtensionHeader.IMM_DT;
      case Invalidate _ -> ExtensionHeader.IETH;
      case CnpReserved _ -> ExtensionHeader.CNP_RESERVED;
    };
  }

  /** Writes the header to index {@code at} of a big-endian buffer. */
  void emit(ByteBuffer b, int at);

  /** Reads a header; the caller has checked that its bytes are there. */
  static Extension parse(ExtensionHeader header, ByteBuffer b, int at) {
    return switch (header) {
      case XRCETH -> new Xrc(XrcEth.reserved(b, at), XrcEth.srqn(b, at));
      case DETH -> new Datagram(Deth.qkey(b, at), Deth.reserved(b, at), Deth.sourceQp(b, at));
      case FETH -> new Flush(Feth.reserved(b, at), Feth.selectivity(b, at), Feth.placement(b, at));
      case RETH -> new Rdma(Reth.va(b, at), Reth.rkey(b, at), Reth.length(b, at));
      case ATOMIC_ETH ->
          new Atomic(
              AtomicEth.va(b, at),
              AtomicEth.rkey(b, at),
              AtomicEth.swapOrAdd(b, at),
              AtomicEth.compare(b, at));
      case AETH -> new Acknowledge(Aeth.syndrome(b, at), Aeth.msn(b, at));
      case ATOMIC_ACK_ETH -> new AtomicAcknowledge(AtomicAckEth.originalData(b, at));
      case IMM_DT -> new Immediate(ImmDt.immediate(b, at));
      case IETH -> new Invalidate(Ieth.rkey(b, at));
      case CNP_RESERVED -> new CnpReserved(b.getLong(at), b.getLong(at + Long.BYTES));
    };
  }

  /** XRCETH: the shared receive queue of an XRC request. */
  record Xrc(int reserved, int srqn) implements Extension {
    @Override
    public void emit(ByteBuffer b, int at) {
      XrcEth.put(b, at, srqn);
      b.put(at + XrcEth.RESERVED, (byte) reserved);
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "SRQ 0x%06x", srqn);
    }
  }

  /** DETH. */
  record Datagram(int qkey, int reserved, int sourceQp) implements Extension {
    @Override
    public void emit(ByteBuffer b, int at) {
      Deth.put(b, at, qkey, sourceQp);
      b.put(at + Deth.RESERVED, (byte) reserved);
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "Q_Key 0x%08x from QP 0x%06x", qkey, sourceQp);
    }
  }

  /** FETH. */
  record Flush(int reserved, int selectivity, int placement) implements Extension {
    @Override
    public void emit(ByteBuffer b, int at) {
      Feth.put(b, at, placement, selectivity);
      b.putInt(at, b.getInt(at) | reserved << 6);
    }

    @Override
    public String toString() {
      String range =
          switch (selectivity) {
            case Feth.SELECT_RANGE -> "range";
            case Feth.SELECT_MR -> "MR";
            default -> "selectivity " + selectivity;
          };
      return "flush "
          + range
          + ((placement & Feth.PLACEMENT_GLOBAL) != 0 ? " global" : "")
          + ((placement & Feth.PLACEMENT_PERSISTENT) != 0 ? " persistent" : "");
    }
  }

  /** RETH. */
  record Rdma(long va, int rkey, long length) implements Extension {
    @Override
    public void emit(ByteBuffer b, int at) {
      Reth.put(b, at, va, rkey, length);
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "VA 0x%016x R_Key 0x%08x DMA length %d", va, rkey, length);
    }
  }

  /** AtomicETH: remote memory and operands of COMPARE_SWAP and FETCH_ADD. */
  record Atomic(long va, int rkey, long swapOrAdd, long compare) implements Extension {
    @Override
    public void emit(ByteBuffer b, int at) {
      AtomicEth.put(b, at, va, rkey, swapOrAdd, compare);
    }

    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "VA 0x%016x R_Key 0x%08x swap/add 0x%016x compare 0x%016x",
          va,
          rkey,
          swapOrAdd,
          compare);
    }
  }

  /** AETH. */
  record Acknowledge(int syndrome, int msn) implements Extension {
    @Override
    public void emit(ByteBuffer b, int at) {
      Aeth.put(b, at, syndrome, msn);
    }

    @Override
    public String toString() {
      return syndromeText() + " MSN " + msn;
    }

    private String syndromeText() {
      int value = Aeth.value(syndrome);
      if (Aeth.isAck(syndrome)) {
        return syndrome == Aeth.ACK ? "ACK" : "ACK credits " + Aeth.credits(value);
      }
      if (Aeth.isRnrNak(syndrome)) {
        return String.format(
            Locale.ROOT,
            "RNR NAK wait %d.%02d ms",
            Aeth.rnrDelayNs(value) / 1_000_000,
            Aeth.rnrDelayNs(value) % 1_000_000 / 10_000);
      }
      return switch (syndrome) {
        case Aeth.NAK_SEQUENCE -> "NAK PSN sequence error";
        case Aeth.NAK_INVALID_REQUEST -> "NAK invalid request";
        case Aeth.NAK_REMOTE_ACCESS -> "NAK remote access error";
        case Aeth.NAK_REMOTE_OPERATIONAL -> "NAK remote operational error";
        case Aeth.NAK_INVALID_RD_REQUEST -> "NAK invalid RD request";
        default -> String.format(Locale.ROOT, "reserved syndrome 0x%02x", syndrome);
      };
    }
  }

  /** AtomicAckETH: the value that the memory held before COMPARE_SWAP or FETCH_ADD. */
  record AtomicAcknowledge(long originalData) implements Extension {
    @Override
    public void emit(ByteBuffer b, int at) {
      AtomicAckEth.put(b, at, originalData);
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "original 0x%016x", originalData);
    }
  }

  /** ImmDt. */
  record Immediate(int immediate) implements Extension {
    @Override
    public void emit(ByteBuffer b, int at) {
      ImmDt.put(b, at, immediate);
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "immediate 0x%08x", immediate);
    }
  }

  /** IETH. */
  record Invalidate(int rkey) implements Extension {
    @Override
    public void emit(ByteBuffer b, int at) {
      Ieth.put(b, at, rkey);
    }

    @Override
    public String toString() {
      return String.format(Locale.ROOT, "invalidate R_Key 0x%08x", rkey);
    }
  }

  /** The 16 reserved bytes of a congestion notification; senders set them to 0. */
  record CnpReserved(long high, long low) implements Extension {
    @Override
    public void emit(ByteBuffer b, int at) {
      b.putLong(at, high);
      b.putLong(at + Long.BYTES, low);
    }

    @Override
    public String toString() {
      return high == 0 && low == 0
          ? ""
          : String.format(Locale.ROOT, "reserved 0x%016x%016x", high, low);
    }
  }
}
