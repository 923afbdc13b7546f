package org.roce4j.wire.view;

import java.util.Arrays;
import java.util.List;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.inspect.FlowPosition;

/**
 * The PSNs that a requester has sent and had acknowledged after each packet of its connection: the
 * points of a time-sequence plot, relative to its first request.
 */
final class PsnProgress {
  /** No value: the packet is a datagram or belongs to no flow. */
  static final long NONE = Long.MIN_VALUE;

  /** By packet: the oldest PSN not yet acknowledged. */
  private final long[] oldest;

  /** By packet: the next PSN to be sent for the first time. */
  private final long[] next;

  private final ReadSpans reads;

  private PsnProgress(ReadSpans reads, int packets) {
    this.reads = reads;
    oldest = new long[packets];
    next = new long[packets];
    Arrays.fill(oldest, NONE);
    Arrays.fill(next, NONE);
  }

  static PsnProgress of(List<CapturedConnection> connections, List<ViewedPacket> packets) {
    PsnProgress progress = new PsnProgress(ReadSpans.of(connections, packets), packets.size());
    for (CapturedConnection connection : connections) {
      RequesterProgress left = new RequesterProgress();
      RequesterProgress right = new RequesterProgress();
      for (int index : connection.packets()) {
        ViewedPacket packet = packets.get(index);
        boolean ofLeft = Packets.fromLeft(packet, connection) == packet.request();
        progress.take(index, packet, ofLeft ? left : right);
      }
    }
    return progress;
  }

  private void take(int index, ViewedPacket packet, RequesterProgress requester) {
    long psn = packet.position().relativePsn();
    if (psn == FlowPosition.UNKNOWN) {
      return;
    }
    if (packet.request()) {
      requester.next = Math.max(requester.next, reads.end(index, psn));
    } else {
      requester.next = Math.max(requester.next, psn + (nak(packet) ? 0 : 1));
      if (packet.fate() != PacketFate.LOST) {
        requester.oldest = Math.max(requester.oldest, psn + (nak(packet) ? 0 : 1));
      }
    }
    oldest[index] = requester.oldest;
    next[index] = requester.next;
  }

  /** Whether the packet is a NAK, which acknowledges only the PSNs before its own. */
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

  private static final class RequesterProgress {
    private long oldest;
    private long next;
  }
}
