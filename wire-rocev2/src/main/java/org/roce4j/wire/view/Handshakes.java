package org.roce4j.wire.view;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.wire.mad.Drep;
import org.roce4j.wire.mad.Dreq;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.Rep;
import org.roce4j.wire.mad.Req;
import org.roce4j.wire.mad.Rtu;

/**
 * Infers states of queue pairs from the messages of connection managers, which travel between other
 * queue pairs. A REQ names a queue pair that is in INIT at most. The sender of a REP receives
 * already. The sender of an RTU may send requests.
 */
final class Handshakes {
  /**
   * A message that tells the state of the queue pair that its sender connects.
   *
   * @param packet index of the packet that carries it
   */
  record Told(int packet, EndState state) {}

  /** The number that an address gives to a connection. */
  private record Id(String address, int localId) {}

  private final Map<Id, ConnectionEnd> ends = new HashMap<>();
  private final Map<ConnectionEnd, List<Told>> told = new HashMap<>();

  private Handshakes() {}

  /** The states of each end that messages report, in the order of the packets. */
  static Map<ConnectionEnd, List<Told>> of(List<ViewedPacket> packets) {
    Handshakes handshakes = new Handshakes();
    for (int i = 0; i < packets.size(); i++) {
      DrawnPacket frame = packets.get(i).frame();
      if (frame.mad().length() != 0 && !frame.icrc().equals("bad")) {
        handshakes.take(i, frame);
      }
    }
    return handshakes.told;
  }

  private void take(int index, DrawnPacket frame) {
    String from = frame.source();
    switch (Mad.parse(frame.mad().buffer(), 0, frame.mad().length()).message()) {
      case Req req -> {
        ends.put(new Id(from, req.localId()), new ConnectionEnd(from, req.qpn()));
        tell(index, from, req.localId(), EndState.INIT);
      }
      case Rep rep -> {
        ends.put(new Id(from, rep.localId()), new ConnectionEnd(from, queuePair(rep)));
        tell(index, from, rep.localId(), EndState.RTR);
      }
      case Rtu rtu -> tell(index, from, rtu.localId(), EndState.RTS);
      case Dreq dreq -> tell(index, from, dreq.localId(), EndState.CLOSED);
      case Drep drep -> tell(index, from, drep.localId(), EndState.CLOSED);
      default -> {}
    }
  }

  /**
   * The queue pair number of the target of an extended connection is in the place of other replies'
   * context number.
   */
  private static int queuePair(Rep rep) {
    return rep.qpn() != 0 ? rep.qpn() : rep.eecn();
  }

  private void tell(int index, String from, int localId, EndState state) {
    ConnectionEnd end = ends.get(new Id(from, localId));
    if (end != null) {
      told.computeIfAbsent(end, _ -> new ArrayList<>()).add(new Told(index, state));
    }
  }
}
