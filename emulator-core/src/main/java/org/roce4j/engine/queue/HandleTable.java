package org.roce4j.engine.queue;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Dense numbers for the objects of a device, from 1 on; a freed number is used again. Looking up
 * allocates nothing and takes no lock; adding and removing do.
 */
public final class HandleTable {
  private final AtomicReference<AtomicReferenceArray<Object>> table =
      new AtomicReference<>(new AtomicReferenceArray<>(16));
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  private int next = 1;

  public synchronized int add(Object object) {
    int handle = free.isEmpty() ? next++ : free.poll();
    AtomicReferenceArray<Object> current = table.get();
    if (handle >= current.length()) {
      AtomicReferenceArray<Object> larger = new AtomicReferenceArray<>(current.length() * 2);
      for (int i = 0; i < current.length(); i++) {
        larger.set(i, current.get(i));
      }
      table.set(larger);
      current = larger;
    }
    current.set(handle, object);
    return handle;
  }

  public synchronized void remove(int handle) {
    table.get().set(handle, null);
    free.add(handle);
  }

  /** The object of that number, or null. */
  public Object get(long handle) {
    AtomicReferenceArray<Object> current = table.get();
    return handle <= 0 || handle >= current.length() ? null : current.get((int) handle);
  }
}
