package org.roce4j.wire.view;

import org.roce4j.wire.inspect.FlowPosition;

/**
 * A packet of a view.
 *
 * @param frames its numbers in the files: {@code 12}, or {@code 12 + 9} when both ends saw it
 * @param frame its headers, as its sender saw them where that is captured
 * @param sentNs when it was sent, or seen in the only capture, in nanoseconds since the first
 *     packet; {@link #UNKNOWN} when only its destination saw it
 * @param arrivedNs when its destination saw it; {@link #UNKNOWN} when that is not captured
 */
record ViewedPacket(String frames, Frame frame, long sentNs, long arrivedNs, Fate fate) {
  /** No capture tells the time. */
  static final long UNKNOWN = Long.MIN_VALUE;

  /** When it was first seen. */
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
