package org.roce4j.device;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.roce4j.engine.Engine;
import org.roce4j.engine.queue.EventQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/** The objects of a context that are not yet destroyed, and the context's asynchronous events. */
final class ContextObjects {
  private final Device device;
  private final Context context;
  private final EventQueue events = new EventQueue();
  private final EventQueue.Source deviceSource = EventQueue.Source.ofPort(0);
  private final List<EventQueue.Source> portSources;
  private final Set<EmulatedObject> objects = new LinkedHashSet<>();
  private final StackTraceElement origin;

  /** The objects of the connection manager, if origins are remembered. Guarded by itself. */
  private final Map<AutoCloseable, StackTraceElement> managed = new LinkedHashMap<>();

  /**
   * The actions before the context closes, in their order, so that the packets that they send are
   * repeatable. Guarded by itself.
   */
  private final Set<Runnable> farewells = new LinkedHashSet<>();

  private volatile boolean closed;

  /**
   * @param context the application's handle
   */
  ContextObjects(Device device, Context context) {
    this.device = device;
    this.context = context;
    origin = device.origin();
    portSources =
        IntStream.rangeClosed(1, device.ports()).mapToObj(EventQueue.Source::ofPort).toList();
  }

  Device device() {
    return device;
  }

  /** The application's handle. */
  Context context() {
    return context;
  }

  EventQueue events() {
    return events;
  }

  boolean closed() {
    return closed;
  }

  /** Makes threads that wait in this device check their conditions again. */
  void wakeWaiting() {
    device.progress().exclusively(device::wakeWaiting);
  }

  /**
   * Creates an object completely or not at all.
   *
   * @param maker creates it and changes nothing else; runs as the owner of all engines
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

  /** Runs a verb that allocates. If memory runs out, it fails with ENOMEM. */
  static <T> T withMemory(Supplier<T> verb) {
    try {
      return verb.get();
    } catch (OutOfMemoryError e) {
      throw new VerbsException(
          Errno.ENOMEM,
          Wording.of(
              "memory ran out (%s): ask for less, close what is not needed, or raise -Xmx",
              e.getMessage()),
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

  /**
   * Registers an action that runs before the objects are destroyed, as the owner of all engines.
   * Any thread may call this.
   */
  void beforeClose(Runnable farewell) {
    synchronized (farewells) {
      farewells.add(farewell);
    }
  }

  void beforeCloseNoMore(Runnable farewell) {
    synchronized (farewells) {
      farewells.remove(farewell);
    }
  }

  void forget(EmulatedObject object) {
    objects.remove(object);
  }

  /** The objects that satisfy a condition. For the owner of all engines. */
  List<EmulatedObject> matching(Predicate<EmulatedObject> condition) {
    return objects.stream().filter(condition).toList();
  }

  /** Remembers where an object of the connection manager is created. Any thread may call this. */
  void remember(AutoCloseable object) {
    StackTraceElement line = device.origin();
    if (line != null) {
      synchronized (managed) {
        managed.put(object, line);
      }
    }
  }

  void forget(AutoCloseable object) {
    synchronized (managed) {
      managed.remove(object);
    }
  }

  /** Raises an event of a port. For the owner of engine {@code by}. */
  void raisePortEvent(Engine by, EventType type, int port) {
    by.signals().event(events.raise(portSources.get(port - 1), type));
  }

  /** Raises DEVICE_FATAL. For the owner of engine {@code by}. */
  void raiseFatal(Engine by) {
    by.signals().event(events.raise(deviceSource, EventType.DEVICE_FATAL));
  }

  /** Adds this context and its objects with a remembered origin. For the owner of all engines. */
  void addOrigins(Map<AutoCloseable, StackTraceElement> to) {
    if (origin != null) {
      to.put(context, origin);
    }
    for (EmulatedObject object : objects) {
      if (object.origin() != null) {
        to.put(object, object.origin());
      }
    }
    synchronized (managed) {
      to.putAll(managed);
    }
  }

  private void checkOpen() {
    device.requireSound();
    checkNotClosed();
  }

  void checkNotClosed() {
    if (closed) {
      throw Errno.ENODEV.refusal("the context was closed: open the device again");
    }
  }

  private void sayFarewell() {
    List<Runnable> all;
    synchronized (farewells) {
      all = List.copyOf(farewells);
      farewells.clear();
    }
    all.forEach(Runnable::run);
  }

  /**
   * Destroys everything; false if that was done before. The owner of all engines does it in one
   * verb, so that no other thread adds objects meanwhile.
   */
  boolean close() {
    if (closed) {
      return false;
    }
    closed = true;
    sayFarewell();
    List<EmulatedObject> left = new ArrayList<>(objects);
    left.sort(Comparator.comparing(EmulatedObject::kind));
    left.forEach(EmulatedObject::destroyOnce);
    device.forget(this);
    device.wakeWaiting(); // waiting threads find it closed
    return true;
  }
}
