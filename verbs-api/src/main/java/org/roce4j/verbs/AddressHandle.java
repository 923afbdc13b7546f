package org.roce4j.verbs;

/** {@code struct ibv_ah}: the way to a datagram's destination. Thread-safe. */
public interface AddressHandle extends AutoCloseable {
  ProtectionDomain pd();

  /** A dense number of this object within its context. */
  int handle();

  /** What stands for this handle in {@code wr.ud.ah}. */
  long nativeHandle();

  AhAttr attr();

  /** {@code ibv_destroy_ah}. */
  @Override
  void close();
}
