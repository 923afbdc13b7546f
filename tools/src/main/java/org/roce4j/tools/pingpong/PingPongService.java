package org.roce4j.tools.pingpong;

import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;

/** What differs between the transport services that ping-pong is played over. */
interface PingPongService {
  QpType qpType();

  /** The name people use. */
  String label();

  /** Bytes in front of the payload of a receive. */
  int receiveHeadroom();

  /** Whether a peer of our own may be probed with an RDMA WRITE without data. */
  boolean canProbe();

  /** Whether the peer may need us for a moment after our last completion. */
  boolean lingers();

  /** The attributes of RESET to INIT. */
  QpAttr initialise();

  /** Moves the queue pair from INIT to RTS. */
  void connect(
      QueuePair qp, ExchangedAddress own, ExchangedAddress peer, int gidIndex, Mtu pathMtu);
}
