package org.roce4j.device;

import org.roce4j.verbs.Gid;

/** Chooses the device's own address for a destination. Thread-safe. */
@FunctionalInterface
public interface Routes {
  /** Routes that reach no destination. */
  Routes NONE = (destination, choice) -> null;

  /**
   * Which of the own addresses may be chosen. Each device is asked with the first value, then with
   * the next one.
   */
  enum Choice {
    /** An address of a port that is up, unless another device has a better one. */
    BEST,
    /** An address of a port that is up. */
    UP,
    /** An address of any port, even of one that is down. */
    ANY
  }

  /** The own address for sending to a destination; null if there is none. */
  Gid sourceFor(Gid destination, Choice choice);
}
