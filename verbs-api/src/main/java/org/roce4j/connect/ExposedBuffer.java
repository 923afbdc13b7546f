package org.roce4j.connect;

import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.MemoryRegion;

/**
 * Memory of this program that the peers of one end may read, write and change by atomics. The
 * program reads it as any memory; what the peer does there it is not told. Thread-safe.
 */
public final class ExposedBuffer implements AutoCloseable {
  private final MemoryRegion region;

  ExposedBuffer(MemoryRegion region) {
    this.region = region;
  }

  /** The bytes that the peer reads and writes, while this side does. */
  public MemorySegment memory() {
    return region.memory();
  }

  /** What a peer needs to use it: send it in a message. */
  public RemoteBuffer key() {
    return new RemoteBuffer(region.iova(), region.rkey(), region.length());
  }

  /** The registered region beneath. */
  public MemoryRegion region() {
    return region;
  }

  /** Takes the peers' right away; afterwards none of them touches the memory. */
  @Override
  public void close() {
    region.close();
  }
}
