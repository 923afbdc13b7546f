package org.roce4j.emulator.cm;

import java.net.InetAddress;
import java.util.HashMap;
import java.util.Map;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmEventType;
import org.roce4j.verbs.cm.ProviderId;
import org.roce4j.verbs.cm.ProviderReport;
import org.roce4j.verbs.cm.UdParam;

/** The multicast groups that an id has joined, each with the context of its join. */
final class JoinedGroups {
  private final ProviderId id;
  private final Map<InetAddress, Object> joins = new HashMap<>();

  JoinedGroups(ProviderId id) {
    this.id = id;
  }

  /**
   * Joins a group; on RoCE no subnet manager is asked, so it is done at once.
   *
   * @param to the way to the group from the id's own address
   * @return the report
   * @throws VerbsException EADDRINUSE
   */
  ProviderReport join(InetAddress group, Object join, AhAttr to) {
    if (joins.putIfAbsent(group, join) != null) {
      throw new VerbsException(
          Errno.EADDRINUSE, id + " has joined " + group.getHostAddress() + " already");
    }
    UdParam where = new UdParam(new byte[0], to, QueuePair.MULTICAST_QPN, UdParam.QKEY);
    return new ProviderReport(CmEventType.MULTICAST_JOIN, id, null, 0, null, where, join);
  }

  /**
   * @return the context of the join
   * @throws VerbsException EADDRNOTAVAIL
   */
  Object leave(InetAddress group) {
    Object join = joins.remove(group);
    if (join == null) {
      throw new VerbsException(
          Errno.EADDRNOTAVAIL, id + " has not joined " + group.getHostAddress());
    }
    return join;
  }
}
