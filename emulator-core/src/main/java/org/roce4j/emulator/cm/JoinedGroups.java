package org.roce4j.emulator.cm;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.ProviderId;
import org.roce4j.verbs.cm.ProviderReport;
import org.roce4j.verbs.cm.UdParam;

/** The multicast groups that an id has joined, each join with its context. */
final class JoinedGroups {
  private record Join(InetAddress group, Object context) {}

  private final ProviderId id;
  private final List<Join> joins = new ArrayList<>();

  JoinedGroups(ProviderId id) {
    this.id = id;
  }

  /**
   * Joins a group, even if it was joined before, as on Linux. On RoCE no subnet manager is asked,
   * so the join is done at once.
   *
   * @param to the path to the group from the id's own address
   * @return the report
   */
  ProviderReport join(InetAddress group, Object context, AhAttr to) {
    joins.add(new Join(group, context));
    UdParam where = new UdParam(new byte[0], to, QueuePair.MULTICAST_QPN, UdParam.QKEY);
    return new ProviderReport(CmEventType.MULTICAST_JOIN, id, null, 0, null, where, context);
  }

  /**
   * Takes a join back.
   *
   * @throws VerbsException EADDRNOTAVAIL
   */
  void leave(InetAddress group, Object context) {
    if (!joins.remove(new Join(group, context))) {
      throw new VerbsException(
          Errno.EADDRNOTAVAIL, id + " has not joined " + group.getHostAddress());
    }
  }
}
