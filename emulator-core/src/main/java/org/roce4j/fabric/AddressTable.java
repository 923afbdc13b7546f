package org.roce4j.fabric;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/** The holders of all addresses and the members of all groups. */
final class AddressTable {
  /** Addresses that are remembered, with their links, after their ports have left them. */
  static final int REMEMBERED = 1024;

  private final Map<Gid, Address> addresses = new HashMap<>();
  private final List<MulticastGroup> groups = new ArrayList<>();

  /** Addresses without a holder that may be forgotten, the one left first in front. */
  private final Set<Address> left = new LinkedHashSet<>();

  /** The address of a GID, created if it is new; it need not have a holder. */
  Address of(Gid gid) {
    return addresses.computeIfAbsent(gid, Address::new);
  }

  /** The address of a GID; null if it was never attached or linked, or is forgotten. */
  Address find(Gid gid) {
    return addresses.get(gid);
  }

  /** The sender's name in captures. */
  String nameOfSender(FabricDatagram datagram) {
    Gid source = new Gid(datagram.sourceHigh, datagram.sourceLow);
    Address sender = find(source);
    return sender == null || sender.name.isEmpty() ? source.addressText() : sender.name;
  }

  /** The addresses for a new port; all of them must be without a holder. */
  List<Address> vacant(List<Gid> gids) {
    if (gids.isEmpty()) {
      throw Errno.EINVAL.refusal("a port needs at least one address");
    }
    List<Address> vacant = new ArrayList<>();
    for (Gid gid : gids) {
      if (gid.isZero() || gid.isMulticast()) {
        throw new VerbsException(Errno.EINVAL, gid + " is no address that a port can have");
      }
      Address address = of(gid);
      if (address.holder != null || vacant.contains(address)) {
        throw new VerbsException(
            Errno.EADDRINUSE, gid + " is taken on this fabric: close its port, or use another");
      }
      vacant.add(address);
    }
    return List.copyOf(vacant);
  }

  /**
   * Adds an address to a holder.
   *
   * @return its addresses from now on
   */
  List<Address> add(AddressHolder to, List<Address> own, Gid gid) {
    Address address = vacant(List.of(gid)).getFirst();
    List<Address> more = new ArrayList<>(own);
    more.add(address);
    address.takenBy(to, own.getFirst().name);
    return List.copyOf(more);
  }

  /**
   * Removes an address from its holder.
   *
   * @return its addresses from now on
   */
  List<Address> remove(List<Address> own, Gid gid) {
    Address gone = of(gid);
    List<Address> fewer = own.stream().filter(each -> each != gone).toList();
    detach(List.of(gone));
    return fewer;
  }

  /**
   * @param member the port's address that joins; null: the port does not hold it
   */
  void join(Address member, Gid gid) {
    if (!gid.isMulticast()) {
      throw new VerbsException(Errno.EINVAL, gid + " is no multicast group");
    }
    if (member == null || member.gid.isIpv4Mapped() != gid.isIpv4Mapped()) {
      throw new VerbsException(
          Errno.EINVAL, "the port has no such address of the IP version of " + gid);
    }
    MulticastGroup group = group(gid.high(), gid.low());
    if (group == null) {
      group = new MulticastGroup(gid.high(), gid.low());
      groups.add(group);
    }
    group.join(member);
  }

  /**
   * Undoes one {@link #join}.
   *
   * @param member as there; null is no member of any group
   */
  void leave(Address member, Gid gid) {
    MulticastGroup group = group(gid.high(), gid.low());
    if (group == null || !group.leave(member)) {
      throw new VerbsException(Errno.EINVAL, "the port is no member of the group " + gid);
    }
    if (group.size() == 0) {
      groups.remove(group);
    }
  }

  /** Removes the holder of these addresses, which also leave all groups. */
  void detach(List<Address> gone) {
    for (MulticastGroup group : groups) {
      group.leaveAltogether(gone);
    }
    groups.removeIf(group -> group.size() == 0);
    for (Address address : gone) {
      address.holder = null;
      left.remove(address);
      left.add(address);
    }
  }

  /**
   * Forgets the addresses that were left first, beyond {@link #REMEMBERED}.
   *
   * @param forgotten forgets the links of an address; false if they are in use
   */
  void forget(Predicate<Address> forgotten) {
    Iterator<Address> eldest = left.iterator();
    for (int surplus = left.size() - REMEMBERED; surplus > 0; surplus--) {
      Address address = eldest.next();
      if (address.holder != null || address.kept) {
        eldest.remove();
      } else if (forgotten.test(address)) {
        eldest.remove();
        addresses.remove(address.gid);
      }
    }
  }

  /** The group of an address; null if it has no members. */
  MulticastGroup group(long high, long low) {
    for (int i = 0; i < groups.size(); i++) {
      if (groups.get(i).high == high && groups.get(i).low == low) {
        return groups.get(i);
      }
    }
    return null;
  }

  /** Whether a datagram was sent to the address, or to a group that it has not left. */
  boolean wants(Address address, FabricDatagram datagram) {
    if (address.is(datagram.destinationHigh, datagram.destinationLow)) {
      return true;
    }
    MulticastGroup group = group(datagram.destinationHigh, datagram.destinationLow);
    return group != null && group.has(address);
  }
}
