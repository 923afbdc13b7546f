package org.roce4j.verbs.cm;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;

/** The multicast groups that an id joins or has joined. The monitor of the id guards the list. */
final class Memberships {
  private final CmId id;
  private final List<Membership> all = new ArrayList<>();

  Memberships(CmId id) {
    this.id = id;
  }

  void join(InetAddress group, JoinFlag flag, Object joinContext) {
    Membership membership = new Membership(group, flag, joinContext);
    synchronized (id) {
      id.checkOpen();
      all.add(membership);
    }
    try {
      id.provided().joinMulticast(group, flag, membership);
    } catch (VerbsException e) {
      synchronized (id) {
        all.remove(membership);
      }
      throw e;
    }
  }

  /** The queue pair hears the group, unless it was left while the join was under way. */
  void joined(Membership membership, UdParam where, QueuePair qp) {
    if (all.contains(membership)) {
      membership.joined(where, qp);
    }
  }

  /**
   * Takes back the last join of a group; the queue pair hears it until none is left. A refusal
   * leaves it joined, so that it can be left again.
   */
  void leave(InetAddress group) {
    Membership left;
    synchronized (id) {
      id.checkOpen();
      left = find(group);
      all.remove(left);
    }
    try {
      detachLast(left);
      id.provided().leaveMulticast(group, left);
    } catch (VerbsException e) {
      synchronized (id) {
        all.add(left);
      }
      throw e;
    }
  }

  private void detachLast(Membership left) {
    synchronized (id) {
      if (all.stream().noneMatch(other -> other.hears(left.group()))) {
        left.detach();
      }
    }
  }

  private Membership find(InetAddress group) {
    for (Membership each : all.reversed()) {
      if (each.group().equals(group)) {
        return each;
      }
    }
    throw new VerbsException(Errno.EADDRNOTAVAIL, id + " has not joined " + group.getHostAddress());
  }

  void detach() {
    all.forEach(Membership::detach);
  }
}
