package org.roce4j.wire.view;

import org.roce4j.wire.Aeth;
import org.roce4j.wire.capture.Extension;
import org.roce4j.wire.capture.RocePacket;

/** Properties of a packet. */
final class Packets {
  /** The packet has no AETH. */
  static final int NO_SYNDROME = -1;

  private Packets() {}

  static int syndrome(ViewedPacket packet) {
    RocePacket headers = packet.frame().headers();
    if (headers != null) {
      for (Extension extension : headers.extensions()) {
        if (extension instanceof Extension.Acknowledge(int syndrome, int _)) {
          return syndrome;
        }
      }
    }
    return NO_SYNDROME;
  }

  /** Whether the syndrome is a NAK that moves both queue pairs to ERR. */
  static boolean fatal(int syndrome) {
    return syndrome != NO_SYNDROME
        && !Aeth.isAck(syndrome)
        && !Aeth.isRnrNak(syndrome)
        && syndrome != Aeth.NAK_SEQUENCE;
  }

  /** Whether the left end sent the packet. */
  static boolean fromLeft(ViewedPacket packet, CapturedConnection connection) {
    ConnectionEnd left = connection.left();
    ConnectionEnd right = connection.right();
    DrawnPacket frame = packet.frame();
    if (!left.address().equals(right.address()) || frame.headers() == null) {
      return frame.source().equals(left.address());
    }
    return frame.headers().bth().destQp() == right.queuePair();
  }
}
