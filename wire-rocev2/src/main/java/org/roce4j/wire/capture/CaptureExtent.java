package org.roce4j.wire.capture;

import java.util.Locale;

/**
 * The packets that a capture of an unlimited run keeps: some at its beginning and some at its end.
 *
 * @param first number of packets to keep at the beginning, 0 or more
 * @param last number of packets to keep at the end, 0 to {@link #MOST_LAST}; they stay in memory
 *     until the capture is closed
 */
public record CaptureExtent(int first, int last) {
  /** The greatest value of {@code last}. */
  public static final int MOST_LAST = 100_000;

  /** Every packet. */
  public static final CaptureExtent ALL = new CaptureExtent(Integer.MAX_VALUE, 0);

  /** The extent for a test that may run until it is interrupted: the first and the last packets. */
  public static final CaptureExtent OF_A_TEST = new CaptureExtent(20_000, 2_000);

  /**
   * @throws IllegalArgumentException if a number is out of its range
   */
  public CaptureExtent {
    if (first < 0 || last < 0 || last > MOST_LAST) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "a capture keeps 0 or more packets and the last 0 to %d, not %d and %d",
              MOST_LAST,
              first,
              last));
    }
  }
}
