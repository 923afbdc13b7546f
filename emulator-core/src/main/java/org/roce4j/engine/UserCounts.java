package org.roce4j.engine;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Values by key, each with the number of its users. The first user creates the value, and it is
 * removed with the last one. Changed by control verbs only.
 */
public final class UserCounts<K, V> {
  private final Function<? super K, ? extends V> make;
  private final Map<K, Entry<V>> entries = new HashMap<>();

  private static final class Entry<V> {
    final V value;

    /** The number of users; the entry is removed when it becomes 0. */
    int users;

    Entry(V value) {
      this.value = value;
    }
  }

  public UserCounts(Function<? super K, ? extends V> make) {
    this.make = make;
  }

  /** Adds a user of a key's value. Changes nothing if memory runs out. */
  public V hold(K key) {
    Entry<V> known = entries.get(key);
    Entry<V> entry = known == null ? added(key) : known;
    entry.users++;
    return entry.value;
  }

  private Entry<V> added(K key) {
    Entry<V> entry = new Entry<>(make.apply(key));
    try {
      entries.put(key, entry);
      return entry;
    } catch (OutOfMemoryError e) {
      entries.remove(key); // a map may have added the entry before it runs out of memory
      throw e;
    }
  }

  /** Removes a user of a key's value. Returns whether it was the last one. */
  public boolean release(K key) {
    if (--entries.get(key).users > 0) {
      return false;
    }
    entries.remove(key);
    return true;
  }

  /** Whether a key with users satisfies the condition. */
  public boolean anyKey(Predicate<K> such) {
    return entries.keySet().stream().anyMatch(such);
  }

  public int size() {
    return entries.size();
  }
}
