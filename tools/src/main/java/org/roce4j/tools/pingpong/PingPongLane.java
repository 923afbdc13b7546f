package org.roce4j.tools.pingpong;

import org.roce4j.connect.ExchangedAddress;
import org.roce4j.tools.side.Lane;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;

/** A queue pair and its part of the game. */
final class PingPongLane extends Lane<ExchangedAddress> {
  /** The message to send, for each buffer. */
  SendRequestList[] sends;

  /** Messages from the peer: received, and checked of these. */
  long received;

  long settled;

  /** Messages to the peer: written into a buffer, posted, and acknowledged of these. */
  long written;

  long posted;
  long completed;

  /** When the newest message was posted. */
  long postedNs;

  PingPongLane(int index, QueuePair qp, ExchangedAddress own) {
    super(index, qp, own);
  }
}
