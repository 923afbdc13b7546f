package org.roce4j.wire;

/** The headers that may follow a BTH, with their sizes. */
public enum ExtensionHeader {
  /** {@link XrcEth}: the shared receive queue of an XRC request. */
  XRCETH(XrcEth.SIZE),
  /** {@link Deth}: Q_Key and sender of a datagram. */
  DETH(Deth.SIZE),
  /** {@link Feth}: how far a FLUSH reaches. */
  FETH(Feth.SIZE),
  /** {@link Reth}: the remote memory of a WRITE, READ, FLUSH or ATOMIC_WRITE. */
  RETH(Reth.SIZE),
  /** {@link AtomicEth}: remote memory and operands of an atomic operation. */
  ATOMIC_ETH(AtomicEth.SIZE),
  /** {@link Aeth}: the acknowledgement. */
  AETH(Aeth.SIZE),
  /** {@link AtomicAckEth}: the answer to an atomic operation. */
  ATOMIC_ACK_ETH(AtomicAckEth.SIZE),
  /** {@link ImmDt}: immediate data. */
  IMM_DT(ImmDt.SIZE),
  /** {@link Ieth}: the key that a SEND invalidates. */
  IETH(Ieth.SIZE),
  /** The 16 zero bytes of a congestion notification packet. */
  CNP_RESERVED(16);

  private final int size;

  ExtensionHeader(int size) {
    this.size = size;
  }

  /** Bytes on the wire, a multiple of 4. */
  public int size() {
    return size;
  }
}
