package org.roce4j.fabric;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.engine.datagram.Transmit;

/** Reuses datagrams, so that a long simulation needs only the memory of its busiest moment. */
final class DatagramPool implements AutoCloseable {
  /**
   * Sizes in bytes: the path MTUs with all headers, a jumbo frame, and the largest UDP datagram.
   */
  private static final int[] CAPACITIES = {320, 640, 1152, 2176, 4352, 9216, Transmit.MAX_BYTES};

  private static final int SLAB_BYTES = 64 << 10;

  /** Shared, because a fabric may be used by one thread after another. */
  private final Arena arena = Arena.ofShared();

  private final List<ArrayDeque<FabricDatagram>> free = new ArrayList<>();
  private final long limitBytes;
  private long allocatedBytes;
  private int inUse;

  /**
   * @param limitBytes greatest amount of memory to take
   */
  DatagramPool(long limitBytes) {
    this.limitBytes = limitBytes;
    for (int i = 0; i < CAPACITIES.length; i++) {
      free.add(new ArrayDeque<>());
    }
  }

  /** A datagram with room for {@code length} bytes; null if the memory is used up. */
  FabricDatagram take(int length) {
    int sizeClass = 0;
    while (CAPACITIES[sizeClass] < length) {
      sizeClass++;
    }
    ArrayDeque<FabricDatagram> list = free.get(sizeClass);
    if (list.isEmpty() && !grow(sizeClass)) {
      return null;
    }
    inUse++;
    FabricDatagram datagram = list.pop();
    datagram.length = length;
    datagram.damaged = false;
    return datagram;
  }

  /** An additional datagram for sends that are dropped for lack of memory; never released. */
  FabricDatagram spare() {
    int sizeClass = CAPACITIES.length - 1;
    long bytes = FabricDatagram.AT + (long) CAPACITIES[sizeClass];
    return new FabricDatagram(arena.allocate(bytes, 64), sizeClass);
  }

  void release(FabricDatagram datagram) {
    inUse--;
    datagram.link = null;
    free.get(datagram.sizeClass).push(datagram);
  }

  /** The number of datagrams taken and not yet released. */
  int inUse() {
    return inUse;
  }

  long allocatedBytes() {
    return allocatedBytes;
  }

  @Override
  public void close() {
    arena.close();
  }

  private boolean grow(int sizeClass) {
    long stride = FabricDatagram.AT + CAPACITIES[sizeClass] + 63L & ~63L;
    long count = Math.max(1, SLAB_BYTES / stride);
    if (allocatedBytes + count * stride > limitBytes) {
      return false;
    }
    allocatedBytes += count * stride;
    MemorySegment slab = arena.allocate(count * stride, 64);
    for (long i = 0; i < count; i++) {
      free.get(sizeClass).push(new FabricDatagram(slab.asSlice(i * stride, stride), sizeClass));
    }
    return true;
  }
}
