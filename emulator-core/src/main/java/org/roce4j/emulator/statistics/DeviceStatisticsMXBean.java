package org.roce4j.emulator.statistics;

import java.util.List;
import java.util.Map;

/** A running device. */
public interface DeviceStatisticsMXBean {
  /** Its name. */
  String getDevice();

  /** The IP addresses that it is bound to. */
  List<String> getAddresses();

  /** Its counters by name, as in {@code Context.counters}. */
  Map<String, Long> getCounters();

  /** Its queue pairs, in no particular order. */
  List<QueuePairStatistics> getQueuePairs();
}
