package org.roce4j.simulation;

import static org.roce4j.simulation.RuleBroken.require;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Psn;

/** What the wire tells of one queue pair for datagrams: what it sends, and what reaches it. */
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
   * @param mtu bytes of the longest datagram that may be sent
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

  /** The datagram bears the next PSN, unless it is too long to be sent. */
  void posted(PostedSend send) {
    sentByPsn.put(nextPsn, send);
    nextPsn = Psn.add(nextPsn, 1);
  }

  /** That datagram failed: the next one bears its PSN. */
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
        Rule.DRAINED_IS_SILENT,
        "%s sent PSN %d after it had said that its send queue is drained",
        name,
        psn);
    PostedSend send = sentByPsn.get(psn);
    require(
        send != null && send.length() <= mtu,
        Rule.WHOLE_OR_NOT_AT_ALL,
        "%s sent PSN %d, which is of no datagram that may be sent: %s",
        name,
        psn,
        send);
  }

  /** What was sent with that PSN, or null. */
  PostedSend sent(int psn) {
    return sentByPsn.get(psn);
  }

  /** A datagram for it reached the port. */
  void arrived(PostedSend message) {
    if (!closed && message.datagram.rightKey()) {
      arrivals.arrived(message, arrivals.certain());
    }
  }

  /** Its send queue is drained: it may send nothing; or it works again. */
  void quiet(boolean silent) {
    quiet = silent;
  }

  /** It receives nothing any more. */
  void close() {
    closed = true;
  }
}
