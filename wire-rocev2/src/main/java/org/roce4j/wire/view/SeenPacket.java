package org.roce4j.wire.view;

import org.roce4j.wire.Bytes;
import org.roce4j.wire.capture.CapturedFrame;
import org.roce4j.wire.capture.LinkType;

/**
 * A packet whose whole journey is known, as on a virtual network.
 *
 * @param sentNs time at which it was sent, or duplicated by the network
 * @param arrivedNs time of its arrival; {@link #NEVER} if it has not arrived
 * @param packet the IP packet
 * @param comment what the network did to it, or empty
 */
public record SeenPacket(
    long sentNs, long arrivedNs, PacketFate fate, Bytes packet, String comment) {
  /** The packet has not arrived. */
  public static final long NEVER = ViewedPacket.UNKNOWN;

  CapturedFrame frame() {
    return new CapturedFrame(sentNs, LinkType.RAW, packet.length(), packet, comment);
  }
}
