package org.roce4j.wire;

/**
 * The UDP source port of a flow: entropy for multipath routing, constant per queue pair so that
 * packets stay in order, and never a means of demultiplexing. All results are in 0xC000 .. 0xFFFF;
 * receivers accept any port.
 */
public final class UdpSourcePort {
  /** The destination port of every RoCEv2 packet. */
  public static final int ROCE_V2 = 4791;

  /** The smallest result: ports below belong to services and to other programs. */
  public static final int MIN = 0xC000;

  static final int MAX = 0xFFFF;

  private static final int PORT_BITS = 14;
  private static final int PORT_MASK = (1 << PORT_BITS) - 1;
  private static final int FLOW_LABEL_MASK = 0xF_FFFF;
  private static final int GOLDEN_RATIO_32 = 0x61C8_8647;

  private UdpSourcePort() {}

  /** Port of a 20-bit flow label ({@code rdma_flow_label_to_udp_sport}). */
  public static int ofFlowLabel(int flowLabel) {
    int label = flowLabel & FLOW_LABEL_MASK;
    return (label & PORT_MASK ^ label >> PORT_BITS) | MIN;
  }

  /** The port of a connected pair, from the flow label if there is one, else from both QPNs. */
  public static int ofConnection(int flowLabel, int localQp, int remoteQp) {
    int label = flowLabel & FLOW_LABEL_MASK;
    return ofFlowLabel(label != 0 ? label : flowLabelOf(localQp, remoteQp));
  }

  /** Port of a queue pair without a peer: before its address vector is set, and for UD. */
  public static int ofQp(int qpn) {
    return MIN + (qpn * GOLDEN_RATIO_32 >>> Integer.SIZE - PORT_BITS);
  }

  /** The flow label computed from both QP numbers, the same from either end. */
  public static int flowLabelOf(int localQp, int remoteQp) {
    long v = Integer.toUnsignedLong(localQp) * Integer.toUnsignedLong(remoteQp);
    v ^= v >>> 20;
    v ^= v >>> 40;
    return (int) v & FLOW_LABEL_MASK;
  }

  /** The flow label the connection manager derives from the RDMA port numbers of both ends. */
  public static int flowLabelOfCmPorts(int sourcePort, int destinationPort) {
    return sourcePort * 31 + destinationPort & FLOW_LABEL_MASK;
  }
}
