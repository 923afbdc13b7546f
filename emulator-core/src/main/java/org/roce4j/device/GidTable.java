package org.roce4j.device;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.GidType;

/**
 * The device's addresses, each an entry (RoCE v2); the first index can be chosen. An address that
 * goes leaves its entry empty, so that the others keep their indices. Changed by the owner of all
 * engines, read by any thread.
 */
public final class GidTable {
  private final int firstIndex;

  /** By index from the first; zero where there is none. Replaced as a whole. */
  private volatile List<Gid> slots;

  /**
   * @param firstIndex the index of the first address; programs written for Linux rxe expect 1
   */
  public GidTable(List<Gid> addresses, int firstIndex) {
    slots = List.copyOf(addresses);
    this.firstIndex = firstIndex;
  }

  /** The GID at an index; zero if the entry is empty. */
  public Gid gid(int index) {
    List<Gid> now = slots;
    int i = index - firstIndex;
    return i < 0 || i >= now.size() ? Gid.ZERO : now.get(i);
  }

  /** The index of an address, or -1. */
  public int index(Gid address) {
    int i = slots.indexOf(address);
    return i < 0 || address.isZero() ? -1 : firstIndex + i;
  }

  /** Those that there are, in the order of their indices. */
  public List<Gid> addresses() {
    return slots.stream().filter(address -> !address.isZero()).toList();
  }

  /** The entries that are not empty. */
  public List<GidEntry> entries() {
    List<Gid> now = slots;
    List<GidEntry> entries = new ArrayList<>();
    for (int i = 0; i < now.size(); i++) {
      if (!now.get(i).isZero()) {
        entries.add(new GidEntry(now.get(i), firstIndex + i, 1, GidType.ROCE_V2, 0));
      }
    }
    return entries;
  }

  /**
   * The lowest index from the first on that is empty.
   *
   * @param used whether an index without an address is still in use
   */
  int vacant(IntPredicate used) {
    int index = firstIndex;
    while (!gid(index).isZero() || used.test(index)) {
      index++;
    }
    return index;
  }

  /** An entry has this address from now on; zero: none. */
  void put(int index, Gid address) {
    List<Gid> changed = new ArrayList<>(slots);
    while (changed.size() <= index - firstIndex) {
      changed.add(Gid.ZERO);
    }
    changed.set(index - firstIndex, address);
    slots = List.copyOf(changed);
  }
}
