package org.roce4j.port.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.GidAddress;

/**
 * Sets the options of a socket.
 *
 * @param high first half of the address that the socket is for
 */
record SocketOptions(MemorySegment errno, int fd, long high, long low) {
  /** Returns whether the kernel has taken the value. */
  boolean tryToSet(int level, int name, int value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment v = arena.allocate(4, 4);
      v.set(Abi.INT, 0, value);
      return Libc.setsockopt(errno, fd, level, name, v, 4) >= 0;
    }
  }

  /**
   * Sets a value that the socket must have.
   *
   * @throws org.roce4j.verbs.VerbsException if the kernel refuses it
   */
  void set(int level, int name, int value) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment v = arena.allocate(4, 4);
      v.set(Abi.INT, 0, value);
      set(level, name, v);
    }
  }

  /** As {@link #set(int, int, int)}, for a structure. */
  void set(int level, int name, MemorySegment value) {
    int result = Libc.setsockopt(errno, fd, level, name, value, (int) value.byteSize());
    if (result < 0) {
      throw UdpSocket.failure(
          result,
          Wording.of(
              "the kernel refuses option %d of level %d on the socket of %s",
              name, level, GidAddress.addressText(high, low)));
    }
  }

  /**
   * Nothing is fragmented, and the hop limit is that which an address vector has by default. Then
   * the kernel numbers the IPv4 datagrams of an unconnected socket 0, and segment k of a train k.
   */
  void sendWhole(boolean ipv4) {
    if (ipv4) {
      set(Abi.SOL_IP, Abi.IP_MTU_DISCOVER, Abi.PMTUDISC_PROBE);
      set(Abi.SOL_IP, Abi.IP_TTL, UdpSocket.HOP_LIMIT);
    } else {
      set(Abi.SOL_IPV6, Abi.IPV6_V6ONLY, 1);
      set(Abi.SOL_IPV6, Abi.IPV6_MTU_DISCOVER, Abi.PMTUDISC_PROBE);
      set(Abi.SOL_IPV6, Abi.IPV6_DONTFRAG, 1);
      set(Abi.SOL_IPV6, Abi.IPV6_UNICAST_HOPS, UdpSocket.HOP_LIMIT);
    }
  }
}
