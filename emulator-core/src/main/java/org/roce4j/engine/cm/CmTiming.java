package org.roce4j.engine.cm;

import java.util.random.RandomGenerator;

/**
 * Times of the connection manager in nanoseconds. A code {@code n} stands for 4.096 us *
 * 2<sup>n</sup>; like Linux it is taken as 2<sup>n-8</sup> ms.
 */
public final class CmTiming {
  /** How often a message is sent again before its end is given up ({@code CMA_MAX_CM_RETRIES}). */
  public static final int MAX_RETRIES = 15;

  /** Within what an answer is expected, and given ({@code CMA_CM_RESPONSE_TIMEOUT}): 4.096 s. */
  public static final int RESPONSE_TIMEOUT = 20;

  /** What MRA asks for where the program takes its time ({@code CMA_CM_MRA_SETTING}): 65.5 s. */
  static final int MRA_TIMEOUT = 24;

  /** Lifetime of a packet on RoCE ({@code CMA_IBOE_PACKET_LIFETIME}). */
  public static final int PACKET_LIFETIME = 16;

  /** Of the device: how long it takes to acknowledge. */
  public static final int ACK_DELAY = 15;

  private static final long MS = 1_000_000;

  /**
   * A message is sent again after about this time, then after twice that, and so on up to {@link
   * #RETRY_MAX_NS}: so a datagram that is lost costs half a second and not five, while a peer that
   * is gone is given up after about a minute, as by Linux.
   */
  static final long RETRY_FIRST_NS = 500 * MS;

  /** The interval of Linux: response timeout and two lifetimes of a packet. */
  static final long RETRY_MAX_NS = 4608 * MS;

  private CmTiming() {}

  static long codeNs(int code) {
    return (1L << Math.max(code - 8, 0)) * MS;
  }

  /**
   * The interval before retransmission {@code retry}, from 0: a quarter more or less at random.
   * Requests that were made at once and found a backlog full would else come at once again each
   * time, and all but a backlog of them in vain.
   */
  static long retryNs(int retry, RandomGenerator random) {
    long nominalNs = Math.min(RETRY_FIRST_NS << Math.min(retry, 4), RETRY_MAX_NS);
    return nominalNs - nominalNs / 4 + random.nextLong(nominalNs / 2);
  }

  /**
   * The local ACK timeout of a path: twice the packet's lifetime and the delay of the one that
   * acknowledges, in codes ({@code cm_ack_timeout}).
   */
  public static int ackTimeout(int ackDelay, int packetLifetime) {
    int timeout = packetLifetime + 1;
    if (timeout >= ackDelay) {
      timeout += ackDelay >= timeout - 1 ? 1 : 0;
    } else {
      timeout = ackDelay + (timeout >= ackDelay - 1 ? 1 : 0);
    }
    return Math.min(31, timeout);
  }
}
