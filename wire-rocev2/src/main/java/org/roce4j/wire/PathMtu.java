package org.roce4j.wire;

/** Path MTU: the payload of a full packet. Codes equal {@code enum ibv_mtu}. */
public enum PathMtu {
  /** 256 bytes; every port can. */
  MTU_256(1),
  /** 512 bytes. */
  MTU_512(2),
  /** 1,024 bytes: the greatest with an Ethernet MTU of 1,500. */
  MTU_1024(3),
  /** 2,048 bytes. */
  MTU_2048(4),
  /** 4,096 bytes: jumbo frames, an Ethernet MTU of 4,176 or more. */
  MTU_4096(5);

  /** The bytes that soft-RoCE reserves for headers when it derives the active MTU of a port. */
  public static final int PORT_OVERHEAD = 80;

  /** The bytes that the connection manager reserves: GRH, UDP, BTH, XRCETH, AtomicETH, ICRC. */
  public static final int ROUTE_OVERHEAD = 96;

  private static final PathMtu[] BY_CODE = values();

  private final int code;

  PathMtu(int code) {
    this.code = code;
  }

  /** {@code IBV_MTU_256} = 1 .. {@code IBV_MTU_4096} = 5. */
  public int code() {
    return code;
  }

  /** Payload bytes of a full packet: 256, 512, 1,024, 2,048 or 4,096. */
  public int bytes() {
    return 128 << code;
  }

  /** The constant with this code, or null. */
  public static PathMtu ofCode(int code) {
    return code >= 1 && code <= BY_CODE.length ? BY_CODE[code - 1] : null;
  }

  /** The constant of exactly {@code bytes}, or null. */
  public static PathMtu ofBytes(int bytes) {
    for (PathMtu mtu : BY_CODE) {
      if (mtu.bytes() == bytes) {
        return mtu;
      }
    }
    return null;
  }

  /**
   * The active MTU of a port on an interface of this MTU: the largest that leaves {@link
   * #PORT_OVERHEAD} bytes for headers, but never less than 256 (1500 gives 1024, 4200 gives 4096).
   */
  public static PathMtu ofNetdev(int netdevMtu) {
    PathMtu largest = largestWithin((long) netdevMtu - PORT_OVERHEAD);
    return largest == null ? MTU_256 : largest;
  }

  /**
   * The path MTU that the connection manager chooses for a route over an interface of this MTU: the
   * largest that leaves {@link #ROUTE_OVERHEAD} bytes, or null when none does.
   */
  public static PathMtu ofRoute(int netdevMtu) {
    return largestWithin((long) netdevMtu - ROUTE_OVERHEAD);
  }

  private static PathMtu largestWithin(long bytes) {
    PathMtu largest = null;
    for (PathMtu mtu : BY_CODE) {
      if (mtu.bytes() <= bytes) {
        largest = mtu;
      }
    }
    return largest;
  }
}
