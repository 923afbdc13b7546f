package org.roce4j.tools.pingpong;

import org.roce4j.verbs.Mtu;

/**
 * What is played; both ends must be told the same, for the protocol does not exchange it.
 *
 * @param iterations messages in each direction, 1 or more
 * @param size bytes of a message, 0 or more
 * @param mtu path MTU
 * @param events wait for completion events instead of polling
 */
record Traffic(long iterations, long size, Mtu mtu, boolean events) {
  /** Receives kept posted ({@code -r} of the C programs). */
  static final int RECEIVE_DEPTH = 500;
}
