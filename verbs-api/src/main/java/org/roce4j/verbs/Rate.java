package org.roce4j.verbs;

/** Static rate of a path ({@code enum ibv_rate}, constants {@code IBV_RATE_*_GBPS}). */
public enum Rate {
  /** No limit but the link's. */
  MAX(0, -1, -1),
  /** 2.5 Gbit/s, 1 times 2.5 Gbit/s. */
  GBPS_2_5(2, 2500, 1),
  /** 10 Gbit/s, 4 times 2.5 Gbit/s. */
  GBPS_10(3, 10000, 4),
  /** 30 Gbit/s, 12 times 2.5 Gbit/s. */
  GBPS_30(4, 30000, 12),
  /** 5 Gbit/s, 2 times 2.5 Gbit/s. */
  GBPS_5(5, 5000, 2),
  /** 20 Gbit/s, 8 times 2.5 Gbit/s. */
  GBPS_20(6, 20000, 8),
  /** 40 Gbit/s, 16 times 2.5 Gbit/s. */
  GBPS_40(7, 40000, 16),
  /** 60 Gbit/s, 24 times 2.5 Gbit/s. */
  GBPS_60(8, 60000, 24),
  /** 80 Gbit/s, 32 times 2.5 Gbit/s. */
  GBPS_80(9, 80000, 32),
  /** 120 Gbit/s, 48 times 2.5 Gbit/s. */
  GBPS_120(10, 120000, 48),
  /** 14 Gbit/s. */
  GBPS_14(11, 14062, -1),
  /** 56 Gbit/s. */
  GBPS_56(12, 56250, -1),
  /** 112 Gbit/s. */
  GBPS_112(13, 112500, -1),
  /** 168 Gbit/s. */
  GBPS_168(14, 168750, -1),
  /** 25 Gbit/s. */
  GBPS_25(15, 25781, -1),
  /** 100 Gbit/s. */
  GBPS_100(16, 103125, -1),
  /** 200 Gbit/s. */
  GBPS_200(17, 206250, -1),
  /** 300 Gbit/s. */
  GBPS_300(18, 309375, -1),
  /** 28 Gbit/s, 11 times 2.5 Gbit/s. */
  GBPS_28(19, 28125, 11),
  /** 50 Gbit/s, 20 times 2.5 Gbit/s. */
  GBPS_50(20, 53125, 20),
  /** 400 Gbit/s, 160 times 2.5 Gbit/s. */
  GBPS_400(21, 425000, 160),
  /** 600 Gbit/s, 240 times 2.5 Gbit/s. */
  GBPS_600(22, 637500, 240),
  /** 800 Gbit/s, 320 times 2.5 Gbit/s. */
  GBPS_800(23, 850000, 320),
  /** 1200 Gbit/s, 480 times 2.5 Gbit/s. */
  GBPS_1200(24, 1275000, 480);

  private static final Rate[] BY_VALUE = NumberTable.of(values(), Rate::value);

  private final int value;
  private final int mbps;
  private final int multiple;

  Rate(int value, int mbps, int multiple) {
    this.value = value;
    this.mbps = mbps;
    this.multiple = multiple;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@code null} when there is none. */
  public static Rate of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }

  /** Returns Mbit/s ({@code ibv_rate_to_mbps}), -1 for {@link #MAX}. */
  public int mbps() {
    return mbps;
  }

  /** Returns the multiple of 2.5 Gbit/s ({@code ibv_rate_to_mult}), -1 where there is none. */
  public int multiple() {
    return multiple;
  }

  /** Returns the rate of exactly this multiple of 2.5 Gbit/s, else {@link #MAX}. */
  public static Rate ofMultiple(int multiple) {
    for (Rate each : BY_VALUE) {
      if (each != null && each.multiple == multiple) {
        return each;
      }
    }
    return MAX;
  }

  /** Returns the rate of exactly this many Mbit/s, else {@link #MAX}. */
  public static Rate ofMbps(int mbps) {
    for (Rate each : BY_VALUE) {
      if (each != null && each.mbps == mbps) {
        return each;
      }
    }
    return MAX;
  }
}
