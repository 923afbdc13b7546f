package org.roce4j.engine;

import java.util.Arrays;
import java.util.stream.Stream;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** The value of each {@link Limit} of a device. Immutable. */
public final class DeviceLimits {
  public static final DeviceLimits DEFAULT =
      new DeviceLimits(Stream.of(Limit.values()).mapToInt(Limit::normal).toArray());

  /** The values, by the ordinal of {@link Limit}. */
  private final int[] values;

  private DeviceLimits(int[] values) {
    this.values = values;
  }

  public int get(Limit limit) {
    return values[limit.ordinal()];
  }

  /**
   * These limits with another value of one, which may be outside the range that a configuration
   * allows.
   *
   * @throws VerbsException EINVAL for a value outside 0 to 2<sup>31</sup>-1
   */
  public DeviceLimits with(Limit limit, long value) {
    if (value < 0 || value > Integer.MAX_VALUE) {
      throw Errno.EINVAL.refusal("%s must be 0 to 2^31-1, not %d", limit.key(), value);
    }
    int[] changed = values.clone();
    changed[limit.ordinal()] = (int) value;
    return new DeviceLimits(changed);
  }

  /** The path window of each engine: an equal share, but not less than one socket needs for GRO. */
  public long pathWindowBytes(int engines) {
    int window = get(Limit.PATH_WINDOW_BYTES);
    return Math.max(window / engines, Math.min(window, Limit.PATH_WINDOW_BYTES.least()));
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof DeviceLimits limits && Arrays.equals(values, limits.values);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(values);
  }
}
