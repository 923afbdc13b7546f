package org.roce4j.device;

import org.roce4j.verbs.Gid;

/** Finds the device's own address from which a destination is reached. Thread-safe. */
@FunctionalInterface
public interface Routes {
  /** No destination is reached. */
  Routes NONE = (destination, choice) -> null;

  /** Which own addresses may be chosen. Devices are asked for the first, then for the next. */
  enum Choice {
    /** An address of a port that is up, unless another device has a better one. */
    BEST,
    /** Of a port that is up. */
    UP,
    /** An address of any port, even of one that is down but may come up. */
    ANY
  }

  /** The own address from which a destination is reached; null if there is none. */
  Gid sourceFor(Gid destination, Choice choice);
}
