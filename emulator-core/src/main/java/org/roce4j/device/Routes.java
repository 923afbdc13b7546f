package org.roce4j.device;

import org.roce4j.verbs.Gid;

/** From which of its addresses a device reaches a destination. Thread-safe. */
@FunctionalInterface
public interface Routes {
  /** Nothing is reached. */
  Routes NONE = (destination, best) -> null;

  /**
   * The own address from which a destination is reached, or null.
   *
   * @param best only where no other device has a better one
   */
  Gid sourceFor(Gid destination, boolean best);
}
