package org.roce4j.device;

import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;

/**
 * Which engines have queue pairs whose completions arrive somewhere, and what makes those engines
 * run: one's own drive, or all of the device when there are several. Changed by the owner of all
 * engines; a poller that sees it late is helped by the background thread.
 */
final class Feeders {
  private final Device device;
  private final Progress idle;
  private final int[] queuePairs;
  private Progress progress;

  /**
   * @param idle what makes run while there is no queue pair
   */
  Feeders(Device device, Progress idle) {
    this.device = device;
    this.idle = idle;
    queuePairs = new int[device.engineCount()];
    progress = idle;
  }

  /** What makes them run. */
  Progress progress() {
    return progress;
  }

  /**
   * Queue pairs of an engine come or go.
   *
   * @return whether something else makes them run now
   */
  boolean count(Engine engine, int change) {
    queuePairs[engine.index()] += change;
    Progress now = null;
    for (int i = 0; i < queuePairs.length; i++) {
      if (queuePairs[i] > 0) {
        now = now == null ? device.engine(i).drive() : device.progress();
      }
    }
    Progress before = progress;
    progress = now == null ? idle : now;
    return progress != before;
  }
}
