package org.roce4j.tools.pingpong;

import org.roce4j.verbs.Mtu;

/**
 * The plan of a game. It must be equal at both ends except for the timeout, because the protocol
 * does not exchange it.
 *
 * @param iterations messages in each direction, of all queue pairs together, 1 or more
 * @param size bytes of a message, 0 or more
 * @param mtu path MTU
 * @param events wait for completion events instead of polling
 * @param qps queue pairs of each end, 1 or more
 * @param ackTimeout of a reliable connection, an exponent: 4.096 us * 2^n; 0 waits for ever
 */
record PingPongPlan(long iterations, long size, Mtu mtu, boolean events, int qps, int ackTimeout) {
  /** 67.1 ms, as the C programs. */
  static final int DEFAULT_ACK_TIMEOUT = 14;

  /** Receives kept posted on a queue pair ({@code -r} of the C programs). */
  static final int RECEIVE_DEPTH = 500;
}
