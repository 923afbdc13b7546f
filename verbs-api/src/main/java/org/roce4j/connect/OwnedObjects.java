package org.roce4j.connect;

import java.util.ArrayDeque;
import java.util.Deque;

/** The objects that an end has created; closed in reverse order. Thread-safe. */
final class OwnedObjects implements AutoCloseable {
  private final Deque<AutoCloseable> objects = new ArrayDeque<>();

  private boolean closed;

  /** Adds an object. If this is closed already, closes the object and throws ENOTCONN. */
  synchronized <T extends AutoCloseable> T add(T object) {
    objects.push(object);
    if (closed) {
      close();
      throw Failures.alreadyClosed();
    }
    return object;
  }

  /** Closes every object, even if closing one throws; throws the first exception at the end. */
  @Override
  public synchronized void close() {
    closed = true;
    RuntimeException refused = null;
    while (!objects.isEmpty()) {
      try {
        objects.pop().close();
      } catch (RuntimeException e) {
        refused = first(refused, e);
      } catch (Exception e) {
        refused = first(refused, new IllegalStateException(e));
      }
    }
    if (refused != null) {
      throw refused;
    }
  }

  private static RuntimeException first(RuntimeException before, RuntimeException now) {
    if (before == null) {
      return now;
    }
    before.addSuppressed(now);
    return before;
  }
}
