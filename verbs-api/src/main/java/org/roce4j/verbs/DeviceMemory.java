package org.roce4j.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Memory of the device itself ({@code struct ibv_dm}): programs copy to and from it, peers and work
 * requests use it through regions ({@link ProtectionDomain#registerDeviceMemory}). Thread-safe; of
 * copies that overlap in time no order is promised.
 */
public interface DeviceMemory extends AutoCloseable {
  /** The opened device whose memory it is. */
  Context context();

  /** A dense number of this object within its context. */
  int handle();

  /** Bytes. */
  long length();

  /**
   * {@code ibv_memcpy_to_dm}.
   *
   * @param offset in this memory, where the first byte goes
   * @param from memory of any kind; all of it is copied
   * @throws VerbsException EFAULT if the bytes do not all lie in this memory, or {@code from} is
   *     freed or another thread's; EINVAL after the destruction
   */
  void copyTo(long offset, MemorySegment from);

  /**
   * {@code ibv_memcpy_from_dm}.
   *
   * @param to memory of any kind, which is filled
   * @param offset in this memory, of the first byte
   * @throws VerbsException as {@link #copyTo}; EFAULT also if {@code to} is read-only
   */
  void copyFrom(MemorySegment to, long offset);

  /**
   * {@code ibv_free_dm}; of imported memory {@code ibv_unimport_dm}.
   *
   * @throws VerbsException EBUSY while regions of it exist
   */
  @Override
  void close();
}
