package org.roce4j.port.linux;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Numbers of the Linux user interface that this port uses. They are equal on x86-64, aarch64 and
 * riscv64, with glibc and with musl. Musl's narrower {@code msghdr} fields are followed by padding,
 * so a little-endian 64-bit number fits both.
 */
final class Abi {
  static final int AF_INET = 2;
  static final int AF_INET6 = 10;
  static final int SOCK_DGRAM = 2;
  static final int SOCK_NONBLOCK = 0x800;
  static final int SOCK_CLOEXEC = 0x80000;
  static final int MSG_TRUNC = 0x20;
  static final int MSG_DONTWAIT = 0x40;
  static final int MSG_ERRQUEUE = 0x2000;

  static final int SOL_IP = 0;
  static final int SOL_SOCKET = 1;
  static final int SOL_UDP = 17;
  static final int SOL_IPV6 = 41;

  static final int SO_REUSEADDR = 2;
  static final int SO_SNDBUF = 7;
  static final int SO_RCVBUF = 8;
  static final int SO_REUSEPORT = 15;
  static final int SO_NO_CHECK = 11;
  static final int SO_SNDBUFFORCE = 32;
  static final int SO_RCVBUFFORCE = 33;
  static final int SO_TIMESTAMPING = 37;
  static final int SO_RXQ_OVFL = 40;
  static final int SO_ATTACH_REUSEPORT_CBPF = 51;

  static final int TIMESTAMPING_TX_SOFTWARE = 2;

  static final int IP_TOS = 1;
  static final int IP_TTL = 2;
  static final int IP_MTU_DISCOVER = 10;
  static final int IP_RECVTTL = 12;
  static final int IP_RECVTOS = 13;
  static final int IP_MULTICAST_IF = 32;
  static final int IP_MULTICAST_LOOP = 34;
  static final int IP_ADD_MEMBERSHIP = 35;
  static final int IP_MULTICAST_ALL = 49;
  static final int PMTUDISC_PROBE = 3;

  static final int IPV6_UNICAST_HOPS = 16;
  static final int IPV6_MULTICAST_IF = 17;
  static final int IPV6_MULTICAST_LOOP = 19;
  static final int IPV6_JOIN_GROUP = 20;
  static final int IPV6_MTU_DISCOVER = 23;
  static final int IPV6_V6ONLY = 26;
  static final int IPV6_MULTICAST_ALL = 29;
  static final int IPV6_RECVHOPLIMIT = 51;
  static final int IPV6_HOPLIMIT = 52;
  static final int IPV6_DONTFRAG = 62;
  static final int IPV6_RECVTCLASS = 66;
  static final int IPV6_TCLASS = 67;

  static final int UDP_NO_CHECK6_RX = 102;
  static final int UDP_SEGMENT = 103;
  static final int UDP_GRO = 104;

  static final int EFD_NONBLOCK = SOCK_NONBLOCK;
  static final int EFD_CLOEXEC = SOCK_CLOEXEC;

  static final int PR_SET_TIMERSLACK = 29;
  static final short POLLIN = 1;
  static final short POLLOUT = 4;

  /** {@code struct cmsghdr}: length, level, type. Data follow it and are padded to 8 bytes. */
  static final int CMSG_HEADER = 16;

  static final int CMSG_LEVEL = 8;
  static final int CMSG_TYPE = 12;

  /** {@code struct msghdr}, and the place of its fields. */
  static final int MSGHDR = 56;

  static final int MSG_NAME = 0;
  static final int MSG_NAMELEN = 8;
  static final int MSG_IOV = 16;
  static final int MSG_IOVLEN = 24;
  static final int MSG_CONTROL = 32;
  static final int MSG_CONTROLLEN = 40;
  static final int MSG_FLAGS = 48;

  /** {@code struct mmsghdr}: a {@code msghdr} and the bytes received. */
  static final int MMSGHDR = 64;

  static final int MMSG_LEN = 56;

  /** {@code struct sock_filter}: code, two jumps, operand; and {@code struct sock_fprog}. */
  static final int SOCK_FILTER = 8;

  static final int FILTER_OPERAND = 4;
  static final int SOCK_FPROG = 16;
  static final int FPROG_FILTER = 8;
  static final short BPF_LOAD_WORD = 0x20;
  static final short BPF_AND = 0x54;
  static final short BPF_RETURN = 0x16;

  static final int IOVEC = 16;
  static final int IOV_LEN = 8;

  static final ValueLayout.OfByte BYTE = ValueLayout.JAVA_BYTE;
  static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
  static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
  static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
  static final ValueLayout.OfShort SHORT_BE = SHORT.withOrder(ByteOrder.BIG_ENDIAN);
  static final ValueLayout.OfInt INT_BE = INT.withOrder(ByteOrder.BIG_ENDIAN);
  static final ValueLayout.OfLong LONG_BE = LONG.withOrder(ByteOrder.BIG_ENDIAN);

  private Abi() {}

  /** The bytes that control data of a length take, with header and padding. */
  static int cmsgSpace(int length) {
    return CMSG_HEADER + (length + 7 & ~7);
  }
}
