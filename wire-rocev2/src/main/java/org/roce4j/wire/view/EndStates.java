package org.roce4j.wire.view;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.inspect.Mark;

/**
 * Infers the states of both queue pairs from the packets of a connection, by docs/specification: a
 * queue pair that sends requests is in RTS, a queue pair that responds is in RTR or RTS, and a
 * fatal NAK moves both to ERR. Before the first packet and after the last, messages of connection
 * managers tell more ({@link Handshakes}).
 */
final class EndStates {
  /**
   * A change of state.
   *
   * @param left whether the left end's state changes
   * @param packet index of the packet that shows it
   */
  record Change(boolean left, int packet, EndState state) {}

  private static final Set<EndState> NOT_RECEIVING =
      EnumSet.of(EndState.UNKNOWN, EndState.INIT, EndState.CLOSED);

  private final CapturedConnection connection;
  private final List<ViewedPacket> packets;
  private final List<Change> changes = new ArrayList<>();
  private EndState left = EndState.UNKNOWN;
  private EndState right = EndState.UNKNOWN;

  private EndStates(CapturedConnection connection, List<ViewedPacket> packets) {
    this.connection = connection;
    this.packets = packets;
  }

  /** The changes of both ends, in the order of the packets. */
  static List<Change> of(CapturedConnection connection, View view) {
    EndStates states = new EndStates(connection, view.packets());
    List<Change> told = new ArrayList<>();
    for (ConnectionEnd end : List.of(connection.left(), connection.right())) {
      for (Handshakes.Told each : view.handshakes().getOrDefault(end, List.of())) {
        told.add(new Change(end == connection.left(), each.packet(), each.state()));
      }
    }
    told.sort(Comparator.comparingInt(Change::packet));
    int next = 0;
    for (int index : connection.packets()) {
      while (next < told.size() && told.get(next).packet() < index) {
        states.take(told.get(next++));
      }
      states.take(index);
    }
    told.subList(next, told.size()).forEach(states::take);
    return states.changes;
  }

  /** A message that comes again, or late, changes nothing. */
  private void take(Change told) {
    EndState before = state(told.left());
    boolean changes =
        switch (told.state()) {
          case INIT -> before == EndState.UNKNOWN || before == EndState.CLOSED;
          case RTR -> NOT_RECEIVING.contains(before);
          case RTS -> before == EndState.RTR || NOT_RECEIVING.contains(before);
          default -> true;
        };
    if (changes) {
      change(told.left(), told.packet(), told.state());
    }
  }

  private void take(int index) {
    ViewedPacket packet = packets.get(index);
    if (packet.frame().headers() == null || packet.frame().icrc().equals("bad")) {
      return;
    }
    boolean fromLeft = Packets.fromLeft(packet, connection);
    if (packet.request()) {
      boolean again = packet.position().mark() == Mark.RETRANSMISSION;
      change(fromLeft, index, again ? EndState.RETRY : EndState.RTS);
    } else if (packet.response()) {
      response(index, packet, fromLeft);
    }
  }

  private void response(int index, ViewedPacket packet, boolean fromLeft) {
    int syndrome = Packets.syndrome(packet);
    if (NOT_RECEIVING.contains(state(fromLeft))) {
      change(fromLeft, index, EndState.RTR);
    }
    if (packet.fate() == PacketFate.LOST || packet.fate() == PacketFate.UNDER_WAY) {
      if (Packets.fatal(syndrome)) {
        change(fromLeft, index, EndState.ERR);
      }
    } else if (Packets.fatal(syndrome)) {
      change(fromLeft, index, EndState.ERR);
      change(!fromLeft, index, EndState.ERR);
    } else if (Aeth.isRnrNak(syndrome)) {
      change(!fromLeft, index, EndState.RNR_WAIT);
    } else if (syndrome == Aeth.NAK_SEQUENCE) {
      change(!fromLeft, index, EndState.RETRY);
    } else if (state(!fromLeft) == EndState.RETRY && packet.position().mark() == Mark.NONE) {
      change(!fromLeft, index, EndState.RTS);
    }
  }

  private EndState state(boolean ofLeft) {
    return ofLeft ? left : right;
  }

  private void change(boolean ofLeft, int index, EndState to) {
    if (state(ofLeft) == to) {
      return;
    }
    changes.add(new Change(ofLeft, index, to));
    if (ofLeft) {
      left = to;
    } else {
      right = to;
    }
  }
}
