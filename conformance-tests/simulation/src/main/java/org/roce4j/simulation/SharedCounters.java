package org.roce4j.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;

/** Counters of a device that every peer adds to. */
final class SharedCounters {
  private static final int BYTES = 256;

  private final ModelledMemory memory;
  private final Zone zone;
  private final MemoryRegion region;
  private final List<AtomicCell> cells = new ArrayList<>();

  /**
   * @param page number that makes the counters' address different from those of other devices
   */
  SharedCounters(World world, ProtectionDomain pd, String name, int page, SplittableRandom random) {
    memory = new ModelledMemory(world.arena, name, BYTES, 1, random.split());
    zone = memory.zone("counters", BYTES);
    region =
        pd.registerMemory(
            memory.segment(zone),
            memory.iova(zone, page),
            AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_ATOMIC);
  }

  void add(int count, SplittableRandom random) {
    for (int i = 0; i < count; i++) {
      cells.add(new AtomicCell(zone.take(8, 8, random), true, random.nextLong()));
    }
  }

  List<AtomicCell> cells() {
    return cells;
  }

  /** The address of a counter for remote requests. */
  long addressOf(AtomicCell cell) {
    return region.iova() + cell.extent.at - zone.start();
  }

  int rkey() {
    return region.rkey();
  }

  void checkAtEnd() {
    cells.forEach(AtomicCell::checkAtEnd);
    memory.checkAll();
  }
}
