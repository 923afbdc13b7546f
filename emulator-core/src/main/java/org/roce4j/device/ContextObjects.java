package org.roce4j.device;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.roce4j.engine.Engine;
import org.roce4j.engine.queue.EventQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.VerbsException;

/** What was made in a context and is not yet destroyed, and the context's asynchronous events. */
final class ContextObjects {
  private final Device device;
  private final Context context;
  private final EventQueue events = new EventQueue();
  private final EventQueue.Source portSource = new EventQueue.Source(this);
  private final Set<EmulatedObject> objects = new LinkedHashSet<>();
  private final StackTraceElement origin;
  private final Set<Runnable> farewells = ConcurrentHashMap.newKeySet();
  private boolean closed;

  /**
   * @param context what the application holds
   */
  ContextObjects(Device device, Context context) {
    this.device = device;
    this.context = context;
    origin = device.origin();
  }

  Device device() {
    return device;
  }

  /** What the application holds. */
  Context context() {
    return context;
  }

  EventQueue events() {
    return events;
  }

  boolean closed() {
    return closed;
  }

  /** Threads that wait in this device look at what they wait for again. */
  void wakeWaiting() {
    device.progress().exclusively(device::wakeWaiting);
  }

  /**
   * Makes an object whole or not at all.
   *
   * @param maker makes it and changes nothing else; the owner of all engines
   * @throws VerbsException ENOMEM if memory runs out
   */
  <T extends EmulatedObject> T create(Supplier<T> maker) {
    return device
        .progress()
        .exclusively(
            () -> {
              checkOpen();
              return withMemory(
                  () -> {
                    T object = maker.get();
                    add(object);
                    return object;
                  });
            });
  }

  private void add(EmulatedObject object) {
    boolean entered = false;
    try {
      object.number();
      objects.add(object);
      object.enter();
      entered = true;
    } finally {
      if (!entered) {
        objects.remove(object);
        object.unnumber();
      }
    }
  }

  /** Runs a verb that needs memory; there may be none. */
  static <T> T withMemory(Supplier<T> verb) {
    try {
      return verb.get();
    } catch (OutOfMemoryError e) {
      throw new VerbsException(
          Errno.ENOMEM,
          "memory ran out (%s): ask for less, close what is not needed, or raise -Xmx"
              .formatted(e.getMessage()),
          e);
    }
  }

  /** As {@link #withMemory(Supplier)}. */
  static void withMemory(Runnable verb) {
    withMemory(
        () -> {
          verb.run();
          return null;
        });
  }

  /** Runs before the objects are destroyed, as the owner of all engines; any thread. */
  void beforeClose(Runnable farewell) {
    farewells.add(farewell);
  }

  void beforeCloseNoMore(Runnable farewell) {
    farewells.remove(farewell);
  }

  void forget(EmulatedObject object) {
    objects.remove(object);
  }

  /** Raises an event of the port or of the whole device; the owner of that engine. */
  void raisePortEvent(Engine by, EventType type) {
    by.signals().event(events.raise(portSource, type));
  }

  /** This context and what is in it, as far as its origin is remembered; owner of all engines. */
  void addOrigins(Map<AutoCloseable, StackTraceElement> to) {
    if (origin != null) {
      to.put(context, origin);
    }
    for (EmulatedObject object : objects) {
      if (object.origin() != null) {
        to.put(object, object.origin());
      }
    }
  }

  private void checkOpen() {
    device.requireSound();
    checkNotClosed();
  }

  void checkNotClosed() {
    if (closed) {
      throw new VerbsException(Errno.ENODEV, "the context was closed: open the device again");
    }
  }

  /**
   * Destroys everything, the owner of all engines; false: that is done already. In one piece, so
   * that no other thread adds to what is being destroyed.
   */
  boolean close() {
    if (closed) {
      return false;
    }
    closed = true;
    farewells.forEach(Runnable::run);
    farewells.clear();
    List<EmulatedObject> left = new ArrayList<>(objects);
    left.sort(Comparator.comparing(EmulatedObject::kind));
    left.forEach(EmulatedObject::destroyOnce);
    device.forget(this);
    device.wakeWaiting(); // they find it closed
    return true;
  }
}
