package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/**
 * The rate limit of a queue pair ({@code struct ibv_qp_rate_limit_attr}).
 *
 * @param rateLimit kbit/s of its requests on the wire, UDP payload; 0: no limit
 * @param maxBurstSize bytes that may be sent back to back; 0: one packet
 * @param typicalPacketSize bytes of a packet, by which bursts are counted; 0: the path MTU
 */
public record QpRateLimitAttr(int rateLimit, int maxBurstSize, int typicalPacketSize) {
  /** No limit. */
  public static final QpRateLimitAttr NONE = new QpRateLimitAttr(0);

  /** A limit without bursts. */
  public QpRateLimitAttr(int rateLimit) {
    this(rateLimit, 0, 0);
  }

  @Override
  public String toString() {
    return rateLimit == 0
        ? "no limit"
        : Wording.of("%d kbit/s in bursts of %d bytes", rateLimit, maxBurstSize);
  }
}
