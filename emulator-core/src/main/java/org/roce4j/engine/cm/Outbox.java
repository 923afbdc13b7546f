package org.roce4j.engine.cm;

import java.util.ArrayDeque;
import org.roce4j.engine.datagram.Path;
import org.roce4j.wire.mad.CmMessage;
import org.roce4j.wire.mad.Mad;

/**
 * MADs that wait to be sent. Their number is bounded: a dropped MAD is retransmitted by its timer.
 */
final class Outbox {
  /** Enough for the answers to all datagrams that a port hands over in one turn. */
  private static final int MOST = 1024;

  private final ArrayDeque<Outgoing> waiting = new ArrayDeque<>();

  void send(Path path, long transactionId, CmMessage message) {
    send(path, message.in(transactionId));
  }

  void send(Path path, Mad mad) {
    if (waiting.size() < MOST) {
      waiting.add(new Outgoing(path, mad));
    }
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  Outgoing poll() {
    return waiting.poll();
  }
}
