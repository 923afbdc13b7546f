package org.roce4j.wire.view;

import org.roce4j.wire.Bytes;
import org.roce4j.wire.capture.CapturedFrame;
import org.roce4j.wire.capture.LinkType;

/**
 * A packet whose way somebody knows who saw the whole network.
 *
 * @param sentNs when it was sent, or copied by the network
 * @param arrivedNs when it arrived; {@link #NEVER}: not, or not yet
 * @param packet the IP packet
 * @param comment what befell it; empty: nothing
 */
public record SeenPacket(long sentNs, long arrivedNs, Fate fate, Bytes packet, String comment) {
  /** In place of a time. */
  public static final long NEVER = ViewedPacket.UNKNOWN;

  CapturedFrame frame() {
    return new CapturedFrame(sentNs, LinkType.RAW, packet.length(), packet, comment);
  }
}
