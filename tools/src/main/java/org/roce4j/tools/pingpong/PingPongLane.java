package org.roce4j.tools.pingpong;

import org.roce4j.connect.ExchangedAddress;
import org.roce4j.tools.side.Lane;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;

/** A queue pair and its part of the game. */
final class PingPongLane extends Lane<ExchangedAddress> {
  /** The sending queue pair, if it is not the receiving one; for XRC only. */
  final QueuePair sender;

  /** The shared queue of its receives; null if it has a queue of its own. */
  final SharedReceiveQueue srq;

  /** The peer's shared receive queue, which every message names; for XRC only. */
  int peerSrqn;

  /** The message to send, for each buffer. */
  SendRequestList[] sends;

  /** The numbers of the peer's messages that were received and checked. */
  long received;

  long settled;

  /** The numbers of messages to the peer that were written, posted and acknowledged. */
  long written;

  long posted;
  long completed;

  /** The time at which the newest message was posted. */
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
