package org.roce4j.wire.view;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.roce4j.wire.inspect.FlowPosition;

/**
 * Bounds the difference between the clock of a recording and that of the packets: no request leaves
 * before it is posted, and no request of a reliable connection completes before a packet has
 * arrived. Only the first request and the first completion of each queue pair are considered.
 */
final class RecordingClock {
  private static final String UNKNOWN = "; no packet tells how far that clock is from theirs";

  private final Map<Integer, Long> sent = new HashMap<>();
  private final Map<Integer, Long> came = new HashMap<>();
  private final Map<Integer, Boolean> reliable = new HashMap<>();

  /** The least and greatest correction that may be added to times of the recording. */
  private long leastNs = Long.MIN_VALUE;

  private long mostNs = Long.MAX_VALUE;

  /**
   * @param firstNs nanoseconds since 1970 at time 0 of the packets
   */
  RecordingClock(
      Recording recording,
      List<CapturedConnection> connections,
      List<ViewedPacket> packets,
      long firstNs) {
    for (CapturedConnection connection : connections) {
      for (int i : connection.packets()) {
        packet(connection, packets.get(i), firstNs);
      }
    }
    Map<Integer, Long> posted = new HashMap<>();
    Map<Integer, Long> polled = new HashMap<>();
    for (Recording.Request each : recording.requests()) {
      int qp = each.queuePair();
      if (!recording.whole().contains(qp)) {
        continue; // its first request may be older than the recording
      }
      if (each.isPosted() && !each.isReceive()) {
        posted.putIfAbsent(qp, each.atNs());
      } else if (each.succeeded() && (each.isReceive() || reliable.getOrDefault(qp, false))) {
        polled.putIfAbsent(qp, each.atNs());
      }
    }
    sent.forEach((qp, ns) -> mostNs = Math.min(mostNs, after(posted.get(qp), ns, mostNs)));
    came.forEach((qp, ns) -> leastNs = Math.max(leastNs, after(polled.get(qp), ns, leastNs)));
  }

  private static long after(Long recordedNs, long packetNs, long unknown) {
    return recordedNs == null ? unknown : packetNs - recordedNs;
  }

  private void packet(CapturedConnection connection, ViewedPacket packet, long firstNs) {
    if (packet.frame().headers() == null) {
      return;
    }
    int to = packet.frame().headers().bth().destQp();
    boolean rightwards = to == connection.right().queuePair();
    ConnectionEnd from = rightwards ? connection.left() : connection.right();
    long atNs = firstNs + packet.timeNs();
    if (packet.request() && from.queuePair() != FlowPosition.NO_QP) {
      sent.putIfAbsent(from.queuePair(), atNs);
    }
    came.putIfAbsent(to, atNs);
    reliable.merge(to, packet.response(), Boolean::logicalOr);
  }

  /** The correction: the smallest that both bounds allow; 0 if they contradict each other. */
  long shiftNs() {
    return leastNs > mostNs ? 0 : Math.clamp(0, leastNs, mostNs);
  }

  /** The text that follows the recording's name in the notes. */
  String note() {
    if (leastNs > mostNs) {
      return String.format(
          Locale.ROOT,
          "; its clock and the packets contradict each other by %s: one of them lacks the"
              + " beginning",
          us(leastNs - mostNs));
    }
    String moved =
        shiftNs() == 0
            ? ", placed by the recording's clock"
            : String.format(
                Locale.ROOT,
                ", moved by %s so that none is on the wrong side of its packet",
                us(shiftNs()));
    boolean least = leastNs != Long.MIN_VALUE;
    boolean most = mostNs != Long.MAX_VALUE;
    if (!least && !most) {
      return moved + UNKNOWN;
    }
    String late = most ? us(mostNs - shiftNs()) + " later" : "any time later";
    String early = least ? us(shiftNs() - leastNs) + " earlier" : "any time earlier";
    return String.format(
        Locale.ROOT, "%s; the packets allow all of them to be up to %s or %s", moved, late, early);
  }

  private static String us(long ns) {
    return String.format(Locale.ROOT, "%.1f us", ns / 1e3);
  }
}
