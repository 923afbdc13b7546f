package org.roce4j.wire.view;

import org.roce4j.wire.Aeth;
import org.roce4j.wire.capture.Extension;
import org.roce4j.wire.capture.RocePacket;

/** Questions to a packet. */
final class Packets {
  /** It has no AETH. */
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

  /** Whether a NAK ends both queue pairs. */
  static boolean fatal(int syndrome) {
    return syndrome != NO_SYNDROME
        && !Aeth.isAck(syndrome)
        && !Aeth.isRnrNak(syndrome)
        && syndrome != Aeth.NAK_SEQUENCE;
  }

  /** Whether it goes from the left end to the right one. */
  static boolean fromLeft(ViewedPacket packet, Connection connection) {
    ConnectionEnd left = connection.left();
    ConnectionEnd right = connection.right();
    Frame frame = packet.frame();
    if (!left.address().equals(right.address()) || frame.headers() == null) {
      return frame.source().equals(left.address());
    }
    return frame.headers().bth().destQp() == right.queuePair();
  }
}
