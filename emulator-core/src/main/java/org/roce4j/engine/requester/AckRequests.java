package org.roce4j.engine.requester;

/**
 * Decides which packets of a message ask for an acknowledgement (BTH AckReq): the last packet
 * always, and before it at least every 16th packet and a packet in each half of the path's window.
 * A lost acknowledgement is then followed by another, and the window does not run empty while the
 * requester waits.
 */
final class AckRequests {
  private static final int MOST_PACKETS = 16;

  /** Packets sent since the last packet that asked. */
  private int packets;

  /** Window bytes of the packets sent since the last packet that asked. */
  private long chargedBytes;

  void clear() {
    packets = 0;
    chargedBytes = 0;
  }

  /** Whether a packet of {@code chargeBytes} must ask although its message goes on. */
  boolean isDue(long chargeBytes, long windowBytes) {
    return packets + 1 >= MOST_PACKETS || 2 * (chargedBytes + chargeBytes) >= windowBytes;
  }

  void sent(long chargeBytes, boolean asked) {
    packets = asked ? 0 : packets + 1;
    chargedBytes = asked ? 0 : chargedBytes + chargeBytes;
  }

  /** Whether packets were sent since the last request for an acknowledgement. */
  boolean unasked() {
    return packets > 0;
  }
}
