package org.roce4j.wire.capture;

/**
 * How much a capture keeps of a run that may not end: its beginning, and its end.
 *
 * @param first packets that are kept from the beginning on, 0 or more
 * @param last packets that are kept before the end, beside those; in memory until then, 0 to {@link
 *     #MOST_LAST}
 */
public record CaptureExtent(int first, int last) {
  /** The most packets that are kept in memory. */
  public static final int MOST_LAST = 100_000;

  /** Every packet. */
  public static final CaptureExtent ALL = new CaptureExtent(Integer.MAX_VALUE, 0);

  /** Of a test that does not end: enough to see how it began, and how it went on at last. */
  public static final CaptureExtent OF_A_TEST = new CaptureExtent(20_000, 2_000);

  /**
   * @throws IllegalArgumentException when a number is out of its range
   */
  public CaptureExtent {
    if (first < 0 || last < 0 || last > MOST_LAST) {
      throw new IllegalArgumentException(
          "a capture keeps 0 or more packets and the last 0 to %d, not %d and %d"
              .formatted(MOST_LAST, first, last));
    }
  }
}
