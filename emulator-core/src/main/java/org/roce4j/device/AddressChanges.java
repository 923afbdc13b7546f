package org.roce4j.device;

import org.roce4j.engine.Engine;
import org.roce4j.engine.Limit;
import org.roce4j.engine.datagram.Path;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/**
 * Adds and removes addresses of an open device, as the kernel's GID cache does: an index that an
 * address handle or a queue pair still uses is not given to another address. Used by the owner of
 * all engines.
 */
final class AddressChanges {
  private final Device device;
  private final GidTable table;
  private final int port;

  /**
   * @param port of the device
   */
  AddressChanges(Device device, int port) {
    this.device = device;
    this.port = port;
    table = device.gidTable();
  }

  /** All or nothing. */
  void add(Gid address) {
    if (table.portOf(address) != 0) {
      throw Errno.EEXIST.refusal("%s has %s already", device, address.addressText());
    }
    int index = table.vacant(port, this::used);
    int length = device.limit(Limit.GID_TABLE_LENGTH);
    if (index >= length) {
      throw Errno.ENOSPC.refusal(
          "the GID table has %d entries, all in use: remove an address, and close what uses it",
          length);
    }
    device.port().add(address);
    table.put(port, index, address);
    device.tell(port, EventType.GID_CHANGE);
  }

  /** All or nothing. */
  void remove(Gid address) {
    int index = table.index(port, address);
    if (index < 0) {
      throw Errno.EADDRNOTAVAIL.refusal(
          "port %d of %s has no address %s", port, device, address.addressText());
    }
    if (table.addresses(port).size() == 1) {
      throw new VerbsException(
          Errno.EBUSY, address.addressText() + " is the only address: add another one before");
    }
    requireOtherForGroups(address);
    leaveGroupsTo(address);
    device.port().remove(address);
    table.put(port, index, Gid.ZERO);
    device.tell(port, EventType.GID_CHANGE);
  }

  /** Whether a path uses an address of this port, or an address that was removed. */
  private boolean used(int index) {
    return device.paths().anyKey(path -> path.sgidIndex() == index && !isOfAnotherPort(path));
  }

  private boolean isOfAnotherPort(Path path) {
    int from = device.portOf(path.localHigh(), path.localLow());
    return from != 0 && from != port;
  }

  private void requireOtherForGroups(Gid address) {
    if (table.memberOf(port, address, address) != null) {
      return;
    }
    for (Engine engine : device.engines()) {
      engine
          .multicast()
          .forEachOf(
              address,
              (group, qp) -> {
                throw Errno.EBUSY.refusal(
                    "QP 0x%x is attached to multicast group %s by way of %s, and no other"
                        + " address has its IP version: detach it first, or add one",
                    qp.qpNum(), group.addressText(), address.addressText());
              });
    }
  }

  /** Moves the group memberships of an address to another address of the port. */
  private void leaveGroupsTo(Gid address) {
    Gid heir = table.memberOf(port, address, address);
    for (Engine engine : device.engines()) {
      engine
          .multicast()
          .forEachOf(
              address,
              (group, qp) -> {
                device.port().join(group, heir);
                engine.multicast().joinedBy(group, qp, heir);
                device.port().leave(group, address);
              });
    }
  }
}
