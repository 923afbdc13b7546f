package org.roce4j.device;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.GidType;

/** The device's addresses, each an entry (RoCE v2); the first index can be chosen. Immutable. */
public final class GidTable {
  private final List<Gid> addresses;
  private final int firstIndex;

  /**
   * @param firstIndex index of the first address; programs made for Linux rxe expect 1
   */
  public GidTable(List<Gid> addresses, int firstIndex) {
    this.addresses = List.copyOf(addresses);
    this.firstIndex = firstIndex;
  }

  /** The GID at that index, zero where there is none. */
  public Gid gid(int index) {
    int i = index - firstIndex;
    return i < 0 || i >= addresses.size() ? Gid.ZERO : addresses.get(i);
  }

  /** The index of an address, or -1. */
  public int index(Gid address) {
    int i = addresses.indexOf(address);
    return i < 0 ? -1 : firstIndex + i;
  }

  public List<Gid> addresses() {
    return addresses;
  }

  public List<GidEntry> entries() {
    List<GidEntry> entries = new ArrayList<>();
    for (int i = 0; i < addresses.size(); i++) {
      entries.add(new GidEntry(addresses.get(i), firstIndex + i, 1, GidType.ROCE_V2, 0));
    }
    return entries;
  }
}
