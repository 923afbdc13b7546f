package org.roce4j.tools.pingpong;

import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;

/** One queue pair of an end and its part of the game. */
final class Lane {
  private final int index;
  private final QueuePair qp;
  private final ExchangedAddress address;
  private ExchangedAddress peer;

  /** How to reach the peer's queue pair with a datagram; null on a connection. */
  private AddressHandle route;

  /** The message to send, for each buffer. */
  SendRequestList[] sends;

  /** Messages of this queue pair, from the peer and to it. */
  long received;

  long settled;
  long written;
  long posted;
  long completed;

  /** When the newest message was posted. */
  long postedNs;

  Lane(int index, QueuePair qp, ExchangedAddress address) {
    this.index = index;
    this.qp = qp;
    this.address = address;
  }

  int index() {
    return index;
  }

  QueuePair qp() {
    return qp;
  }

  /** The queue pair, as the peer is told of it. */
  ExchangedAddress address() {
    return address;
  }

  /** The queue pair this one plays with. */
  ExchangedAddress peer() {
    return peer;
  }

  AddressHandle route() {
    return route;
  }

  void plays(ExchangedAddress with, AddressHandle over) {
    peer = with;
    route = over;
  }
}
