package org.roce4j.engine.cm;

import java.util.random.RandomGenerator;

/**
 * Times of the connection manager in nanoseconds. A code {@code n} means 4.096 us * 2<sup>n</sup>;
 * like Linux this class takes it as 2<sup>n-8</sup> ms.
 */
public final class CmTiming {
  /** The number of retransmissions before the peer is given up ({@code CMA_MAX_CM_RETRIES}). */
  public static final int MAX_RETRIES = 15;

  /**
   * The code of the time for an answer of either side ({@code CMA_CM_RESPONSE_TIMEOUT}): 4.096 s.
   */
  public static final int RESPONSE_TIMEOUT = 20;

  /**
   * The code of the time that MRA asks for while the program has not answered ({@code
   * CMA_CM_MRA_SETTING}): 65.5 s.
   */
  static final int MRA_TIMEOUT = 24;

  /** The code of a packet's lifetime on RoCE ({@code CMA_IBOE_PACKET_LIFETIME}). */
  public static final int PACKET_LIFETIME = 16;

  /** The code of the device's acknowledgement delay. */
  public static final int ACK_DELAY = 15;

  private static final long MS = 1_000_000;

  /**
   * A message is retransmitted after about this time, then after twice that, and so on up to {@link
   * #RETRY_MAX_NS}. Thus a lost datagram costs half a second instead of five, and a peer that is
   * gone is given up after about a minute, as by Linux.
   */
  static final long RETRY_FIRST_NS = 500 * MS;

  /** The interval that Linux uses: response timeout and two packet lifetimes. */
  static final long RETRY_MAX_NS = 4608 * MS;

  private CmTiming() {}

  /** The time that a peer has asked for by MRA: at most that which this side asks for. */
  static long serviceNs(int code) {
    return codeNs(Math.min(code, MRA_TIMEOUT));
  }

  /**
   * The time wait after a connection, by the ACK timeout that its request names: at most 4.096 s. A
   * code of hours would let one peer occupy the bounded number of ends for hours.
   */
  static long timeWaitNs(int ackTimeout) {
    return codeNs(Math.min(ackTimeout, RESPONSE_TIMEOUT));
  }

  static long codeNs(int code) {
    return (1L << Math.max(code - 8, 0)) * MS;
  }

  /**
   * The interval before retransmission {@code retry}, from 0, varied at random by up to a quarter.
   * Otherwise requests that were sent together and found a backlog full would return together each
   * time, and most of them would find it full again.
   */
  static long retryNs(int retry, RandomGenerator random) {
    long nominalNs = Math.min(RETRY_FIRST_NS << Math.min(retry, 4), RETRY_MAX_NS);
    return nominalNs - nominalNs / 4 + random.nextLong(nominalNs / 2);
  }

  /**
   * The local ACK timeout of a path: twice the packet lifetime and the acknowledgement delay of the
   * peer, in codes ({@code cm_ack_timeout}).
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
