package org.roce4j.device;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.GidType;

/**
 * The addresses of a device's ports, each an entry of type RoCE v2; the first index can be chosen.
 * When an address is removed, its entry stays empty, so that the others keep their indices. Changed
 * by the owner of all engines, read by any thread.
 */
public final class GidTable {
  private final int firstIndex;

  /** The entries of each port from the first index on; zero if empty. Replaced as a whole. */
  private volatile List<List<Gid>> ports;

  /**
   * The table of a device with one port.
   *
   * @param firstIndex index of the first address; programs written for Linux rxe expect 1
   */
  public GidTable(List<Gid> addresses, int firstIndex) {
    this(firstIndex, List.of(addresses));
  }

  /**
   * The tables of a device.
   *
   * @param firstIndex index of the first address of each port; programs written for Linux rxe
   *     expect 1
   * @param ports the addresses of each port
   */
  public GidTable(int firstIndex, List<List<Gid>> ports) {
    this.firstIndex = firstIndex;
    this.ports = ports.stream().map(List::copyOf).toList();
  }

  /** The number of ports, which are numbered from 1. */
  public int ports() {
    return ports.size();
  }

  private List<Gid> slots(int port) {
    List<List<Gid>> now = ports;
    return port >= 1 && port <= now.size() ? now.get(port - 1) : List.of();
  }

  /** The GID at an index of a port's table; zero if the entry is empty. */
  public Gid gid(int port, int index) {
    List<Gid> now = slots(port);
    int i = index - firstIndex;
    return i < 0 || i >= now.size() ? Gid.ZERO : now.get(i);
  }

  /** The index of an address of a port, or -1. */
  public int index(int port, Gid address) {
    int i = slots(port).indexOf(address);
    return i < 0 || address.isZero() ? -1 : firstIndex + i;
  }

  /** The port that has an address, or 0. */
  public int portOf(Gid address) {
    for (int port = 1; port <= ports(); port++) {
      if (index(port, address) >= 0) {
        return port;
      }
    }
    return 0;
  }

  /** The addresses of a port, in the order of their indices. */
  public List<Gid> addresses(int port) {
    return slots(port).stream().filter(address -> !address.isZero()).toList();
  }

  /**
   * The address by which queue pairs of a port join a group: the first one of its IP version; null
   * if the port has none.
   *
   * @param but an address that is not chosen; null: none
   */
  Gid memberOf(int port, Gid group, Gid but) {
    return addresses(port).stream()
        .filter(own -> own.isIpv4Mapped() == group.isIpv4Mapped() && !own.equals(but))
        .findFirst()
        .orElse(null);
  }

  /** The addresses of all ports. */
  public List<Gid> addresses() {
    return ports.stream().flatMap(List::stream).filter(address -> !address.isZero()).toList();
  }

  /** The entries of all ports that are not empty. */
  public List<GidEntry> entries() {
    List<List<Gid>> now = ports;
    List<GidEntry> entries = new ArrayList<>();
    for (int port = 1; port <= now.size(); port++) {
      List<Gid> slots = now.get(port - 1);
      for (int i = 0; i < slots.size(); i++) {
        if (!slots.get(i).isZero()) {
          entries.add(new GidEntry(slots.get(i), firstIndex + i, port, GidType.ROCE_V2, 0));
        }
      }
    }
    return entries;
  }

  /**
   * The lowest empty index of a port's table.
   *
   * @param used whether an empty index is still in use
   */
  int vacant(int port, IntPredicate used) {
    int index = firstIndex;
    while (!gid(port, index).isZero() || used.test(index)) {
      index++;
    }
    return index;
  }

  /** Sets an entry of a port's table; zero empties it. */
  void put(int port, int index, Gid address) {
    List<Gid> changed = new ArrayList<>(slots(port));
    while (changed.size() <= index - firstIndex) {
      changed.add(Gid.ZERO);
    }
    changed.set(index - firstIndex, address);
    List<List<Gid>> all = new ArrayList<>(ports);
    all.set(port - 1, List.copyOf(changed));
    ports = List.copyOf(all);
  }
}
