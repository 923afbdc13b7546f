package org.roce4j.verbs.cm;

import java.net.InetAddress;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.VerbsException;

/** A multicast group that an id joins or has joined. Not thread-safe; its id guards it. */
final class Membership {
  private final InetAddress group;
  private final JoinFlag flag;
  private final Object userContext;
  private Gid mgid;
  private QueuePair attached;

  Membership(InetAddress group, JoinFlag flag, Object userContext) {
    this.group = group;
    this.flag = flag;
    this.userContext = userContext;
  }

  InetAddress group() {
    return group;
  }

  Object userContext() {
    return userContext;
  }

  /** Joined: the queue pair, if there is one, hears the group. */
  void joined(UdParam where, QueuePair qp) {
    mgid = where.ahAttr().grh().dgid();
    if (qp != null && flag == JoinFlag.FULLMEMBER) {
      qp.attachMulticast(mgid);
      attached = qp;
    }
  }

  /** Whether a queue pair is attached to the group by it. */
  boolean hears(InetAddress address) {
    return attached != null && group.equals(address);
  }

  void detach() {
    if (attached != null) {
      try {
        attached.detachMulticast(mgid);
      } catch (VerbsException e) {
        if (e.errno() != Errno.EINVAL) {
          throw e;
        }
        // The program has detached its queue pair itself, so that nothing is left to do.
      }
      attached = null;
    }
  }
}
