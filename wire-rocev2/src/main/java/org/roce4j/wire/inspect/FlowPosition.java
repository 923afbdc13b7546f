package org.roce4j.wire.inspect;

/**
 * Where a packet stands in its flow.
 *
 * @param gap packets that are missing before it, for {@link Mark#GAP}; else 0
 * @param relativePsn packets since the first PSN of the requests that the capture shows, or {@link
 *     #UNKNOWN}; negative for a retransmission of what was sent before the capture began
 */
public record FlowPosition(Mark mark, long gap, long relativePsn) {
  /** No PSN of a flow: a datagram, a notification, or a response to requests not captured. */
  public static final long UNKNOWN = Long.MIN_VALUE;

  /** Of a packet that belongs to no flow. */
  static FlowPosition of(Mark mark) {
    return new FlowPosition(mark, 0, UNKNOWN);
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
