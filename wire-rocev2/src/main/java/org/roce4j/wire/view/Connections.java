package org.roce4j.wire.view;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.wire.Operation;
import org.roce4j.wire.Transport;
import org.roce4j.wire.inspect.FlowPosition;

/**
 * Finds the connections of a capture. A packet names its destination queue pair. Its source queue
 * pair is known only from the packets of the opposite direction, which often come later.
 */
final class Connections {
  /**
   * One direction: packets from an address to a queue pair. Only datagrams name their {@code
   * sender}.
   */
  private record Way(String source, String destination, int queuePair, int sender) {}

  private static final class Half {
    private final Way way;
    private final List<Integer> packets = new ArrayList<>();
    private int sender;
    private String service = "";
    private boolean taken;

    private Half(Way way) {
      this.way = way;
      sender = way.sender;
    }

    private void take(int index, ViewedPacket packet) {
      packets.add(index);
      if (sender == FlowPosition.NO_QP) {
        sender = packet.position().senderQp();
      }
      Transport transport = transport(packet);
      if (service.isEmpty() && transport != null) {
        service = transport.name();
      }
    }
  }

  private final Map<Way, Half> halves = new LinkedHashMap<>();

  /** The connections, in the order in which they appear. */
  static List<CapturedConnection> of(List<ViewedPacket> packets) {
    Connections connections = new Connections();
    for (int i = 0; i < packets.size(); i++) {
      Way way = way(packets.get(i));
      connections.halves.computeIfAbsent(way, Half::new).take(i, packets.get(i));
    }
    return connections.joined();
  }

  private static Way way(ViewedPacket packet) {
    DrawnPacket frame = packet.frame();
    int to = frame.headers() == null ? FlowPosition.NO_QP : frame.headers().bth().destQp();
    int from =
        transport(packet) == Transport.UD ? packet.position().senderQp() : FlowPosition.NO_QP;
    return new Way(frame.source(), frame.destination(), to, from);
  }

  /** The transport that the packet tells; null: none, as a notification of congestion. */
  private static Transport transport(ViewedPacket packet) {
    if (packet.frame().headers() == null
        || packet.frame().headers().bth().opcode().operation() == Operation.CNP) {
      return null;
    }
    return packet.frame().headers().bth().opcode().transport();
  }

  private List<CapturedConnection> joined() {
    Map<Way, Half> byEnds = new LinkedHashMap<>();
    halves.values().forEach(half -> byEnds.putIfAbsent(ends(half), half));
    List<CapturedConnection> found = new ArrayList<>();
    for (Half half : halves.values()) {
      if (!half.taken && half.sender != FlowPosition.NO_QP) {
        half.taken = true;
        found.add(connection(half, reverse(half, byEnds)));
      }
    }
    for (Half half : halves.values()) {
      if (!half.taken) {
        found.add(connection(half, null));
      }
    }
    found.sort(Comparator.comparingInt(connection -> connection.packets().getFirst()));
    return found;
  }

  private static Way ends(Half half) {
    return new Way(half.way.source, half.way.destination, half.way.queuePair, half.sender);
  }

  /** The opposite direction, which is then taken; null if there is none. */
  private static Half reverse(Half half, Map<Way, Half> byEnds) {
    String source = half.way.destination;
    String destination = half.way.source;
    Half known = byEnds.get(new Way(source, destination, half.sender, half.way.queuePair));
    // The sender of congestion notifications, and of packets before the first response, is unknown.
    Half found =
        known != null
            ? known
            : byEnds.get(new Way(source, destination, half.sender, FlowPosition.NO_QP));
    if (found == null || found.taken) {
      return null;
    }
    found.taken = true;
    return found;
  }

  private static CapturedConnection connection(Half half, Half other) {
    ConnectionEnd one = new ConnectionEnd(half.way.source, half.sender);
    ConnectionEnd two = new ConnectionEnd(half.way.destination, half.way.queuePair);
    if (other == null) {
      return new CapturedConnection(one, two, half.service, half.packets);
    }
    List<Integer> packets = new ArrayList<>(half.packets);
    packets.addAll(other.packets);
    Collections.sort(packets);
    String service = half.service.isEmpty() ? other.service : half.service;
    return half.packets.getFirst() < other.packets.getFirst()
        ? new CapturedConnection(one, two, service, packets)
        : new CapturedConnection(two, one, service, packets);
  }
}
