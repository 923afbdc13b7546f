package org.roce4j.device;

import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;

/**
 * The engines that feed a completion queue or channel, and what drives them: the engine's own
 * drive, or the drive of all engines if several feed it. Changed by the owner of all engines. The
 * background thread serves a poller that sees a change late.
 */
final class Feeders {
  private final Device device;
  private final Progress idle;
  private final int[] queuePairs;
  private Progress progress;

  /**
   * @param idle what a poller drives while there is no queue pair
   */
  Feeders(Device device, Progress idle) {
    this.device = device;
    this.idle = idle;
    queuePairs = new int[device.engineCount()];
    progress = idle;
  }

  /** Drives the engines that feed it. */
  Progress progress() {
    return progress;
  }

  /**
   * Counts queue pairs of an engine that come or go.
   *
   * @return whether {@link #progress} changed
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
