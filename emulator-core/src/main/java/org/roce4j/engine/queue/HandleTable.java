package org.roce4j.engine.queue;

import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/**
 * Dense numbers for the objects of a device, from 1; freed numbers are reused. Looking up allocates
 * nothing and takes no lock; adding and removing do.
 *
 * @param <T> what the objects have in common
 */
public final class HandleTable<T> {
  private final AtomicReference<AtomicReferenceArray<T>> table = new AtomicReference<>();
  private final IntFunction<AtomicReferenceArray<T>> arrays;
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  private int next = 1;

  public HandleTable() {
    this(AtomicReferenceArray::new);
  }

  /**
   * @param arrays creates an array of a length, or throws OutOfMemoryError
   */
  public HandleTable(IntFunction<AtomicReferenceArray<T>> arrays) {
    this.arrays = arrays;
    table.set(arrays.apply(16));
  }

  /** Assigns a number to an object. Changes nothing if memory runs out. */
  public synchronized int add(T object) {
    boolean again = !free.isEmpty();
    int handle = again ? free.peek() : next;
    AtomicReferenceArray<T> current = table.get();
    if (handle >= current.length()) {
      AtomicReferenceArray<T> larger = arrays.apply(current.length() * 2);
      for (int i = 0; i < current.length(); i++) {
        larger.set(i, current.get(i));
      }
      table.set(larger);
      current = larger;
    }
    current.set(handle, object);
    if (again) {
      free.remove();
    } else {
      next++;
    }
    return handle;
  }

  public synchronized void remove(int handle) {
    table.get().set(handle, null);
    free.add(handle);
  }

  /** The object with a number, or null. */
  public T get(long handle) {
    AtomicReferenceArray<T> current = table.get();
    return handle <= 0 || handle >= current.length() ? null : current.get((int) handle);
  }

  /** The objects of a kind, in the order of their numbers. Takes no lock; for people. */
  public <K extends T> List<K> all(Class<K> kind) {
    AtomicReferenceArray<T> current = table.get();
    return IntStream.range(0, current.length())
        .mapToObj(current::get)
        .filter(kind::isInstance)
        .map(kind::cast)
        .toList();
  }
}
