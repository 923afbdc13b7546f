package org.roce4j.simulation;

import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;

/** A type 2 memory window on a part of an end's remote memory, with its users. */
final class WindowModel {
  enum State {
    FREE,
    BINDING,
    BOUND,
    INVALIDATING
  }

  final MemoryWindow window;
  final MemoryRegion region;
  final Extent range;
  final Zone zone;
  State state = State.FREE;

  /** The key; valid while the window is bound. */
  int key;

  /** The number of the peer's outstanding requests that use the key. */
  int users;

  WindowModel(MemoryWindow window, MemoryRegion region, Extent range, Zone zone) {
    this.window = window;
    this.region = region;
    this.range = range;
    this.zone = zone;
  }
}
