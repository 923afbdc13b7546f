package org.roce4j.device;

import java.util.Map;
import org.roce4j.verbs.PortState;

/** What the device asks of the port beneath it, beside carrying datagrams. */
public interface PortControl {
  /** Of an engine without a port: it is up, and there is nothing to join or to count. */
  PortControl NONE =
      new PortControl() {
        @Override
        public void join(long groupHigh, long groupLow) {}

        @Override
        public void leave(long groupHigh, long groupLow) {}

        @Override
        public PortState state() {
          return PortState.ACTIVE;
        }

        @Override
        public Map<String, Long> counters() {
          return Map.of();
        }
      };

  /** Receives datagrams of a multicast group as well. */
  void join(long groupHigh, long groupLow);

  void leave(long groupHigh, long groupLow);

  PortState state();

  /** Counters kept below the engine, by label. */
  Map<String, Long> counters();
}
