package org.roce4j.simulation;

import java.util.List;

/**
 * An outage of devices or links. Silence leaves no trace on the wire, so the affected paths are
 * told of its begin and of its end.
 */
final class Outage {
  private final List<Mishaps> paths;
  private boolean over;

  /**
   * @param paths between the affected addresses
   */
  Outage(List<Mishaps> paths) {
    this.paths = paths;
    paths.forEach(Mishaps::outageBegins);
  }

  /** Ends the outage. Idempotent. */
  void end() {
    if (!over) {
      over = true;
      paths.forEach(Mishaps::outageEnds);
    }
  }
}
