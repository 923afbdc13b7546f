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
 */
public record CapturedFrame(
    long timestampNs, int linkType, int originalLength, Bytes bytes, String comment) {}
