package org.roce4j.verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;

/** {@code struct ibv_pd}: objects of one domain may be used together. Thread-safe. */
public interface ProtectionDomain extends AutoCloseable {
  /** The opened device that it was allocated on. */
  Context context();

  /** A dense number of this object within its context. */
  int handle();

  /**
   * The protection domain beneath a parent domain ({@link Context#allocParentDomain}); this one
   * where there is none. Objects of two domains may be used together if this is the same.
   */
  default ProtectionDomain beneath() {
    return this;
  }

  /**
   * {@code ibv_reg_mr}. The memory must be native or mapped and accessible from any thread ({@code
   * Arena.ofShared()} or global); the caller keeps it alive.
   *
   * <p>If its arena is closed or its file truncated nevertheless, an emulated device treats an
   * access as a protection error: LOC_PROT_ERR here, REM_ACCESS_ERR for a peer. For a file,
   * register the mapped segment itself or a slice of it: the device cannot know that a file backs a
   * segment made from a bare address. An atomic that runs during the truncation can end the process
   * (SIGBUS), so shorten a file only after {@link MemoryRegion#close}.
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

  /**
   * {@code ibv_reg_dm_mr}: a region of device memory, whose addresses count from 0. {@link
   * MemoryRegion#memory} is {@link MemorySegment#NULL}: the program cannot touch it.
   *
   * @param offset of the first byte in the device memory
   * @param length bytes
   * @param accessFlags of {@link AccessFlags}, with {@link AccessFlags#ZERO_BASED}
   * @throws VerbsException EINVAL (not zero-based, not all in the device memory, no bytes, illegal
   *     flags, memory of another context), ENOMEM (limit), EOPNOTSUPP
   */
  default MemoryRegion registerDeviceMemory(
      DeviceMemory deviceMemory, long offset, long length, int accessFlags) {
    RequiredArgument.check(deviceMemory, "deviceMemory");
    throw Errno.EOPNOTSUPP.refusal("this device has no memory of its own");
  }

  /**
   * {@code ibv_reg_dmabuf_mr}: a region of another device's memory, such as a graphics card's,
   * which the kernel shares as a DMA buffer.
   *
   * @param offset of the first byte in the buffer
   * @param length bytes
   * @param iova by which work requests and peers name the first byte
   * @param fd of the buffer
   * @throws VerbsException EINVAL, EBADF; EOPNOTSUPP on emulated devices, which no other device can
   *     write to
   */
  default MemoryRegion registerDmabuf(
      long offset, long length, long iova, int fd, int accessFlags) {
    throw Errno.EOPNOTSUPP.refusal(
        "memory of other devices cannot be registered: map it, if it can be");
  }

  /**
   * {@code ibv_alloc_null_mr}: a region that discards writes and reads as zeros, for list elements
   * that are to be skipped. It has only an lkey and contains every address.
   *
   * @throws VerbsException ENOMEM (limit), EOPNOTSUPP
   */
  default MemoryRegion allocNullMr() {
    throw Errno.EOPNOTSUPP.refusal("this device has no null regions");
  }

  /**
   * {@code ibv_advise_mr}: announces how pieces of on-demand regions ({@link
   * AccessFlags#ON_DEMAND}) will be used, so that their pages are present in time.
   *
   * @param flags 0 or {@link Advice#FLUSH}
   * @throws VerbsException EINVAL (unknown flags, no pieces, a region that is not on demand),
   *     EFAULT (no such lkey, not all in its region, no right to write), EOPNOTSUPP
   */
  default void adviseMr(Advice advice, int flags, List<Sge> pieces) {
    RequiredArgument.check(advice, "advice");
    RequiredArgument.check(pieces, "pieces");
    throw Errno.EOPNOTSUPP.refusal("this device takes no advice");
  }

  /**
   * {@code ibv_import_mr}, as {@link Context#importPd}.
   *
   * @param mrHandle {@link MemoryRegion#handle} there
   * @throws VerbsException as {@link Context#importPd}
   */
  default MemoryRegion importMr(int mrHandle) {
    throw Errno.EOPNOTSUPP.refusal("nothing can be imported here: the device lives in one process");
  }

  /** {@code ibv_alloc_mw}: an unbound memory window. ENOMEM at the limit. */
  MemoryWindow allocMemoryWindow(MwType type);

  /**
   * {@code ibv_create_qp}. {@link QueuePair#cap} returns the capabilities granted.
   *
   * @throws VerbsException EINVAL, also for a queue of another context of the same device;
   *     EOPNOTSUPP, ENOMEM
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
