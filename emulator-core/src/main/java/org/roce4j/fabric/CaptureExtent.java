package org.roce4j.fabric;

/**
 * How much a capture keeps of a run that may not end: its beginning, and its end.
 *
 * @param first packets that are kept from the beginning on
 * @param last packets that are kept before the end, beside those; in memory until then
 */
public record CaptureExtent(int first, int last) {
  /** Every packet. */
  public static final CaptureExtent ALL = new CaptureExtent(Integer.MAX_VALUE, 0);
}
