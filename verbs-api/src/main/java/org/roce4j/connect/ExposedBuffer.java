package org.roce4j.connect;

import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.VerbsException;

/**
 * Memory of this program that the peer may read, write and change by atomics. The program accesses
 * it like any memory and is not notified of the peer's accesses. Thread-safe.
 */
public final class ExposedBuffer implements AutoCloseable {
  private final MemoryRegion region;
  private volatile boolean closed;

  ExposedBuffer(MemoryRegion region) {
    this.region = region;
  }

  /**
   * The memory, which both sides may access at the same time; after {@link #close} only this one.
   */
  public MemorySegment memory() {
    return region.memory();
  }

  /**
   * The address and key that the peer needs: send them in a message.
   *
   * @throws VerbsException EINVAL after {@link #close}: the peer's requests would fail
   */
  public RemoteBuffer key() {
    if (closed) {
      throw Errno.EINVAL.refusal(
          "this memory is no longer exposed: expose memory again, or close it later");
    }
    return new RemoteBuffer(region.iova(), region.rkey(), region.length());
  }

  /** The registered region. */
  public MemoryRegion region() {
    return region;
  }

  /** Deregisters the memory; when the call returns, the peer can no longer access it. */
  @Override
  public void close() {
    region.close();
    closed = true;
  }

  @Override
  public String toString() {
    return "exposed " + region;
  }
}
