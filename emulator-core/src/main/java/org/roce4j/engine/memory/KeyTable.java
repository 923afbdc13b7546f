package org.roce4j.engine.memory;

import java.lang.foreign.MemorySegment;
import java.util.random.RandomGenerator;
import org.roce4j.verbs.MwType;

/**
 * All keys of a device, of regions and windows: an open-addressing table by the key's upper 24
 * bits, which are random so that a key cannot be guessed from another one. Written only under the
 * engine's ownership.
 */
public final class KeyTable {
  /** The place of a removed entry. No key is 0. */
  private static final MemoryKey GONE = new Region(0, null, MemorySegment.NULL, 0, 0);

  private final RandomGenerator random;
  private final int maxRegions;
  private final int maxWindows;
  private int regions;
  private MemoryKey[] slots = new MemoryKey[64];
  private int live;
  private int used;

  /**
   * @param random source of keys
   * @param maxRegions greatest number of regions
   * @param maxWindows greatest number of windows
   */
  public KeyTable(RandomGenerator random, int maxRegions, int maxWindows) {
    this.random = random;
    this.maxRegions = maxRegions;
    this.maxWindows = maxWindows;
  }

  /** Adds a region; null at the limit. */
  public Region register(Domain domain, MemorySegment memory, long iova, int access) {
    return regions >= maxRegions
        ? null
        : add(new Region(freshValue(), domain, memory, iova, access));
  }

  /** Adds a region that covers every address and has no memory; null at the limit. */
  public Region registerNothing(Domain domain) {
    return regions >= maxRegions ? null : add(new Region(freshValue(), domain));
  }

  private Region add(Region region) {
    insert(region);
    regions++;
    return region;
  }

  /** Adds an unbound window; null at the limit. */
  public Window allocate(Domain domain, MwType type) {
    if (live - regions >= maxWindows) {
      return null;
    }
    Window window = new Window(freshValue(), domain, type);
    insert(window);
    return window;
  }

  /** The entry with this key; null if there is none. */
  public MemoryKey find(int key) {
    MemoryKey[] now = slots; // it may be replaced, by a shorter one as well
    int mask = now.length - 1;
    int at = hash(key >>> 8) & mask;
    while (true) {
      MemoryKey entry = now[at];
      if (entry == null) {
        return null;
      }
      if (entry.value() == key && entry != GONE) {
        return entry;
      }
      at = (at + 1) & mask;
    }
  }

  /**
   * The region with this key if its memory contains these bytes at their real addresses; else null.
   * Any thread may call this; unless it owns an engine, the result may be outdated.
   */
  public Region holding(int key, long address, long bytes) {
    return find(key) instanceof Region region && region.holds(address, bytes) ? region : null;
  }

  /**
   * Copies bytes of a region found by {@link #holding}, with the rights of the program itself: no
   * access right is checked.
   *
   * @return false if its memory is gone
   */
  public static boolean copyOut(
      Region region, long address, long bytes, MemorySegment to, long at) {
    return RegisteredBytes.read(region, address - region.memory().address(), to, at, bytes);
  }

  /**
   * Makes the pages of a part of a region resident.
   *
   * @return false if its memory is gone
   */
  public static boolean touch(Region region, long offset, long bytes) {
    return RegisteredBytes.touch(region, offset, bytes);
  }

  public void remove(Region region) {
    region.revoke();
    delete(region);
    regions--;
  }

  public void remove(Window window) {
    window.revoke();
    delete(window);
  }

  /**
   * Invalidates a key, for LOCAL_INV and SEND_WITH_INVALIDATE. The key must belong to a type 2
   * window that is bound on this queue pair.
   *
   * @return false if this key cannot be invalidated here
   */
  public boolean invalidate(int key, Accessor asking) {
    return find(key) instanceof Window window && window.invalidate(key, asking);
  }

  public int size() {
    return live;
  }

  private int freshValue() {
    while (true) {
      int value = random.nextInt();
      if (value >>> 8 != 0 && !taken(value >>> 8)) {
        return value;
      }
    }
  }

  private boolean taken(int index) {
    int mask = slots.length - 1;
    for (int at = hash(index) & mask; slots[at] != null; at = (at + 1) & mask) {
      if (slots[at].value() >>> 8 == index) {
        return true;
      }
    }
    return false;
  }

  private void insert(MemoryKey key) {
    if (used * 2 >= slots.length) {
      rehash();
    }
    place(slots, key);
    used++;
    live++;
  }

  private static void place(MemoryKey[] table, MemoryKey key) {
    int mask = table.length - 1;
    int at = hash(key.value() >>> 8) & mask;
    while (table[at] != null) {
      at = (at + 1) & mask;
    }
    table[at] = key;
  }

  private void delete(MemoryKey key) {
    int mask = slots.length - 1;
    int at = hash(key.value() >>> 8) & mask;
    while (slots[at] != key) {
      at = (at + 1) & mask;
    }
    slots[at] = GONE;
    live--;
  }

  private void rehash() {
    MemoryKey[] fresh = new MemoryKey[Math.max(64, Integer.highestOneBit(live) * 8)];
    for (MemoryKey key : slots) {
      if (key != null && key != GONE) {
        place(fresh, key);
      }
    }
    slots = fresh;
    used = live;
  }

  private static int hash(int index) {
    int mixed = index * 0x9E3779B1;
    return mixed ^ (mixed >>> 15);
  }
}
