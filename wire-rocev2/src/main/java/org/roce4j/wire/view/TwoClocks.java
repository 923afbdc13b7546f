package org.roce4j.wire.view;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds at which end each of two captures was recorded, and the difference of their clocks, from
 * the packets that both contain exactly once. Whatever the clocks, packets that the near end sends
 * appear later in the far capture, relative to packets that the near end receives.
 */
final class TwoClocks {
  /**
   * The second capture's time minus the first's: for packets from the address, and for packets to
   * it.
   */
  private final List<Long> forth = new ArrayList<>();

  private final List<Long> back = new ArrayList<>();

  TwoClocks(Capture first, Capture second, String address) {
    Map<Object, DrawnPacket> once = once(first);
    once(second)
        .forEach(
            (identity, frame) -> {
              DrawnPacket other = once.get(identity);
              if (other != null) {
                (frame.source().equals(address) ? forth : back)
                    .add(frame.timeNs() - other.timeNs());
              }
            });
    Collections.sort(forth);
    Collections.sort(back);
  }

  private static Map<Object, DrawnPacket> once(Capture capture) {
    Map<Object, DrawnPacket> once = new HashMap<>();
    Set<Object> twice = new HashSet<>();
    for (DrawnPacket frame : capture.frames()) {
      if (once.put(frame.identity(), frame) != null) {
        twice.add(frame.identity());
      }
    }
    once.keySet().removeAll(twice);
    return once;
  }

  /** Whether the first capture was recorded at the end with the address. */
  boolean firstIsNear() {
    if (forth.isEmpty()) {
      return back.isEmpty() || median(back) <= 0;
    }
    return median(forth) >= (back.isEmpty() ? 0 : median(back));
  }

  /**
   * How far the second clock is ahead of the first, if the first capture is the near one. It is 0
   * unless the median packet of a direction would arrive before it was sent; then the medians of
   * both directions are made equal. Medians are used because a busy computer may record a single
   * time late. Packets of one direction alone never ask for a correction: {@link #firstIsNear} has
   * taken the end at which they appear first for their sender's.
   */
  long aheadNs() {
    long usualForth = forth.isEmpty() ? 0 : median(forth);
    long usualBack = back.isEmpty() ? 0 : -median(back);
    if (usualForth >= 0 && usualBack >= 0) {
      return 0;
    }
    return (usualForth - usualBack) / 2;
  }

  private static long median(List<Long> sorted) {
    return sorted.get(sorted.size() / 2);
  }
}
