package org.roce4j.device;

import java.util.Locale;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Limit;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** The number of objects of each kind, at most the limit. For the owner of all engines. */
final class ObjectCounts {
  private final DeviceLimits limits;
  private final int[] counts = new int[Limit.values().length];

  ObjectCounts(DeviceLimits limits) {
    this.limits = limits;
  }

  /**
   * Counts a new object.
   *
   * @param kind limit of the number of objects of its kind
   * @throws VerbsException ENOMEM at the limit
   */
  void add(Limit kind) {
    int most = limits.get(kind);
    if (counts[kind.ordinal()] >= most) {
      throw reached(kind, most);
    }
    counts[kind.ordinal()]++;
  }

  /** The refusal of an object beyond the limit. */
  static VerbsException reached(Limit kind, int most) {
    return Errno.ENOMEM.refusal(
        "the device's limit of %d %s is reached; close some",
        most, kind.meaning().toLowerCase(Locale.ROOT));
  }

  /** Counts a destroyed object. */
  void remove(Limit kind) {
    counts[kind.ordinal()]--;
  }
}
