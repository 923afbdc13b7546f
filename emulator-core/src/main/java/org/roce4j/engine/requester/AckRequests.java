package org.roce4j.engine.requester;

/**
 * When a packet of a message asks for an acknowledgement (BTH AckReq): the last one always, and in
 * between at least every 16 packets and twice in a path's window. Then one acknowledgement that is
 * lost leaves another, and the window does not run empty meanwhile.
 */
final class AckRequests {
  private static final int MOST_PACKETS = 16;

  /** Packets, and their charge against the path's window, since one asked. */
  private int packets;

  private long chargedBytes;

  void clear() {
    packets = 0;
    chargedBytes = 0;
  }

  /** Whether the next packet, of this charge, is to ask though it is not its message's last. */
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
