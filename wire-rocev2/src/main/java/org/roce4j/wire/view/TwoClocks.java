package org.roce4j.wire.view;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Where two captures were recorded and how far their clocks are apart, learnt from the packets that
 * each holds once. Of what the near end sends, the far end's time is later; of what it receives,
 * earlier, whatever the clocks.
 */
final class TwoClocks {
  /** By how much the second capture's time is later, of packets from an address and to it. */
  private final List<Long> forth = new ArrayList<>();

  private final List<Long> back = new ArrayList<>();

  TwoClocks(Capture first, Capture second, String address) {
    Map<Object, Frame> once = once(first);
    once(second)
        .forEach(
            (identity, frame) -> {
              Frame other = once.get(identity);
              if (other != null) {
                (frame.source().equals(address) ? forth : back)
                    .add(frame.timeNs() - other.timeNs());
              }
            });
    Collections.sort(forth);
    Collections.sort(back);
  }

  private static Map<Object, Frame> once(Capture capture) {
    Map<Object, Frame> once = new HashMap<>();
    Set<Object> twice = new HashSet<>();
    for (Frame frame : capture.frames()) {
      if (once.put(frame.identity(), frame) != null) {
        twice.add(frame.identity());
      }
    }
    once.keySet().removeAll(twice);
    return once;
  }

  /** Whether the first capture was recorded at the address. */
  boolean firstIsNear() {
    if (forth.isEmpty()) {
      return back.isEmpty() || median(back) <= 0;
    }
    return median(forth) >= (back.isEmpty() ? 0 : median(back));
  }

  /**
   * By how much the second clock is ahead, when the first capture is the near one: 0 unless packets
   * would usually arrive before they were sent; else such that packets of both directions usually
   * take equally long. A single packet proves nothing: a busy computer may note a time late.
   */
  long aheadNs() {
    long usualForth = forth.isEmpty() ? 0 : median(forth);
    long usualBack = back.isEmpty() ? 0 : -median(back);
    if (usualForth >= 0 && usualBack >= 0) {
      return 0;
    }
    if (forth.isEmpty() || back.isEmpty()) {
      return usualForth - usualBack;
    }
    return (usualForth - usualBack) / 2;
  }

  private static long median(List<Long> sorted) {
    return sorted.get(sorted.size() / 2);
  }
}
