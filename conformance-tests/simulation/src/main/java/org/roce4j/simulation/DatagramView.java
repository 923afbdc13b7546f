package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Psn;

/** The datagrams on the wire of one queue pair: those that it sends and those that reach it. */
final class DatagramView {
  private final String name;
  private final Gid gid;
  private final int qpNum;
  private final int mtu;
  private final Arrivals arrivals;
  private final Set<Gid> groups = new HashSet<>();
  private final Map<Integer, PostedSend> sentByPsn = new HashMap<>();
  private int nextPsn;
  private boolean quiet;
  private boolean closed;

  /**
   * @param gid address of the device
   * @param mtu longest datagram that may be sent, bytes
   */
  DatagramView(String name, Gid gid, int qpNum, int mtu, Arrivals arrivals, int firstPsn) {
    this.name = name;
    this.gid = gid;
    this.qpNum = qpNum;
    this.mtu = mtu;
    this.arrivals = arrivals;
    nextPsn = firstPsn;
  }

  Gid gid() {
    return gid;
  }

  int qpNum() {
    return qpNum;
  }

  int nextPsn() {
    return nextPsn;
  }

  void join(Gid group) {
    groups.add(group);
  }

  boolean isMember(Gid group) {
    return groups.contains(group);
  }

  /**
   * Expects the datagram under the next PSN. If it is too long to be sent, {@link #failed} takes
   * the PSN back.
   */
  void posted(PostedSend send) {
    sentByPsn.put(nextPsn, send);
    nextPsn = Psn.add(nextPsn, 1);
  }

  /** The datagram failed: the next one has its PSN. */
  void failed(PostedSend send) {
    nextPsn =
        sentByPsn.entrySet().stream()
            .filter(entry -> entry.getValue() == send)
            .findFirst()
            .orElseThrow()
            .getKey();
  }

  void packetSent(int psn) {
    require(
        !quiet,
        OracleRule.DRAINED_IS_SILENT,
        "%s sent PSN %d after it had said that its send queue is drained",
        name,
        psn);
    PostedSend send = sentByPsn.get(psn);
    require(
        send != null && send.length() <= mtu,
        OracleRule.WHOLE_OR_NOT_AT_ALL,
        "%s sent PSN %d, which is of no datagram that may be sent: %s",
        name,
        psn,
        send);
  }

  /** The datagram with this PSN, or null. */
  PostedSend sent(int psn) {
    return sentByPsn.get(psn);
  }

  /** A datagram for this queue pair reached the port. */
  void arrived(PostedSend message) {
    if (!closed && message.datagram.rightKey()) {
      arrivals.arrived(message, arrivals.certain());
    }
  }

  /** Its send queue is drained and may send nothing, or it works again. */
  void quiet(boolean silent) {
    quiet = silent;
  }

  /** The queue pair receives nothing any more. */
  void close() {
    closed = true;
  }
}
