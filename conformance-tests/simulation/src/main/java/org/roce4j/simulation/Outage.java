package org.roce4j.simulation;

import java.util.List;

/**
 * Devices or links that are silent from now on: their silence leaves no trace on the wire, so what
 * it concerns is told of its begin and of its end.
 */
final class Outage {
  private final List<Mishaps> paths;
  private boolean over;

  /**
   * @param paths between the addresses that it concerns
   */
  Outage(List<Mishaps> paths) {
    this.paths = paths;
    paths.forEach(Mishaps::outageBegins);
  }

  /** All works again; it can end once. */
  void end() {
    if (!over) {
      over = true;
      paths.forEach(Mishaps::outageEnds);
    }
  }
}
