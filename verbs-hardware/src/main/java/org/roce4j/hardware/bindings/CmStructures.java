package org.roce4j.hardware.bindings;

import java.lang.foreign.MemorySegment;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import org.roce4j.hardware.bindings.CmLayouts.RdmaCmEvent;
import org.roce4j.hardware.bindings.CmLayouts.RdmaCmId;
import org.roce4j.hardware.bindings.CmLayouts.RdmaCmJoinMcAttrEx;
import org.roce4j.hardware.bindings.CmLayouts.RdmaConnParam;
import org.roce4j.hardware.bindings.CmLayouts.RdmaEventChannel;
import org.roce4j.hardware.bindings.CmLayouts.RdmaUdParam;
import org.roce4j.hardware.bindings.CmLayouts.SockaddrIn;
import org.roce4j.hardware.bindings.CmLayouts.SockaddrIn6;
import org.roce4j.hardware.bindings.Structures.IbvContext;
import org.roce4j.hardware.bindings.Structures.IbvQpAttr;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.JoinFlag;
import org.roce4j.verbs.cm.UdParam;

/** Structures of librdmacm: from and to the API's. */
public final class CmStructures {
  private static final int AF_INET = 2;
  private static final int AF_INET6 = 10;
  private static final int IPV6_BYTES = 16;

  /** {@code RDMA_CM_JOIN_MC_ATTR_ADDRESS | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS}. */
  private static final int WITH_ADDRESS_AND_FLAGS = 3;

  /** The attributes that {@link QpAttrMask} names; Linux sets bits of its own above them. */
  private static final int KNOWN_ATTRIBUTES = (QpAttrMask.DEST_QPN << 1) - 1;

  private CmStructures() {}

  // ---- addresses

  /** {@code struct sockaddr_in} or {@code sockaddr_in6}. */
  public static MemorySegment address(Frame frame, InetSocketAddress of) {
    byte[] bytes = of.getAddress().getAddress();
    if (bytes.length == Integer.BYTES) {
      MemorySegment s = frame.structure(SockaddrIn.SIZE);
      Memory.u16(s, SockaddrIn.FAMILY, AF_INET);
      port(s, SockaddrIn.PORT, of.getPort());
      MemorySegment.copy(MemorySegment.ofArray(bytes), 0, s, SockaddrIn.ADDR, bytes.length);
      return s;
    }
    MemorySegment s = frame.structure(SockaddrIn6.SIZE);
    Memory.u16(s, SockaddrIn6.FAMILY, AF_INET6);
    port(s, SockaddrIn6.PORT, of.getPort());
    MemorySegment.copy(MemorySegment.ofArray(bytes), 0, s, SockaddrIn6.ADDR, bytes.length);
    Memory.i32(s, SockaddrIn6.SCOPE_ID, ((Inet6Address) of.getAddress()).getScopeId());
    return s;
  }

  private static void port(MemorySegment s, long at, int port) {
    Memory.u8(s, at, port >>> 8);
    Memory.u8(s, at + 1, port & 0xFF);
  }

  /** Null where there is no IP address. */
  private static InetSocketAddress address(MemorySegment s, long at) {
    int family = Memory.u16(s, at + SockaddrIn.FAMILY);
    int port = Memory.u8(s, at + SockaddrIn.PORT) << 8 | Memory.u8(s, at + SockaddrIn.PORT + 1);
    try {
      return switch (family) {
        case AF_INET ->
            new InetSocketAddress(
                Inet4Address.getByAddress(bytes(s, at + SockaddrIn.ADDR, Integer.BYTES)), port);
        case AF_INET6 ->
            new InetSocketAddress(
                Inet6Address.getByAddress(
                    null,
                    bytes(s, at + SockaddrIn6.ADDR, IPV6_BYTES),
                    scope(Memory.i32(s, at + SockaddrIn6.SCOPE_ID))),
                port);
        default -> null;
      };
    } catch (UnknownHostException e) {
      throw new AssertionError("four or sixteen bytes are always an address", e);
    }
  }

  /** Java's word for no scope is -1. */
  private static int scope(int id) {
    return id == 0 ? -1 : id;
  }

  private static byte[] bytes(MemorySegment s, long at, int count) {
    ByteBuffer bytes = ByteBuffer.allocate(count);
    bytes.put(s.asSlice(at, count).asByteBuffer());
    return bytes.array();
  }

  // ---- channels and ids

  public static int channelFd(long channel) {
    return Memory.i32(Memory.at(channel, RdmaEventChannel.SIZE), RdmaEventChannel.FD);
  }

  /** The name of the device that an id is bound to, or null. */
  public static String deviceName(long id) {
    long context = Memory.i64(id(id), RdmaCmId.VERBS);
    return context == 0
        ? null
        : DeviceStructures.name(Memory.i64(Memory.at(context, IbvContext.SIZE), IbvContext.DEVICE));
  }

  public static int portNum(long id) {
    return Memory.u8(id(id), RdmaCmId.PORT_NUM);
  }

  /** The own address of an id, or null. */
  public static InetSocketAddress localAddr(long id) {
    return address(id(id), RdmaCmId.SRC_ADDR);
  }

  /** The peer's address, or null. */
  public static InetSocketAddress peerAddr(long id) {
    return address(id(id), RdmaCmId.DST_ADDR);
  }

  private static MemorySegment id(long id) {
    return Memory.at(id, RdmaCmId.SIZE);
  }

  // ---- arguments of calls

  /** Bytes for a call. */
  public static MemorySegment bytes(Frame frame, byte[] of) {
    MemorySegment s = frame.structure(Math.max(1, of.length));
    MemorySegment.copy(MemorySegment.ofArray(of), 0, s, 0, of.length);
    return s.asSlice(0, of.length);
  }

  /** A C {@code int}, or a byte where the option is one. */
  public static MemorySegment option(Frame frame, int value, int size) {
    MemorySegment s = frame.structure(Integer.BYTES);
    Memory.i32(s, 0, value); // x86 and ARM: the first byte is the lowest
    return s.asSlice(0, size);
  }

  /** {@link RdmaConnParam}. */
  public static MemorySegment connParam(Frame frame, ConnParam of) {
    MemorySegment s = frame.structure(RdmaConnParam.SIZE);
    MemorySegment data = bytes(frame, of.privateData());
    Memory.i64(s, RdmaConnParam.PRIVATE_DATA, data.address());
    Memory.u8(s, RdmaConnParam.PRIVATE_DATA_LEN, (int) data.byteSize());
    Memory.u8(s, RdmaConnParam.RESPONDER_RESOURCES, of.responderResources());
    Memory.u8(s, RdmaConnParam.INITIATOR_DEPTH, of.initiatorDepth());
    Memory.u8(s, RdmaConnParam.FLOW_CONTROL, of.flowControl() ? 1 : 0);
    Memory.u8(s, RdmaConnParam.RETRY_COUNT, of.retryCount());
    Memory.u8(s, RdmaConnParam.RNR_RETRY_COUNT, of.rnrRetryCount());
    Memory.u8(s, RdmaConnParam.SRQ, of.srq() ? 1 : 0);
    Memory.i32(s, RdmaConnParam.QP_NUM, of.qpNum());
    return s;
  }

  /** {@link RdmaCmJoinMcAttrEx}. */
  public static MemorySegment join(Frame frame, InetAddress group, JoinFlag flag) {
    MemorySegment s = frame.structure(RdmaCmJoinMcAttrEx.SIZE);
    Memory.i32(s, RdmaCmJoinMcAttrEx.COMP_MASK, WITH_ADDRESS_AND_FLAGS);
    Memory.i32(s, RdmaCmJoinMcAttrEx.JOIN_FLAGS, flag.value());
    MemorySegment address = address(frame, new InetSocketAddress(group, 0));
    Memory.i64(s, RdmaCmJoinMcAttrEx.ADDR, address.address());
    return s;
  }

  /** {@link IbvQpAttr} that asks for a state. */
  public static MemorySegment wantedState(Frame frame, QpState state) {
    MemorySegment s = frame.structure(IbvQpAttr.SIZE);
    Memory.i32(s, IbvQpAttr.QP_STATE, state.value());
    return s;
  }

  /** The attributes of a queue pair in {@code mask}. */
  public static QpAttr attributes(MemorySegment s, int mask) {
    return new QpAttr().take(QueueStructures.attributes(s), mask & KNOWN_ATTRIBUTES);
  }

  // ---- events

  public static CmEventType eventType(long event) {
    return CmEventType.of(Memory.i32(event(event), RdmaCmEvent.EVENT));
  }

  public static int eventStatus(long event) {
    return Memory.i32(event(event), RdmaCmEvent.STATUS);
  }

  public static long eventId(long event) {
    return Memory.i64(event(event), RdmaCmEvent.ID);
  }

  /** The listening id of a connection request; otherwise 0. */
  public static long eventListenId(long event) {
    return Memory.i64(event(event), RdmaCmEvent.LISTEN_ID);
  }

  private static MemorySegment event(long event) {
    return Memory.at(event, RdmaCmEvent.SIZE);
  }

  private static MemorySegment param(long event, int size) {
    return event(event).asSlice(RdmaCmEvent.PARAM, size);
  }

  /** {@link RdmaConnParam} of an event. */
  public static ConnParam eventConn(long event) {
    MemorySegment s = param(event, RdmaConnParam.SIZE);
    return new ConnParam()
        .privateData(privateData(s))
        .responderResources(Memory.u8(s, RdmaConnParam.RESPONDER_RESOURCES))
        .initiatorDepth(Memory.u8(s, RdmaConnParam.INITIATOR_DEPTH))
        .flowControl(Memory.u8(s, RdmaConnParam.FLOW_CONTROL) != 0)
        .retryCount(Memory.u8(s, RdmaConnParam.RETRY_COUNT))
        .rnrRetryCount(Memory.u8(s, RdmaConnParam.RNR_RETRY_COUNT))
        .srq(Memory.u8(s, RdmaConnParam.SRQ) != 0)
        .qpNum(Memory.i32(s, RdmaConnParam.QP_NUM));
  }

  /** Both parameters begin with it. */
  private static byte[] privateData(MemorySegment s) {
    long data = Memory.i64(s, RdmaConnParam.PRIVATE_DATA);
    int length = Memory.u8(s, RdmaConnParam.PRIVATE_DATA_LEN);
    return data == 0 || length == 0 ? new byte[0] : bytes(Memory.at(data, length), 0, length);
  }

  /** {@link RdmaUdParam} of an event about a datagram service. */
  public static UdParam eventUd(long event) {
    return ud(event, privateData(param(event, RdmaUdParam.SIZE)));
  }

  /** {@link RdmaUdParam} of an event about a group, whose private data is a token. */
  public static UdParam eventGroup(long event) {
    return ud(event, new byte[0]);
  }

  private static UdParam ud(long event, byte[] privateData) {
    MemorySegment s = param(event, RdmaUdParam.SIZE);
    return new UdParam(
        privateData,
        QueueStructures.addressVector(s, RdmaUdParam.AH_ATTR),
        Memory.i32(s, RdmaUdParam.QP_NUM),
        Memory.i32(s, RdmaUdParam.QKEY));
  }

  /** The context given to {@link Librdmacm#joinMulticast}, for an event about a group. */
  public static long eventToken(long event) {
    return Memory.i64(param(event, RdmaUdParam.SIZE), RdmaUdParam.PRIVATE_DATA);
  }
}
