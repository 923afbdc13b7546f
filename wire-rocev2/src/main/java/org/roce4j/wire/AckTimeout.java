package org.roce4j.wire;

/** The local ACK timeout of a queue pair ({@code ibv_qp_attr.timeout}). */
public final class AckTimeout {
  private static final long UNIT_NS = 4096;

  private AckTimeout() {}

  /**
   * The timeout in nanoseconds: 4.096 us times 2 to the power of {@code code}.
   *
   * @param code 0..31; only the low five bits count; 0 stands for "never"
   * @return 0 for "never", else 8192 ns .. 2.4 hours
   */
  public static long ns(int code) {
    int exponent = code & 0x1F;
    return exponent == 0 ? 0 : UNIT_NS << exponent;
  }
}
