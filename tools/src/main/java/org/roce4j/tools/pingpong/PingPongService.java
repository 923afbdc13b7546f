package org.roce4j.tools.pingpong;

import java.util.Locale;
import org.roce4j.tools.side.Role;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.QpType;

/** The values of {@code --service}: the programs of rdma-core and their differences. */
enum PingPongService {
  /** Reliable connection. */
  RC(QpType.RC, "RC", "ibv_rc_pingpong", 4096, 1),
  /** Unreliable connection. */
  UC(QpType.UC, "UC", "ibv_uc_pingpong", 4096, 1),
  /** Unreliable datagram; each send names its destination. */
  UD(QpType.UD, "UD", "ibv_ud_pingpong", 1024, 1),
  /** Several reliable connections on one shared receive queue. */
  SRQ(QpType.RC, "RC with a shared receive queue", "ibv_srq_pingpong", 4096, 16),
  /** Extended reliable connections: one server, and clients that share a domain. */
  XRC(QpType.XRC_SEND, "XRC", "ibv_xsrq_pingpong", 4096, 1);

  private final QpType qpType;
  private final String label;
  private final String program;
  private final long defaultSize;
  private final int defaultQps;

  PingPongService(QpType qpType, String label, String program, long defaultSize, int defaultQps) {
    this.qpType = qpType;
    this.label = label;
    this.program = program;
    this.defaultSize = defaultSize;
    this.defaultQps = defaultQps;
  }

  QpType qpType() {
    return qpType;
  }

  /** Its usual name. */
  String label() {
    return label;
  }

  /** The C program of rdma-core that plays it. */
  String program() {
    return program;
  }

  /** Bytes of a message, the C program's default. */
  long defaultSize() {
    return defaultSize;
  }

  /** Queue pairs of each side, the C program's default. */
  int defaultQps() {
    return defaultQps;
  }

  /** Bytes in front of the payload of a receive. */
  int receiveHeadroom() {
    return this == UD ? GlobalRouteHeader.SIZE : 0;
  }

  /** Whether all queue pairs of a side take their receives from one shared queue. */
  boolean sharesReceives() {
    return this == SRQ || this == XRC;
  }

  /** The side that sends the first message of the game. */
  Role starter() {
    return this == XRC ? Role.SERVER : Role.CLIENT;
  }

  /** Messages in each direction, the C program's default; of XRC for each client. */
  long defaultIterations() {
    return this == XRC ? 5 : 1000;
  }

  /** Whether a lost message is sent again. */
  boolean reliable() {
    return qpType == QpType.RC || qpType == QpType.XRC_SEND;
  }

  /** Whether a reliable peer may leave before it has heard the last acknowledgement. */
  boolean leavesWithoutAWord() {
    return reliable() && this != XRC;
  }

  /** Rights of the peer; a probe is an RDMA WRITE. */
  int access() {
    return reliable() ? AccessFlags.REMOTE_WRITE : 0;
  }

  /**
   * The number of addresses that the C program sends and expects, whatever the number of queue
   * pairs.
   */
  int exchangedMessages() {
    return this == SRQ ? 256 : 1;
  }

  /** The byte that fills the C program's buffer at its start. */
  byte fillOfTheCProgram() {
    return (byte) (sharesReceives() ? 0 : 0x7b);
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
