package org.roce4j.wire.capture;

import org.roce4j.wire.Bytes;

/**
 * A frame of a capture file.
 *
 * @param timestampNs nanoseconds since 1970, or 0 when the file has none
 * @param linkType number of the link layer, see {@link LinkType}
 * @param originalLength bytes the frame had on the wire; more than were kept when a snap length cut
 *     it
 * @param bytes what was kept
 * @param comment of the file's author, empty when there is none
 * @param interfaceName of the interface that saw it, as the file calls it; empty when it does not
 */
public record CapturedFrame(
    long timestampNs,
    int linkType,
    int originalLength,
    Bytes bytes,
    String comment,
    String interfaceName) {
  /** A frame of a file that does not name its interfaces. */
  public CapturedFrame(
      long timestampNs, int linkType, int originalLength, Bytes bytes, String comment) {
    this(timestampNs, linkType, originalLength, bytes, comment, "");
  }
}
