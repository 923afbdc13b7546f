package org.roce4j.tools.pingpong;

import org.roce4j.connect.ExchangedAddress;
import org.roce4j.tools.side.Lane;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;

/** A queue pair and its part of the game. */
final class PingPongLane extends Lane<ExchangedAddress> {
  /** Sends its messages, if another than the one that receives does; of XRC alone. */
  final QueuePair sender;

  /** Where its receives come from; null if it has a queue of its own. */
  final SharedReceiveQueue srq;

  /** The peer's shared receive queue, which every message names; of XRC alone. */
  int peerSrqn;

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

  PingPongLane(int index, QueuePair qp, SharedReceiveQueue srq, ExchangedAddress own) {
    this(index, qp, qp, srq, own);
  }

  PingPongLane(
      int index, QueuePair qp, QueuePair sender, SharedReceiveQueue srq, ExchangedAddress own) {
    super(index, qp, own);
    this.sender = sender;
    this.srq = srq;
  }
}
