package org.roce4j.engine.datagram;

/**
 * Explicit congestion notification in the two low bits of TOS or traffic class (RFC 3168, section
 * 5). An {@linkplain Inbound#UNKNOWN unknown} value has none.
 */
public final class Ecn {
  private static final int MASK = 3;
  private static final int CONGESTION_EXPERIENCED = 3;

  private Ecn() {}

  /** Whether the sender uses ECN. */
  public static boolean isUsed(int trafficClass) {
    return trafficClass != Inbound.UNKNOWN && (trafficClass & MASK) != 0;
  }

  /** Whether the network has marked the datagram: it met congestion. */
  public static boolean isMarked(int trafficClass) {
    return trafficClass != Inbound.UNKNOWN && (trafficClass & MASK) == CONGESTION_EXPERIENCED;
  }

  /** The value with the mark of the network. */
  public static int marked(int trafficClass) {
    return Math.max(trafficClass, 0) | CONGESTION_EXPERIENCED;
  }
}
