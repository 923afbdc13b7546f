package org.roce4j.wire.capture;

import org.roce4j.wire.Bytes;

/**
 * A frame of a capture file.
 *
 * @param timestampNs nanoseconds since 1970; 0 if the file has no time
 * @param linkType number of the link layer, see {@link LinkType}
 * @param originalLength length on the wire in bytes; greater than that of {@code bytes} if a snap
 *     length cut the frame
 * @param bytes the bytes that the file keeps
 * @param comment the frame's comment, or empty
 * @param interfaceName name of the interface that saw it; empty if the file has none
 */
public record CapturedFrame(
    long timestampNs,
    int linkType,
    int originalLength,
    Bytes bytes,
    String comment,
    String interfaceName) {
  /** A frame without the name of an interface. */
  public CapturedFrame(
      long timestampNs, int linkType, int originalLength, Bytes bytes, String comment) {
    this(timestampNs, linkType, originalLength, bytes, comment, "");
  }
}
