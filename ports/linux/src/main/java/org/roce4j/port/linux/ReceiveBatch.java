package org.roce4j.port.linux;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.roce4j.engine.datagram.Inbound;

/**
 * The memory for one {@code recvmmsg}: {@value #SLOTS} messages of up to 64 KiB. Receive offload
 * may make a message a train.
 */
final class ReceiveBatch {
  /** Enough to save system calls and few enough to stay in the cache. */
  static final int SLOTS = 8;

  private static final int STRIDE = 1 << 16;
  private static final int NAME_STRIDE = 32;

  /** Room for UDP_GRO, TOS, TTL and drop counter, 24 bytes each, with a reserve. */
  private static final int CONTROL_STRIDE = 192;

  private final ByteBuffer buffer = ByteBuffer.allocateDirect(SLOTS * STRIDE);
  private final MemorySegment payload = MemorySegment.ofBuffer(buffer);
  private final MemorySegment headers;
  private final MemorySegment names;
  private final MemorySegment controls;
  private final MemorySegment iovecs;

  /** The addresses of the bytes, the name and the length of the name of the first slot. */
  private final long firstBytes;

  private final long firstName;
  private final long firstNameLength;

  private int segmentSize;
  private int trafficClass;
  private int hopLimit;
  private int drops;
  private boolean dropsTold;

  ReceiveBatch(Arena arena) {
    headers = arena.allocate(SLOTS * Abi.MMSGHDR, 64);
    names = arena.allocate(SLOTS * NAME_STRIDE, 64);
    controls = arena.allocate(SLOTS * CONTROL_STRIDE, 64);
    iovecs = arena.allocate(SLOTS * Abi.IOVEC, 64);
    for (int slot = 0; slot < SLOTS; slot++) {
      long header = (long) slot * Abi.MMSGHDR;
      long iovec = (long) slot * Abi.IOVEC;
      iovecs.set(Abi.LONG, iovec, payload.address() + offset(slot));
      iovecs.set(Abi.LONG, iovec + Abi.IOV_LEN, STRIDE);
      headers.set(Abi.LONG, header + Abi.MSG_NAME, names.address() + name(slot));
      headers.set(Abi.LONG, header + Abi.MSG_IOV, iovecs.address() + iovec);
      headers.set(Abi.LONG, header + Abi.MSG_IOVLEN, 1L);
      headers.set(Abi.LONG, header + Abi.MSG_CONTROL, controls.address() + control(slot));
      ready(slot);
    }
    firstBytes = payload.address();
    firstName = names.address();
    firstNameLength = headers.address() + Abi.MSG_NAMELEN;
  }

  /** Resets the lengths of a slot, which the kernel has overwritten, for the next call. */
  private void ready(int slot) {
    long header = (long) slot * Abi.MMSGHDR;
    headers.set(Abi.INT, header + Abi.MSG_NAMELEN, SocketAddress.SIZE);
    headers.set(Abi.LONG, header + Abi.MSG_CONTROLLEN, CONTROL_STRIDE);
  }

  /** Receives one message without blocking; returns 1 or -1. Cheaper than a batch of one. */
  int receiveOne(int fd) {
    int length = Libc.recvmsg(fd, headers, Abi.MSG_DONTWAIT);
    if (length < 0) {
      return -1;
    }
    headers.set(Abi.INT, Abi.MMSG_LEN, length);
    return 1;
  }

  /**
   * Receives one datagram without its control data and without blocking; returns 1 or -1. Its slot
   * is not {@linkplain #open opened}.
   */
  int receivePlain(int fd) {
    int length =
        Libc.recvfrom(fd, firstBytes, STRIDE, Abi.MSG_DONTWAIT, firstName, firstNameLength);
    if (length < 0) {
      return -1;
    }
    headers.set(Abi.INT, Abi.MMSG_LEN, length);
    headers.set(Abi.INT, Abi.MSG_NAMELEN, SocketAddress.SIZE);
    forget();
    return 1;
  }

  /** Receives messages without blocking; returns their number or -1. */
  int receive(int fd, int atMost) {
    return Libc.recvmmsg(fd, headers, Math.min(atMost, SLOTS), Abi.MSG_DONTWAIT);
  }

  /** Reads the control data of a message and resets its slot for the next call. */
  void open(int slot) {
    forget();
    long header = (long) slot * Abi.MMSGHDR;
    long at = control(slot);
    long end = at + headers.get(Abi.LONG, header + Abi.MSG_CONTROLLEN);
    while (at + Abi.CMSG_HEADER <= end) {
      int length = (int) controls.get(Abi.LONG, at);
      if (length < Abi.CMSG_HEADER || at + length > end) {
        break;
      }
      int level = controls.get(Abi.INT, at + Abi.CMSG_LEVEL);
      int type = controls.get(Abi.INT, at + Abi.CMSG_TYPE);
      long data = at + Abi.CMSG_HEADER;
      switch (level << 16 | type) {
        case Abi.SOL_UDP << 16 | Abi.UDP_GRO -> segmentSize = controls.get(Abi.INT, data);
        case Abi.SOL_IP << 16 | Abi.IP_TOS -> trafficClass = controls.get(Abi.BYTE, data) & 0xFF;
        case Abi.SOL_IP << 16 | Abi.IP_TTL -> hopLimit = controls.get(Abi.INT, data);
        case Abi.SOL_IPV6 << 16 | Abi.IPV6_TCLASS -> trafficClass = controls.get(Abi.INT, data);
        case Abi.SOL_IPV6 << 16 | Abi.IPV6_HOPLIMIT -> hopLimit = controls.get(Abi.INT, data);
        case Abi.SOL_SOCKET << 16 | Abi.SO_RXQ_OVFL -> {
          drops = controls.get(Abi.INT, data);
          dropsTold = true;
        }
        default -> {}
      }
      at += Abi.cmsgSpace(length - Abi.CMSG_HEADER);
    }
    ready(slot);
  }

  private void forget() {
    segmentSize = 0;
    trafficClass = Inbound.UNKNOWN;
    hopLimit = Inbound.UNKNOWN;
    dropsTold = false;
  }

  ByteBuffer buffer() {
    return buffer;
  }

  MemorySegment payload() {
    return payload;
  }

  /** The offset of a message's bytes. */
  int offset(int slot) {
    return slot * STRIDE;
  }

  /** The length of a message in bytes. */
  int length(int slot) {
    return headers.get(Abi.INT, (long) slot * Abi.MMSGHDR + Abi.MMSG_LEN);
  }

  /** The offset of the sender's address in {@link #names}. */
  long name(int slot) {
    return (long) slot * NAME_STRIDE;
  }

  MemorySegment names() {
    return names;
  }

  private static long control(int slot) {
    return (long) slot * CONTROL_STRIDE;
  }

  /** The bytes of each datagram except the last of the opened message; 0 if it is not a train. */
  int segmentSize() {
    return segmentSize;
  }

  int trafficClass() {
    return trafficClass;
  }

  int hopLimit() {
    return hopLimit;
  }

  /** Whether the opened message has the count of datagrams that the socket has dropped. */
  boolean dropsTold() {
    return dropsTold;
  }

  int drops() {
    return drops;
  }
}
