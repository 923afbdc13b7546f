package org.roce4j.wire;

/** The headers that may follow a BTH, with their sizes. */
public enum ExtensionHeader {
  XRCETH(XrcEth.SIZE),
  DETH(Deth.SIZE),
  FETH(Feth.SIZE),
  RETH(Reth.SIZE),
  ATOMIC_ETH(AtomicEth.SIZE),
  AETH(Aeth.SIZE),
  ATOMIC_ACK_ETH(AtomicAckEth.SIZE),
  IMM_DT(ImmDt.SIZE),
  IETH(Ieth.SIZE),
  /** The 16 zero bytes of a congestion notification packet. */
  CNP_RESERVED(16);

  private final int size;

  ExtensionHeader(int size) {
    this.size = size;
  }

  public int size() {
    return size;
  }
}
