package org.roce4j.device;

import org.roce4j.verbs.Gid;

/** Finds the device's own address from which a destination is reached. Thread-safe. */
@FunctionalInterface
public interface Routes {
  /** No destination is reached. */
  Routes NONE = (destination, best) -> null;

  /**
   * The own address from which a destination is reached; null if there is none.
   *
   * @param best null also if another device has a better address
   */
  Gid sourceFor(Gid destination, boolean best);
}
