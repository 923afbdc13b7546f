package org.roce4j.verbs;

/** {@code struct ibv_ah}: the path to a datagram's destination. Thread-safe. */
public interface AddressHandle extends AutoCloseable {
  /** The protection domain of this handle; queue pairs of other domains may not send with it. */
  ProtectionDomain pd();

  /** A dense number of this object within its context. */
  int handle();

  /** The value for this handle in {@code wr.ud.ah}. */
  long nativeHandle();

  /** The address vector that it was made from. */
  AhAttr attr();

  /** {@code ibv_destroy_ah}. */
  @Override
  void close();
}
