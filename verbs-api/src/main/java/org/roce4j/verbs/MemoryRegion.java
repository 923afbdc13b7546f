package org.roce4j.verbs;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_mr}: registered memory. Thread-safe. */
public interface MemoryRegion extends AutoCloseable {
  /** The domain it was registered in; queue pairs of another cannot use its keys. */
  ProtectionDomain pd();

  /** A dense number of this object within its context. */
  int handle();

  /** The value for this region in {@code bind_info.mr}. */
  long nativeHandle();

  /** The registered memory. */
  MemorySegment memory();

  /** First address of the registered memory. */
  default long address() {
    return memory().address();
  }

  /** Bytes. */
  long length();

  /** The address by which work requests and peers name the first byte; usually {@link #address}. */
  long iova();

  /** The rights that it grants, of {@link AccessFlags}; local read access is always granted. */
  int accessFlags();

  /** The key for scatter/gather elements of this side's own work requests. */
  int lkey();

  /**
   * The key that a peer needs for WRITE, READ and atomics; {@link #accessFlags} says what the peer
   * may do.
   */
  int rkey();

  /**
   * {@code ibv_rereg_mr} with {@code IBV_REREG_MR_CHANGE_ACCESS} and/or {@code _PD}; null keeps the
   * domain, -1 keeps the access flags. Addresses stay as they are, and so does {@link
   * AccessFlags#ZERO_BASED}.
   *
   * @throws ReregistrationException EINVAL if nothing changes, the rights are illegal, an ordinary
   *     region would become zero-based, or the domain belongs to another context; EBUSY while
   *     memory windows are bound to it. It says which region is valid afterwards
   */
  void reregister(ProtectionDomain newPd, int newAccessFlags);

  /**
   * {@code ibv_rereg_mr} with {@code IBV_REREG_MR_CHANGE_TRANSLATION} too: other memory, which work
   * requests and peers name by its own address from then on. The keys may change; read them again.
   *
   * @param memory the new memory, never null
   * @param newPd null keeps the domain
   * @param newAccessFlags -1 keeps the access flags
   * @throws ReregistrationException as {@link #reregister(ProtectionDomain, int)}; EINVAL and
   *     EFAULT as for new memory ({@link ProtectionDomain#registerMemory}), EINVAL for a zero-based
   *     region, EOPNOTSUPP if the device cannot do it (Linux's soft-RoCE)
   */
  default void reregister(MemorySegment memory, ProtectionDomain newPd, int newAccessFlags) {
    throw Errno.EOPNOTSUPP.refusal(
        "regions do not move here: register the new memory, close this region");
  }

  /**
   * {@code ibv_dereg_mr}. On return the device no longer accesses the memory.
   *
   * @throws VerbsException EBUSY while memory windows are bound to it
   */
  @Override
  void close();
}
