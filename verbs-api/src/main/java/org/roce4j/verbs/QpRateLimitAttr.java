package org.roce4j.verbs;

/**
 * How fast a queue pair sends at most ({@code struct ibv_qp_rate_limit_attr}).
 *
 * @param rateLimit kbit/s of its requests on the wire, UDP payload; 0: as fast as it can
 * @param maxBurstSize bytes that may leave one behind the other; 0: a packet
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
        : "%d kbit/s in bursts of %d bytes".formatted(rateLimit, maxBurstSize);
  }
}
