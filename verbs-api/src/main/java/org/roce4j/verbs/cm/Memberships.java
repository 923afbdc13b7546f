package org.roce4j.verbs.cm;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;

/** The multicast groups that an id joins or has joined. Its id guards it. */
final class Memberships {
  private final List<Membership> all = new ArrayList<>();

  void add(Membership membership) {
    all.add(membership);
  }

  void remove(Membership membership) {
    all.remove(membership);
  }

  /** The queue pair hears the group, unless it was left while the join was under way. */
  void joined(Membership membership, UdParam where, QueuePair qp) {
    if (all.contains(membership)) {
      membership.joined(where, qp);
    }
  }

  void leave(CmId id, InetAddress group) {
    for (Membership each : all) {
      if (each.group().equals(group)) {
        each.detach();
        all.remove(each);
        return;
      }
    }
    throw new VerbsException(Errno.EADDRNOTAVAIL, id + " has not joined " + group.getHostAddress());
  }

  void detach() {
    all.forEach(Membership::detach);
  }
}
