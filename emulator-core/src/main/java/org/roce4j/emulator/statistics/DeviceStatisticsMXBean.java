package org.roce4j.emulator.statistics;

import java.util.List;
import java.util.Map;

/** A running device. */
public interface DeviceStatisticsMXBean {
  /** Its name. */
  String getDevice();

  /** The IP addresses it is bound to. */
  List<String> getAddresses();

  /** Its counters by name, as {@code Context.counters} has them. */
  Map<String, Long> getCounters();

  /** Its queue pairs, in no order. */
  List<QueuePairStatistics> getQueuePairs();
}
