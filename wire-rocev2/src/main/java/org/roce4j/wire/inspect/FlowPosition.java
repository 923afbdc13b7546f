package org.roce4j.wire.inspect;

/**
 * Where a packet stands in its flow.
 *
 * @param gap packets that are missing before it, for {@link Mark#GAP}; else 0
 * @param relativePsn distance from the first request PSN in the capture, or {@link #UNKNOWN};
 *     negative for a retransmission of an earlier packet
 * @param psnEpoch how often the PSNs of its requests have wrapped since the first one; 0 if unknown
 * @param senderQp the number of the sending queue pair, which only datagrams carry: for other
 *     packets it is known once requests and responses have named both ends; else {@link #NO_QP}
 */
public record FlowPosition(Mark mark, long gap, long relativePsn, int psnEpoch, int senderQp) {
  /** No PSN of a flow: a datagram, a notification, or a response to requests not captured. */
  public static final long UNKNOWN = Long.MIN_VALUE;

  /** The queue pair that sent a packet is not known. */
  public static final int NO_QP = -1;

  /** The position of a packet that belongs to no flow. */
  static FlowPosition of(Mark mark) {
    return new FlowPosition(mark, 0, UNKNOWN, 0, NO_QP);
  }

  /** The same, sent by a queue pair whose number is known. */
  FlowPosition from(int queuePair) {
    return new FlowPosition(mark, gap, relativePsn, psnEpoch, queuePair);
  }

  /** {@code [gap of 3]}, {@code [retransmission]}; empty when there is nothing to say. */
  @Override
  public String toString() {
    return switch (mark) {
      case NONE -> "";
      case GAP -> "[gap of " + gap + "]";
      default -> "[" + mark.word() + "]";
    };
  }
}
