package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GidEntry;
import org.roce4j.verbs.GidType;

/** The table of each port against a map, after random additions and removals of addresses. */
class GidTableTest {
  private static final int MOST = 8;

  /** For each port, its addresses by index. */
  private final List<TreeMap<Integer, Gid>> model = new ArrayList<>();

  private final Set<Integer> used = new HashSet<>();
  private int next = 1;

  @ParameterizedTest(name = "{0} ports, first index {1}")
  @CsvSource({"1, 0", "1, 1", "2, 0", "3, 5"})
  void tellsWhatEachPortHas(int ports, int first) {
    List<List<Gid>> addresses = new ArrayList<>();
    for (int port = 1; port <= ports; port++) {
      Gid address = fresh();
      addresses.add(List.of(address));
      model.add(new TreeMap<>());
      model.getLast().put(first, address);
    }
    GidTable table = new GidTable(first, addresses);
    SplittableRandom random = new SplittableRandom(ports + first);
    for (int step = 0; step < 300; step++) {
      change(table, first, 1 + random.nextInt(ports), random);
      compare(table, first);
    }
  }

  private Gid fresh() {
    return Gid.ofIpv4(0x0a00_0000 + next++);
  }

  private void change(GidTable table, int first, int port, SplittableRandom random) {
    TreeMap<Integer, Gid> now = model.get(port - 1);
    if (random.nextBoolean() && !now.isEmpty()) {
      int index = List.copyOf(now.keySet()).get(random.nextInt(now.size()));
      table.put(port, index, Gid.ZERO);
      now.remove(index);
      if (random.nextBoolean()) {
        used.add(index);
      }
    } else if (now.size() < MOST) {
      int lowest = first;
      while (now.containsKey(lowest) || used.contains(lowest)) {
        lowest++;
      }
      assertEquals(lowest, table.vacant(port, used::contains));
      now.put(lowest, fresh());
      table.put(port, lowest, now.get(lowest));
    } else {
      used.clear();
    }
  }

  private void compare(GidTable table, int first) {
    List<GidEntry> entries = new ArrayList<>();
    List<Gid> all = new ArrayList<>();
    for (int port = 0; port <= model.size() + 1; port++) {
      boolean there = port >= 1 && port <= model.size();
      TreeMap<Integer, Gid> now = there ? model.get(port - 1) : new TreeMap<>();
      for (int index = first - 2; index < first + 2 * MOST; index++) {
        assertEquals(now.getOrDefault(index, Gid.ZERO), table.gid(port, index));
      }
      assertEquals(List.copyOf(now.values()), table.addresses(port));
      for (int index : now.keySet()) {
        Gid address = now.get(index);
        assertEquals(index, table.index(port, address));
        assertEquals(port, table.portOf(address));
        assertEquals(-1, table.index(port + 1, address));
        entries.add(new GidEntry(address, index, port, GidType.ROCE_V2, 0));
        all.add(address);
      }
    }
    assertEquals(entries, table.entries());
    assertEquals(all, table.addresses());
    assertEquals(0, table.portOf(Gid.ofIpv4(1)));
    assertEquals(-1, table.index(1, Gid.ZERO));
  }
}
