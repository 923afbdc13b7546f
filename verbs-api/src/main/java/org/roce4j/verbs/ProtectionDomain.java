package org.roce4j.verbs;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_pd}: objects of one domain may be used together. Thread-safe. */
public interface ProtectionDomain extends AutoCloseable {
  Context context();

  /** A dense number of this object within its context. */
  int handle();

  /**
   * {@code ibv_reg_mr}. The memory must be native or mapped and accessible from any thread ({@code
   * Arena.ofShared()} or global); the caller keeps it alive.
   *
   * <p>If its arena is closed or its file truncated all the same, an emulated device treats an
   * access as a protection error: LOC_PROT_ERR here, REM_ACCESS_ERR for a peer. For a file,
   * register the mapped segment itself or a slice of it: of a segment made from its bare address
   * the device does not know that a file lies beneath. And an atomic that runs at the very moment
   * of the truncation can end the process (SIGBUS), so shorten a file only after {@link
   * MemoryRegion#close}.
   *
   * @param accessFlags of {@link AccessFlags}
   * @throws VerbsException EINVAL (heap or confined memory, illegal flags), EFAULT (read-only
   *     memory with a write right), ENOMEM (limit)
   */
  MemoryRegion registerMemory(MemorySegment memory, int accessFlags);

  /**
   * {@code ibv_reg_mr_iova}: peers and work requests address the region from {@code iova} on.
   *
   * @throws VerbsException as {@link #registerMemory}; EINVAL if iova and address differ within a
   *     page
   */
  MemoryRegion registerMemory(MemorySegment memory, long iova, int accessFlags);

  /** {@code ibv_alloc_mw}: an unbound memory window. ENOMEM at the limit. */
  MemoryWindow allocMemoryWindow(MwType type);

  /**
   * {@code ibv_create_qp}. The capabilities granted stand in the queue pair.
   *
   * @throws VerbsException EINVAL, also for a queue of another context, though it is of the same
   *     device; EOPNOTSUPP, ENOMEM
   */
  QueuePair createQp(QpInitAttr attr);

  /**
   * {@code ibv_create_srq}.
   *
   * @throws VerbsException EINVAL, ENOMEM
   */
  SharedReceiveQueue createSrq(SrqInitAttr attr);

  /**
   * {@code ibv_create_ah}.
   *
   * @throws VerbsException EINVAL (port, GID index, no global route)
   */
  AddressHandle createAh(AhAttr attr);

  /**
   * {@code ibv_create_ah_from_wc}; see {@link Context#initAhFromWc}.
   *
   * @throws VerbsException as {@link Context#initAhFromWc} and {@link #createAh}
   */
  default AddressHandle createAhFromWc(
      WorkCompletions completions, int completion, MemorySegment header, long headerAt, int port) {
    return createAh(context().initAhFromWc(port, completions, completion, header, headerAt));
  }

  /**
   * {@code ibv_dealloc_pd}.
   *
   * @throws VerbsException EBUSY while regions, windows, queue pairs, shared receive queues or
   *     address handles of it exist
   */
  @Override
  void close();
}
