package org.roce4j.engine.device;

import java.util.Map;
import org.roce4j.verbs.PortState;

/** What the device asks of the port beneath it, beside carrying datagrams. */
public interface PortControl {
  /** Receives datagrams of a multicast group as well. */
  void join(long groupHigh, long groupLow);

  void leave(long groupHigh, long groupLow);

  PortState state();

  /** Counters kept below the engine, by label. */
  Map<String, Long> counters();
}
