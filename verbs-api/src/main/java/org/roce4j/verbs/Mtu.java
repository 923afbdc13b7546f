package org.roce4j.verbs;

/**
 * Path or port MTU ({@code enum ibv_mtu}, constants {@code IBV_MTU_*}): bytes of payload in one
 * packet.
 */
public enum Mtu {
  /** 256 bytes. */
  MTU_256(1),
  /** 512 bytes. */
  MTU_512(2),
  /** 1024 bytes. */
  MTU_1024(3),
  /** 2048 bytes. */
  MTU_2048(4),
  /** 4096 bytes. */
  MTU_4096(5);

  private static final Mtu[] BY_VALUE = NumberTable.of(values(), Mtu::value);

  private final int value;

  Mtu(int value) {
    this.value = value;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@code null} when there is none. */
  public static Mtu of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }

  /** Returns the payload bytes of one packet: 256, 512, 1024, 2048 or 4096. */
  public int bytes() {
    return 128 << value;
  }

  /** Returns the MTU of exactly this many bytes, {@code null} when there is none. */
  public static Mtu ofBytes(int bytes) {
    return switch (bytes) {
      case 256 -> MTU_256;
      case 512 -> MTU_512;
      case 1024 -> MTU_1024;
      case 2048 -> MTU_2048;
      case 4096 -> MTU_4096;
      default -> null;
    };
  }
}
