package org.roce4j.wire.view;

import org.roce4j.wire.inspect.FlowPosition;

/**
 * A packet of a view.
 *
 * @param frames its numbers in the files: {@code 12}, or {@code 12 + 9} if both ends have it
 * @param frame its headers, from the sender's capture if that has it
 * @param sentNs time at which it was sent, or seen in the only capture, in nanoseconds since the
 *     first packet; {@link #UNKNOWN} if only the destination's capture has it
 * @param arrivedNs time at which the destination's capture has it; {@link #UNKNOWN} if it does not
 */
record ViewedPacket(
    String frames, DrawnPacket frame, long sentNs, long arrivedNs, PacketFate fate) {
  /** The time is in no capture. */
  static final long UNKNOWN = Long.MIN_VALUE;

  /** The earliest time known. */
  long timeNs() {
    return sentNs == UNKNOWN ? arrivedNs : sentNs;
  }

  FlowPosition position() {
    return frame.position();
  }

  ViewedPacket at(FlowPosition position) {
    return new ViewedPacket(frames, frame.at(position), sentNs, arrivedNs, fate);
  }

  boolean request() {
    return frame.headers() != null && frame.headers().bth().opcode().request();
  }

  boolean response() {
    return frame.headers() != null && frame.headers().bth().opcode().response();
  }
}
