package org.roce4j.wire.capture;

import java.nio.ByteBuffer;

/**
 * The extension headers of an IPv6 packet, which RoCEv2 packets do not have.
 *
 * @param protocol protocol of the next header; {@link #NOTHING} in a later fragment, and if the
 *     packet is cut
 * @param end index of the first byte behind them
 * @param fragment whether one of them marks the packet as the first fragment of several
 */
record Ipv6Extensions(int protocol, int end, boolean fragment) {
  /** No protocol that is looked for. */
  static final int NOTHING = -1;

  private static final int HOP_BY_HOP = 0;
  private static final int ROUTING = 43;
  private static final int FRAGMENT = 44;
  private static final int DESTINATION = 60;
  private static final int UNIT = 8;
  private static final int OFFSET = 0xFFF8;

  /** The extension headers of a packet that has at least the IPv6 header. */
  static Ipv6Extensions of(ByteBuffer b) {
    int protocol = b.get(6) & 0xFF;
    int at = Ipv6Header.SIZE;
    boolean fragment = false;
    while (isExtension(protocol)) {
      if (b.capacity() < at + UNIT) {
        return new Ipv6Extensions(NOTHING, at, fragment);
      }
      boolean ofFragment = protocol == FRAGMENT;
      if (ofFragment && (b.getShort(at + 2) & OFFSET) != 0) {
        return new Ipv6Extensions(NOTHING, at, true);
      }
      fragment |= ofFragment;
      protocol = b.get(at) & 0xFF;
      at += UNIT + (ofFragment ? 0 : UNIT * (b.get(at + 1) & 0xFF));
    }
    return new Ipv6Extensions(protocol, at, fragment);
  }

  private static boolean isExtension(int protocol) {
    return protocol == HOP_BY_HOP
        || protocol == ROUTING
        || protocol == FRAGMENT
        || protocol == DESTINATION;
  }
}
