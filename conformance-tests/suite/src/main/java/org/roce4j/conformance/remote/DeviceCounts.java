package org.roce4j.conformance.remote;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.roce4j.engine.counter.Counter;

/** The counters of a subject's device, those of packets and bytes excepted. */
final class DeviceCounts {
  /** The counters that every packet changes, probes included. */
  private static final Set<Counter> TRAFFIC =
      EnumSet.of(
          Counter.SENT_PACKETS,
          Counter.SENT_BYTES,
          Counter.SENT_TRAINS,
          Counter.RECEIVED_PACKETS,
          Counter.RECEIVED_BYTES,
          Counter.RECEIVED_TRAINS);

  private DeviceCounts() {}

  /** The counters that are not 0. */
  static Map<Counter, Long> of(Subject subject) {
    Map<Counter, Long> found = new EnumMap<>(Counter.class);
    for (Counter counter : EnumSet.complementOf(EnumSet.copyOf(TRAFFIC))) {
      long count = subject.counter(counter.label());
      if (count != 0) {
        found.put(counter, count);
      }
    }
    return found;
  }
}
