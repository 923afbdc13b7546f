package org.roce4j.verbs;

import java.lang.foreign.MemorySegment;

/**
 * Memory of the device itself ({@code struct ibv_dm}): programs copy to and from it, peers and work
 * requests use it through regions ({@link ProtectionDomain#registerDeviceMemory}). Thread-safe;
 * concurrent copies have no defined order.
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
   * @param offset of the first byte in this memory
   * @param from source, memory of any kind; it is copied whole
   * @throws VerbsException EFAULT if the range leaves this memory, or {@code from} is freed or
   *     confined to another thread; EINVAL after the destruction
   */
  void copyTo(long offset, MemorySegment from);

  /**
   * {@code ibv_memcpy_from_dm}.
   *
   * @param to destination, memory of any kind; it is filled
   * @param offset of the first byte in this memory
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
