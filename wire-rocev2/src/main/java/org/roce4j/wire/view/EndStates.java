package org.roce4j.wire.view;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.inspect.Mark;

/**
 * Infers the states of both queue pairs from the packets of a connection, by docs/specification: a
 * queue pair that sends requests is in RTS, a queue pair that responds is in RTR or RTS, and a
 * fatal NAK moves both to ERR.
 */
final class EndStates {
  /**
   * A change of state.
   *
   * @param left whether the left end's state changes
   * @param packet index of the packet that shows it
   */
  record Change(boolean left, int packet, EndState state) {}

  private final Connection connection;
  private final List<ViewedPacket> packets;
  private final List<Change> changes = new ArrayList<>();
  private EndState left = EndState.UNKNOWN;
  private EndState right = EndState.UNKNOWN;

  private EndStates(Connection connection, List<ViewedPacket> packets) {
    this.connection = connection;
    this.packets = packets;
  }

  /** The changes of both ends, in the order of the packets. */
  static List<Change> of(Connection connection, List<ViewedPacket> packets) {
    EndStates states = new EndStates(connection, packets);
    connection.packets().forEach(states::take);
    return states.changes;
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
    if (state(fromLeft) == EndState.UNKNOWN) {
      change(fromLeft, index, EndState.RTR);
    }
    if (packet.fate() == Fate.LOST) {
      if (Packets.fatal(syndrome)) {
        change(fromLeft, index, EndState.ERR);
      }
    } else if (Packets.fatal(syndrome)) {
      change(fromLeft, index, EndState.ERR);
      change(!fromLeft, index, EndState.ERR);
    } else if (syndrome != Packets.NO_SYNDROME && Aeth.isRnrNak(syndrome)) {
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
