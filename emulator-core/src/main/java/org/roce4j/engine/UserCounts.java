package org.roce4j.engine;

import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What is made for a key by its first user and forgotten with its last. Changed by control verbs
 * only.
 */
public final class UserCounts<K, V> {
  private final Function<? super K, ? extends V> make;
  private final Map<K, Entry<V>> entries = new HashMap<>();

  private static final class Entry<V> {
    final V value;

    /** The number of users; it goes when there is none. */
    int users;

    Entry(V value) {
      this.value = value;
    }
  }

  public UserCounts(Function<? super K, ? extends V> make) {
    this.make = make;
  }

  /** One user more of what belongs to a key; changes nothing if memory runs out. */
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
      entries.remove(key); // a map takes an entry, and then may find no memory to grow
      throw e;
    }
  }

  /** One user less. Returns whether it was the last. */
  public boolean release(K key) {
    if (--entries.get(key).users > 0) {
      return false;
    }
    entries.remove(key);
    return true;
  }

  /** Whether a key that has users is such a one. */
  public boolean anyKey(Predicate<K> such) {
    return entries.keySet().stream().anyMatch(such);
  }

  public int size() {
    return entries.size();
  }
}
