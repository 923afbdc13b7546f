package org.roce4j.wire.inspect;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Operation;
import org.roce4j.wire.Transport;
import org.roce4j.wire.capture.Extension;
import org.roce4j.wire.capture.RocePacket;

/**
 * The flows of a capture: for each direction and destination queue pair the requests, and the
 * responses in the opposite direction. A response names the requester's queue pair, not its own;
 * the flow that it answers is found by addresses and PSN and then remembered.
 *
 * <p>At most {@code MOST_FLOWS} flows are tracked, so that a capture of forged packets costs
 * bounded memory; packets of further flows have no position.
 */
public final class PacketFlows {
  private static final int MOST_FLOWS = 1 << 16;

  private record Key(String source, String destination, int queuePair) {}

  private record Way(String source, String destination) {}

  private final Map<Key, RequestFlow> requests = new HashMap<>();
  private final Map<Way, List<RequestFlow>> ways = new HashMap<>();
  private final Map<Key, RequestFlow> answeredBy = new HashMap<>();
  private final Set<RequestFlow> paired = new HashSet<>();

  /** The position of the next packet among those before it. */
  public FlowPosition position(RocePacket packet) {
    Operation operation = packet.bth().opcode().operation();
    if (operation == Operation.CNP) {
      return FlowPosition.of(Mark.CNP);
    }
    if (packet.bth().opcode().transport() == Transport.UD) {
      return FlowPosition.of(Mark.NONE).from(sender(packet));
    }
    return operation.response() ? response(packet) : request(packet);
  }

  private FlowPosition request(RocePacket packet) {
    Way way = new Way(packet.ip().sourceText(), packet.ip().destinationText());
    Key key = new Key(way.source, way.destination, packet.bth().destQp());
    RequestFlow flow = requests.get(key);
    if (flow == null) {
      if (requests.size() == MOST_FLOWS) {
        return FlowPosition.of(Mark.NONE);
      }
      flow = new RequestFlow(key.queuePair, packet.bth().psn());
      requests.put(key, flow);
      ways.computeIfAbsent(way, _ -> new ArrayList<>()).add(flow);
    }
    return flow.request(packet.bth().psn(), readBytes(packet));
  }

  private FlowPosition response(RocePacket packet) {
    Mark mark = mark(packet);
    RequestFlow flow = answered(packet);
    if (flow == null) {
      return FlowPosition.of(mark);
    }
    boolean read = packet.bth().opcode().operation() == Operation.READ_RESPONSE;
    return flow.response(packet.bth().psn(), read, mark);
  }

  /** The requests that a response answers, or null if the capture does not show them. */
  private RequestFlow answered(RocePacket packet) {
    String source = packet.ip().sourceText();
    String destination = packet.ip().destinationText();
    Key key = new Key(source, destination, packet.bth().destQp());
    RequestFlow known = answeredBy.get(key);
    if (known != null && known.mayBeAnswered(packet.bth().psn())) {
      return known;
    }
    RequestFlow found = null;
    for (RequestFlow flow : ways.getOrDefault(new Way(destination, source), List.of())) {
      if (flow.mayBeAnswered(packet.bth().psn()) && !paired.contains(flow)) {
        if (found != null) {
          return null;
        }
        found = flow;
      }
    }
    if (found != null) {
      answeredBy.put(key, found);
      paired.add(found);
      found.answers(key.queuePair);
    }
    return found;
  }

  /** The queue pair that a datagram names as its sender. */
  private static int sender(RocePacket datagram) {
    for (Extension extension : datagram.extensions()) {
      if (extension instanceof Extension.Datagram(int _, int _, int sourceQp)) {
        return sourceQp;
      }
    }
    return FlowPosition.NO_QP;
  }

  private static Mark mark(RocePacket packet) {
    for (Extension extension : packet.extensions()) {
      if (extension instanceof Extension.Acknowledge(int syndrome, int _)
          && !Aeth.isAck(syndrome)) {
        return Aeth.isRnrNak(syndrome) ? Mark.RNR : Mark.NAK;
      }
    }
    return Mark.NONE;
  }

  private static long readBytes(RocePacket packet) {
    if (packet.bth().opcode().operation() != Operation.READ_REQUEST) {
      return 0;
    }
    for (Extension extension : packet.extensions()) {
      if (extension instanceof Extension.Rdma(long _, int _, long length)) {
        return Math.max(1, length);
      }
    }
    return 0;
  }
}
