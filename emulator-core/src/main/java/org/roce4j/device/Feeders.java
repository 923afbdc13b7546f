package org.roce4j.device;

import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;

/**
 * The engines that feed a completion queue or channel, and the progress for waiting on it: that of
 * the only engine, or of all engines if several feed it. Changed by the owner of all engines. If a
 * polling thread sees a change late, the background thread serves it meanwhile.
 */
final class Feeders {
  private final Device device;
  private final Progress idle;
  private final int[] queuePairs;
  private Progress progress;

  /**
   * @param idle the progress while no queue pair feeds it
   */
  Feeders(Device device, Progress idle) {
    this.device = device;
    this.idle = idle;
    queuePairs = new int[device.engineCount()];
    progress = idle;
  }

  /** The progress of the engines that feed it. */
  Progress progress() {
    return progress;
  }

  /**
   * Adds {@code change} to the number of an engine's queue pairs.
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
