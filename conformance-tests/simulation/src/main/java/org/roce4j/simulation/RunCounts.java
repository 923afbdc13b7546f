package org.roce4j.simulation;

import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import org.roce4j.fabric.DropReason;
import org.roce4j.fabric.FabricCounts;
import org.roce4j.verbs.WcStatus;

/** The counts of a run. */
final class RunCounts {
  private final Map<WcStatus, Integer> failures = new EnumMap<>(WcStatus.class);
  private final Map<Phenomenon, Long> phenomena = new EnumMap<>(Phenomenon.class);
  private long requests;

  /** A send request completed, successfully or not. */
  void request() {
    requests++;
  }

  /** A queue pair failed. */
  void failure(WcStatus status) {
    failures.merge(status, 1, Integer::sum);
  }

  void met(Phenomenon phenomenon) {
    phenomena.merge(phenomenon, 1L, Long::sum);
  }

  long requests() {
    return requests;
  }

  /** The number of queue pairs by the status of their first failure. */
  Map<WcStatus, Integer> failures() {
    return Map.copyOf(failures);
  }

  /** The counts of applications and links, by label. */
  Map<String, Long> phenomena(FabricCounts links) {
    phenomena.put(Phenomenon.LOSS, links.dropped(DropReason.LOSS));
    phenomena.put(Phenomenon.BURST, links.dropped(DropReason.BURST));
    phenomena.put(Phenomenon.QUEUE_FULL, links.dropped(DropReason.QUEUE_FULL));
    phenomena.put(Phenomenon.DUPLICATE, links.duplicated());
    phenomena.put(Phenomenon.REORDER, links.reordered());
    phenomena.put(Phenomenon.CORRUPTION, links.corrupted());
    Map<String, Long> byLabel = new TreeMap<>();
    phenomena.forEach((phenomenon, times) -> byLabel.put(phenomenon.label(), times));
    return byLabel;
  }
}
