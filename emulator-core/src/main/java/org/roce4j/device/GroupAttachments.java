package org.roce4j.device;

import org.roce4j.engine.Engine;
import org.roce4j.engine.Limit;
import org.roce4j.engine.MulticastTable;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;

/**
 * The multicast groups that a queue pair is attached to. The port hears a group as long as any
 * queue pair is. All but the check for the owner of all engines.
 */
record GroupAttachments(Device device, Engine engine, QpMachine machine) {

  /** Refuses what no queue pair of its type could be attached to. */
  void check(Gid group) {
    RequiredArgument.check(group, "group");
    if (machine.type() != QpType.UD) {
      throw new VerbsException(Errno.EINVAL, "only UD queue pairs can join a multicast group");
    }
    if (!group.isMulticast()) {
      throw new VerbsException(Errno.EINVAL, group + " is not a multicast address");
    }
  }

  /**
   * Attaches the queue pair, if it is not.
   *
   * @throws VerbsException ENOMEM at a limit of the device, or if memory runs out
   */
  void attach(Gid group) {
    MulticastTable table = engine.multicast();
    if (table.attached(group, machine)) {
      return;
    }
    int members = device.multicastMembers(group);
    if (members >= device.limit(Limit.MAX_MCAST_QP_ATTACH)
        || (members == 0 && device.multicastGroups() >= device.limit(Limit.MAX_MCAST_GROUPS))) {
      throw new VerbsException(
          Errno.ENOMEM, "the device's limit of multicast attachments is reached");
    }
    if (ContextObjects.withMemory(() -> table.attach(group, machine))) {
      join(group);
    }
  }

  /** Comes last: no lack of memory may follow. */
  private void join(Gid group) {
    boolean joined = false;
    try {
      device.port().join(group.high(), group.low());
      joined = true;
    } finally {
      if (!joined) {
        engine.multicast().detach(group, machine);
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

  /** The queue pair is destroyed. */
  void detachAll() {
    for (Gid group : engine.multicast().groupsOf(machine)) {
      leave(group);
    }
  }

  private void leave(Gid group) {
    if (engine.multicast().detach(group, machine)) {
      device.port().leave(group.high(), group.low());
    }
  }

  boolean isEmpty() {
    return !engine.multicast().attachedAnywhere(machine);
  }
}
