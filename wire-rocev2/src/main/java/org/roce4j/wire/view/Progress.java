package org.roce4j.wire.view;

import java.util.Arrays;
import java.util.List;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.inspect.FlowPosition;

/**
 * What a requester has under way after each packet of its connection: the points of a time-sequence
 * plot, in PSNs relative to the first of its requests.
 */
final class Progress {
  /** There is none: a datagram, or a packet that belongs to no flow. */
  static final long NONE = Long.MIN_VALUE;

  /** The oldest PSN that no response has acknowledged, by packet. */
  private final long[] oldest;

  /** The next PSN to be sent for the first time, by packet. */
  private final long[] next;

  private final ReadSpans reads;

  private Progress(ReadSpans reads, int packets) {
    this.reads = reads;
    oldest = new long[packets];
    next = new long[packets];
    Arrays.fill(oldest, NONE);
    Arrays.fill(next, NONE);
  }

  static Progress of(List<Connection> connections, List<ViewedPacket> packets) {
    Progress progress = new Progress(ReadSpans.of(connections, packets), packets.size());
    for (Connection connection : connections) {
      Requester left = new Requester();
      Requester right = new Requester();
      for (int index : connection.packets()) {
        ViewedPacket packet = packets.get(index);
        boolean ofLeft = Packets.fromLeft(packet, connection) == packet.request();
        progress.take(index, packet, ofLeft ? left : right);
      }
    }
    return progress;
  }

  private void take(int index, ViewedPacket packet, Requester requester) {
    long psn = packet.position().relativePsn();
    if (psn == FlowPosition.UNKNOWN) {
      return;
    }
    if (packet.request()) {
      requester.next = Math.max(requester.next, reads.end(index, psn));
    } else {
      requester.next = Math.max(requester.next, psn + (nak(packet) ? 0 : 1));
      if (packet.fate() != Fate.LOST) {
        requester.oldest = Math.max(requester.oldest, psn + (nak(packet) ? 0 : 1));
      }
    }
    oldest[index] = requester.oldest;
    next[index] = requester.next;
  }

  /** A NAK acknowledges what is before its PSN. */
  private static boolean nak(ViewedPacket packet) {
    int syndrome = Packets.syndrome(packet);
    return syndrome != Packets.NO_SYNDROME && !Aeth.isAck(syndrome);
  }

  long oldest(int packet) {
    return oldest[packet];
  }

  long next(int packet) {
    return next[packet];
  }

  private static final class Requester {
    private long oldest;
    private long next;
  }
}
