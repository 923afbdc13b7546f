package org.roce4j.device;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Limit;
import org.roce4j.engine.MulticastTable;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpCreateFlags;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;

/**
 * The multicast groups to which a queue pair is attached. The queue pair receives them by an
 * address of its port, which joins a group while any queue pair is attached by it. All methods
 * except {@link #check} are for the owner of all engines.
 */
record GroupAttachments(Device device, Engine engine, QpMachine machine, int createFlags) {

  /** Sets the queue pair, once it is created. */
  void enter() {
    if ((createFlags & QpCreateFlags.BLOCK_SELF_MCAST_LB) != 0) {
      engine.multicast().blockSelf(machine);
    }
  }

  /** Refuses a queue pair of another type, and an address that is not a group. */
  void check(Gid group) {
    RequiredArgument.check(group, "group");
    if (machine.type() != QpType.UD) {
      throw Errno.EINVAL.refusal(
          "only UD queue pairs can join a multicast group, not %s", machine.type());
    }
    if (!group.isMulticast()) {
      throw new VerbsException(Errno.EINVAL, group + " is not a multicast address");
    }
  }

  /**
   * Attaches the queue pair unless it is attached.
   *
   * @throws VerbsException ENOMEM at a limit of the device, or if memory runs out
   */
  void attach(Gid group) {
    MulticastTable table = engine.multicast();
    if (table.attached(group, machine)) {
      return;
    }
    Gid own = memberOf(port(), group);
    int members = device.multicastMembers(group);
    if (members >= device.limit(Limit.MAX_MCAST_QP_ATTACH)) {
      throw ObjectCounts.reached(
          Limit.MAX_MCAST_QP_ATTACH, device.limit(Limit.MAX_MCAST_QP_ATTACH));
    }
    if (members == 0 && device.multicastGroups() >= device.limit(Limit.MAX_MCAST_GROUPS)) {
      throw ObjectCounts.reached(Limit.MAX_MCAST_GROUPS, device.limit(Limit.MAX_MCAST_GROUPS));
    }
    ContextObjects.withMemory(() -> table.attach(group, machine, own));
    boolean joined = false;
    try {
      join(group, own); // the last step, after which nothing is allocated
      joined = true;
    } finally {
      if (!joined) {
        table.detach(group, machine);
      }
    }
  }

  /** The port by which it receives groups; 0: it is not bound to a port yet. */
  int port() {
    return device.ports() == 1 ? 1 : machine.peer().port();
  }

  /**
   * The address by which queue pairs of a port join a group; null if they have no port.
   *
   * @throws VerbsException EINVAL if the port has no address of the group's IP version
   */
  private Gid memberOf(int port, Gid group) {
    Gid own = port == 0 ? null : device.gidTable().memberOf(port, group, null);
    if (port != 0 && own == null) {
      throw Errno.EINVAL.refusal(
          "port %d has no %s address to join the group by",
          port, group.isIpv4Mapped() ? "IPv4" : "IPv6");
    }
    return own;
  }

  private void join(Gid group, Gid own) {
    if (own != null) {
      device.port().join(group, own);
    }
  }

  private void leave(Gid group, Gid own) {
    if (own != null) {
      device.port().leave(group, own);
    }
  }

  /**
   * Modifies the queue pair in a way that binds it to a port, by which it then receives its groups.
   * Changes all or nothing.
   *
   * @throws VerbsException EINVAL if the port cannot join one of the groups; otherwise as {@code
   *     modify}
   */
  void move(int port, Runnable modify) {
    if (port == port() || isEmpty()) {
      modify.run();
      return;
    }
    Map<Gid, Gid> members = new LinkedHashMap<>();
    engine.multicast().groupsOf(machine).forEach(g -> members.put(g, memberOf(port, g)));
    Set<Gid> joined = new LinkedHashSet<>();
    boolean done = false;
    try {
      for (Map.Entry<Gid, Gid> each : members.entrySet()) {
        join(each.getKey(), each.getValue());
        joined.add(each.getKey());
      }
      modify.run();
      done = true;
    } finally {
      for (Gid group : joined) {
        Gid before = engine.multicast().memberOf(group, machine);
        leave(group, done ? before : members.get(group));
        engine.multicast().joinedBy(group, machine, done ? members.get(group) : before);
      }
    }
  }

  /**
   * @throws VerbsException EINVAL if it is not attached
   */
  void detach(Gid group) {
    if (!engine.multicast().attached(group, machine)) {
      throw new VerbsException(Errno.EINVAL, "the queue pair is not attached to " + group);
    }
    leave(group);
  }

  /** Detaches a destroyed queue pair from all groups. */
  void detachAll() {
    for (Gid group : engine.multicast().groupsOf(machine)) {
      leave(group);
    }
    engine.multicast().forget(machine);
  }

  private void leave(Gid group) {
    Gid own = engine.multicast().memberOf(group, machine);
    engine.multicast().detach(group, machine);
    leave(group, own);
  }

  private boolean isEmpty() {
    return !engine.multicast().attachedAnywhere(machine);
  }

  /**
   * @throws VerbsException EBUSY while it is attached
   */
  void requireNone(QueuePair qp) {
    if (!isEmpty()) {
      throw Errno.EBUSY.refusal(
          "%s is attached to the multicast groups %s: detach it first",
          qp, engine.multicast().groupsOf(machine).stream().map(Gid::addressText).toList());
    }
  }
}
