package org.roce4j.simulation;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MwType;

/** The memory of a connected end that its peer reads and writes. */
final class RemoteMemory {
  static final int WINDOW_BYTES = 8192;
  static final int RIGHTS =
      AccessFlags.REMOTE_READ | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_ATOMIC;
  private static final int CELLS = 3;

  private final SimulatedDevice device;
  private final ModelledMemory all;
  private final Zone zone;
  private final MemoryRegion region;
  private List<AtomicCell> cells;
  private WindowModel window;

  RemoteMemory(SimulatedDevice device, ModelledMemory all, int bytes, SplittableRandom random) {
    this.device = device;
    this.all = all;
    zone = all.zone("remote memory", bytes);
    region =
        device
            .pd()
            .registerMemory(
                all.segment(zone),
                all.iova(zone, random.nextInt()),
                AccessFlags.LOCAL_WRITE | RIGHTS | AccessFlags.MW_BIND | AccessFlags.FLUSH_GLOBAL);
  }

  /** Creates the atomic cells, and a window if {@code withWindow}. */
  void furnish(boolean withWindow, SplittableRandom random) {
    if (withWindow) {
      Extent range = zone.take(WINDOW_BYTES, 8, random);
      window =
          new WindowModel(
              device.pd().allocMemoryWindow(MwType.TYPE_2),
              region,
              range,
              all.inner("window", range));
    }
    cells =
        IntStream.range(0, CELLS)
            .mapToObj(i -> new AtomicCell(zone.take(8, 8, random), false, random.nextLong()))
            .toList();
  }

  Zone zone() {
    return zone;
  }

  int rkey() {
    return region.rkey();
  }

  /** The address of an extent for remote requests. */
  long addressOf(Extent extent) {
    return region.iova() + extent.at - zone.start();
  }

  /** Longs that only the peer's atomics work on. */
  List<AtomicCell> cells() {
    return cells;
  }

  /** The memory window, or null. */
  WindowModel window() {
    return window;
  }

  void deregister() {
    if (window != null) {
      window.window.close();
    }
    region.close();
  }

  void checkAtEnd() {
    cells.forEach(AtomicCell::checkAtEnd);
  }
}
