package org.roce4j.device;

import org.roce4j.engine.Engine;
import org.roce4j.engine.Limit;
import org.roce4j.engine.MulticastTable;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpCreateFlags;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;

/**
 * The multicast groups that a queue pair is attached to. The port receives a group while any queue
 * pair is attached to it. All methods but {@link #check} are for the owner of all engines.
 */
record GroupAttachments(Device device, Engine engine, QpMachine machine, int createFlags) {

  /** The queue pair is made. */
  void enter() {
    if ((createFlags & QpCreateFlags.BLOCK_SELF_MCAST_LB) != 0) {
      engine.multicast().blockSelf(machine);
    }
  }

  /** Refuses a queue pair of another type and an address that is no group. */
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
   * Attaches the queue pair if it is not attached.
   *
   * @throws VerbsException ENOMEM at a limit of the device, or if memory runs out
   */
  void attach(Gid group) {
    if (machine.peer().port() > 1) {
      throw new VerbsException(
          Errno.EOPNOTSUPP, "groups are joined through port 1, the queue pair is bound to another");
    }
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

  /** The last step: no allocation follows it. */
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

  /** Detaches a destroyed queue pair from all groups. */
  void detachAll() {
    for (Gid group : engine.multicast().groupsOf(machine)) {
      leave(group);
    }
    engine.multicast().forget(machine);
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
