package org.roce4j.port.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.roce4j.engine.datagram.Path;
import org.roce4j.wire.GidAddress;

/**
 * The {@code msghdr} of all sends of a port: peer, bytes, and control data for TOS, TTL and segment
 * size. Only fields that differ from the last send are written. Control data for the socket's
 * default values is left out, because the kernel takes time to process it.
 */
final class SendMessage {
  private static final int NAME = Abi.MSGHDR + 8;
  private static final int IOV = NAME + 32;
  private static final int CONTROL = IOV + Abi.IOVEC;
  private static final int CLASS_CMSG = Abi.cmsgSpace(4);
  private static final int HOPS_CMSG = Abi.cmsgSpace(4);
  private static final int SEGMENT_CMSG = Abi.cmsgSpace(2);
  private static final int SIZE = CONTROL + CLASS_CMSG + HOPS_CMSG + SEGMENT_CMSG;

  private final MemorySegment memory;
  private final MemorySegment name;
  private final int udpPort;
  private Path path;
  private int nameLength;
  private int controlLength;

  SendMessage(Arena arena, int udpPort) {
    memory = arena.allocate(SIZE, 8);
    name = memory.asSlice(NAME, IOV - NAME);
    this.udpPort = udpPort;
    memory.set(Abi.LONG, Abi.MSG_NAME, memory.address() + NAME);
    memory.set(Abi.LONG, Abi.MSG_IOV, memory.address() + IOV);
    memory.set(Abi.LONG, Abi.MSG_IOVLEN, 1L);
    memory.set(Abi.LONG, Abi.MSG_CONTROL, memory.address() + CONTROL);
  }

  /** Sets the receiver and the fields of the IP header. */
  void to(Path path, int scope) {
    if (path == this.path) {
      return;
    }
    this.path = path;
    long high = path.remoteHigh();
    long low = path.remoteLow();
    nameLength = SocketAddress.put(memory, NAME, high, low, udpPort, scope);
    memory.set(Abi.INT, Abi.MSG_NAMELEN, nameLength);
    boolean ipv4 = GidAddress.isIpv4Mapped(high, low);
    int level = ipv4 ? Abi.SOL_IP : Abi.SOL_IPV6;
    int at = CONTROL;
    if (path.trafficClass() != 0) {
      at = control(at, level, ipv4 ? Abi.IP_TOS : Abi.IPV6_TCLASS, path.trafficClass() & 0xFF);
    }
    if (path.hopLimit() != UdpSocket.HOP_LIMIT || GidAddress.isMulticast(high, low)) {
      at = control(at, level, ipv4 ? Abi.IP_TTL : Abi.IPV6_HOPLIMIT, path.hopLimit() & 0xFF);
    }
    controlLength = at - CONTROL;
  }

  private int control(int at, int level, int type, int value) {
    memory.set(Abi.LONG, at, Abi.CMSG_HEADER + 4L);
    memory.set(Abi.INT, at + Abi.CMSG_LEVEL, level);
    memory.set(Abi.INT, at + Abi.CMSG_TYPE, type);
    memory.set(Abi.INT, at + Abi.CMSG_HEADER, value);
    return at + Abi.cmsgSpace(4);
  }

  /** Whether a single datagram needs no control data. */
  boolean plain() {
    return controlLength == 0;
  }

  /** The peer's {@code sockaddr}. */
  MemorySegment name() {
    return name;
  }

  int nameLength() {
    return nameLength;
  }

  /**
   * Sets the bytes to send.
   *
   * @param segmentSize 0 for a single datagram
   */
  MemorySegment of(long address, int length, int segmentSize) {
    memory.set(Abi.LONG, IOV, address);
    memory.set(Abi.LONG, IOV + Abi.IOV_LEN, length);
    int control = controlLength;
    if (segmentSize > 0) {
      int at = CONTROL + control;
      memory.set(Abi.LONG, at, Abi.CMSG_HEADER + 2L);
      memory.set(Abi.INT, at + Abi.CMSG_LEVEL, Abi.SOL_UDP);
      memory.set(Abi.INT, at + Abi.CMSG_TYPE, Abi.UDP_SEGMENT);
      memory.set(Abi.SHORT, at + Abi.CMSG_HEADER, (short) segmentSize);
      control += SEGMENT_CMSG;
    }
    memory.set(Abi.LONG, Abi.MSG_CONTROLLEN, control);
    return memory;
  }
}
