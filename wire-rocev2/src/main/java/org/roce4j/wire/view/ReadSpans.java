package org.roce4j.wire.view;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.roce4j.wire.Operation;
import org.roce4j.wire.inspect.FlowPosition;
import org.roce4j.wire.inspect.Mark;

/**
 * The PSNs that READ requests take, one for each response packet. No header carries their number;
 * it follows from the next request's PSN and from the responses.
 */
final class ReadSpans {
  /**
   * By packet: for a READ request the PSN after its last response; {@code Long.MIN_VALUE} for any
   * other packet.
   */
  private final long[] ends;

  private ReadSpans(int packets) {
    ends = new long[packets];
    Arrays.fill(ends, Long.MIN_VALUE);
  }

  static ReadSpans of(List<CapturedConnection> connections, List<ViewedPacket> packets) {
    ReadSpans spans = new ReadSpans(packets.size());
    for (CapturedConnection connection : connections) {
      NavigableMap<Long, Integer> ofLeft = new TreeMap<>();
      NavigableMap<Long, Integer> ofRight = new TreeMap<>();
      for (int index : connection.packets()) {
        ViewedPacket packet = packets.get(index);
        boolean left = Packets.fromLeft(packet, connection) == packet.request();
        if (packet.position().relativePsn() != FlowPosition.UNKNOWN) {
          spans.take(index, packet, left ? ofLeft : ofRight);
        }
      }
    }
    return spans;
  }

  /**
   * @param requests the first transmissions of requests: packet index by PSN
   */
  private void take(int index, ViewedPacket packet, NavigableMap<Long, Integer> requests) {
    long psn = packet.position().relativePsn();
    Operation operation = packet.frame().headers().bth().opcode().operation();
    if (packet.request() && packet.position().mark() == Mark.NONE) {
      Map.Entry<Long, Integer> before = requests.lowerEntry(psn);
      if (before != null && ends[before.getValue()] != Long.MIN_VALUE) {
        ends[before.getValue()] = psn;
      }
      requests.put(psn, index);
      ends[index] = operation == Operation.READ_REQUEST ? psn + 1 : Long.MIN_VALUE;
    } else if (operation == Operation.READ_RESPONSE) {
      Map.Entry<Long, Integer> asked = requests.floorEntry(psn);
      if (asked != null && ends[asked.getValue()] != Long.MIN_VALUE) {
        ends[asked.getValue()] = Math.max(ends[asked.getValue()], psn + 1);
      }
    }
  }

  /** The relative PSN after the last PSN of the request at {@code psn}. */
  long end(int index, long psn) {
    return Math.max(ends[index], psn + 1);
  }
}
