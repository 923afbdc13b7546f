package org.roce4j.wire.capture;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Link layers of capture files (LINKTYPE numbers of tcpdump.org) and the place of the IP header in
 * their frames.
 */
public final class LinkType {
  /** BSD loopback: address family in the byte order of the machine. */
  public static final int NULL = 0;

  static final int ETHERNET = 1;

  /** Raw IP as some systems number it. */
  public static final int RAW_BSD = 12;

  /** Raw IP as OpenBSD numbers it. */
  public static final int RAW_OPENBSD = 14;

  /** Raw IP, version 4 or 6. */
  public static final int RAW = 101;

  /** OpenBSD loopback: address family big endian. */
  public static final int LOOP = 108;

  /** Linux "cooked" capture of the device "any". */
  public static final int LINUX_SLL = 113;

  static final int IPV4 = 228;
  static final int IPV6 = 229;

  /** Linux "cooked" capture, version 2. */
  public static final int LINUX_SLL2 = 276;

  private static final int ETHER_IPV4 = 0x0800;
  private static final int ETHER_IPV6 = 0x86DD;
  private static final int ETHER_VLAN = 0x8100;
  private static final int ETHER_QINQ = 0x88A8;
  private static final int ETHER_OLD_QINQ = 0x9100;

  private static final int ETHERNET_TYPE_AT = 12;
  private static final int SLL_TYPE_AT = 14;
  private static final int SLL2_SIZE = 20;
  private static final int FAMILY_SIZE = 4;

  /** Names of the link types that captures of other networks have. */
  private static final Map<Integer, String> NAMES =
      Map.of(
          9, "PPP",
          105, "IEEE 802.11",
          127, "IEEE 802.11 behind radiotap",
          189, "USB",
          192, "PPI",
          195, "IEEE 802.15.4",
          197, "ERF",
          201, "Bluetooth",
          220, "USB",
          247, "InfiniBand");

  /** Where the IP header begins, by link type. */
  private static final Map<Integer, ToIntFunction<ByteBuffer>> IP_AT =
      Map.of(
          ETHERNET, frame -> afterTypeAt(frame, ETHERNET_TYPE_AT),
          LINUX_SLL, frame -> afterTypeAt(frame, SLL_TYPE_AT),
          LINUX_SLL2, frame -> afterType(frame, 0, SLL2_SIZE),
          RAW, frame -> 0,
          RAW_BSD, frame -> 0,
          RAW_OPENBSD, frame -> 0,
          IPV4, frame -> 0,
          IPV6, frame -> 0,
          NULL, frame -> FAMILY_SIZE,
          LOOP, frame -> FAMILY_SIZE);

  private static final int USER0 = 147;
  private static final int USER15 = 162;

  private LinkType() {}

  /** Whether frames of a link type are read, so that their IP packets are found. */
  public static boolean isRead(int linkType) {
    return IP_AT.containsKey(linkType);
  }

  /** {@code link type 105 (IEEE 802.11)}. */
  public static String text(int linkType) {
    String name =
        linkType >= USER0 && linkType <= USER15
            ? "user " + (linkType - USER0)
            : NAMES.get(linkType);
    return "link type " + linkType + (name == null ? "" : " (" + name + ")");
  }

  /** Index of the IP header in a frame, or -1 if there is none. */
  static int ipAt(int linkType, ByteBuffer frame) {
    ToIntFunction<ByteBuffer> layer = IP_AT.get(linkType);
    int at = layer == null ? -1 : layer.applyAsInt(frame);
    return at < frame.capacity() ? at : -1;
  }

  private static int afterTypeAt(ByteBuffer frame, int typeAt) {
    return afterType(frame, typeAt, typeAt + 2);
  }

  /** Skips VLAN tags between the EtherType and the IP header. */
  private static int afterType(ByteBuffer frame, int typeAt, int payloadAt) {
    int type = typeAt;
    int payload = payloadAt;
    while (type + 2 <= frame.capacity()) {
      switch (frame.getShort(type) & 0xFFFF) {
        case ETHER_VLAN, ETHER_QINQ, ETHER_OLD_QINQ -> {
          type = payload + 2;
          payload += 4;
        }
        case ETHER_IPV4, ETHER_IPV6 -> {
          return payload;
        }
        default -> {
          return -1;
        }
      }
    }
    return -1;
  }
}
