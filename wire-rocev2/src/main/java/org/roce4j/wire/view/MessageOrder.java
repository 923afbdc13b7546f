package org.roce4j.wire.view;

import java.util.List;
import java.util.Optional;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Operation;
import org.roce4j.wire.Transport;
import org.roce4j.wire.inspect.Mark;

/**
 * Checks the order of FIRST, MIDDLE and LAST packets. After a gap or a retransmission it makes no
 * judgement until the next message begins.
 */
final class MessageOrder {
  private enum Place {
    UNKNOWN,
    BETWEEN_MESSAGES,
    INSIDE_MESSAGE
  }

  /** By packet: whether it correctly follows the packet before it; null if unknown. */
  private final Boolean[] follows;

  private MessageOrder(int packets) {
    follows = new Boolean[packets];
  }

  static MessageOrder of(List<CapturedConnection> connections, List<ViewedPacket> packets) {
    MessageOrder order = new MessageOrder(packets.size());
    for (CapturedConnection connection : connections) {
      Direction fromLeft = new Direction();
      Direction fromRight = new Direction();
      for (int index : connection.packets()) {
        ViewedPacket packet = packets.get(index);
        if (packet.request() && transport(packet) != Transport.UD) {
          boolean left = Packets.fromLeft(packet, connection);
          order.follows[index] = (left ? fromLeft : fromRight).take(packet);
        }
      }
    }
    return order;
  }

  private static Transport transport(ViewedPacket packet) {
    return packet.frame().headers().bth().opcode().transport();
  }

  Optional<Boolean> follows(int packet) {
    return Optional.ofNullable(follows[packet]);
  }

  private static final class Direction {
    private Place place = Place.UNKNOWN;
    private Operation operation;

    private Boolean take(ViewedPacket packet) {
      if (packet.position().mark() != Mark.NONE || packet.frame().icrc().equals("bad")) {
        place = Place.UNKNOWN;
        return null;
      }
      Opcode opcode = packet.frame().headers().bth().opcode();
      Boolean follows =
          switch (place) {
            case UNKNOWN -> null;
            case BETWEEN_MESSAGES -> opcode.starts();
            case INSIDE_MESSAGE -> !opcode.starts() && opcode.operation() == operation;
          };
      boolean known = opcode.starts() || place != Place.UNKNOWN || opcode.ends();
      operation = opcode.operation();
      place =
          !known ? Place.UNKNOWN : opcode.ends() ? Place.BETWEEN_MESSAGES : Place.INSIDE_MESSAGE;
      return follows;
    }
  }
}
