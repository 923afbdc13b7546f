package org.roce4j.device;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.UsedObject;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/**
 * The common part of a context's handles: a number, and a close that destroys once. A constructor
 * changes nothing outside the object; {@link #enter} does, under {@link ContextObjects#create}. The
 * owner of all engines destroys an object; a refused destruction changes nothing.
 */
abstract class EmulatedObject implements AutoCloseable {
  final ContextObjects objects;
  final Device device;
  private final ObjectKind kind;
  private final StackTraceElement origin;
  private int handle;
  private boolean closed;

  EmulatedObject(ContextObjects objects, ObjectKind kind) {
    this.objects = objects;
    this.kind = kind;
    device = objects.device();
    origin = device.origin();
  }

  /** Assigns a number. Changes nothing if memory runs out. */
  final void number() {
    handle = device.handles().add(this);
  }

  /** Releases its number, if it has one. */
  final void unnumber() {
    if (handle != 0) {
      device.handles().remove(handle);
    }
  }

  /**
   * Registers the object with the objects that it uses, and counts it; {@link #destroy} undoes
   * that. Runs as the owner of all engines. Changes nothing if it is refused or memory runs out.
   */
  abstract void enter();

  final ObjectKind kind() {
    return kind;
  }

  /** The line of the program that created it; null if origins are not remembered. */
  final StackTraceElement origin() {
    return origin;
  }

  public final Context context() {
    return objects.context();
  }

  public final int handle() {
    return handle;
  }

  public final long nativeHandle() {
    return handle;
  }

  @Override
  public String toString() {
    return Wording.of("%s %d on %s", kind.label(), handle, device.identity().name());
  }

  /** Refuses with EBUSY or destroys the object. Runs as the owner of all engines. */
  abstract void destroy();

  /**
   * The condition for which close waits before it destroys: all delivered events are acknowledged.
   */
  BooleanSupplier settled() {
    return () -> true;
  }

  /** Whether {@link #close} was executed. */
  final boolean isClosed() {
    return closed;
  }

  /** Refuses a call after the object was destroyed or its device has failed. */
  final void requireOpen() {
    device.requireSound();
    requireNotDestroyed();
  }

  /** Refuses a call after the object was destroyed. */
  final void requireNotDestroyed() {
    if (closed) {
      throw new VerbsException(
          Errno.EINVAL,
          "this " + kind.label() + " was destroyed: make another, or destroy it later");
    }
  }

  /**
   * Runs a verb of the object as the owner of all engines.
   *
   * @throws VerbsException EINVAL after its destruction, ENODEV if its device has failed
   */
  final <T> T whileOpen(Supplier<T> verb) {
    return device
        .progress()
        .exclusively(
            () -> {
              requireOpen();
              return verb.get();
            });
  }

  /** As {@link #whileOpen(Supplier)}. */
  final void whileOpen(Runnable verb) {
    whileOpen(
        () -> {
          verb.run();
          return null;
        });
  }

  @Override
  public final void close() {
    if (closed) {
      return;
    }
    refuseEarly();
    BooleanSupplier settled = settled();
    if (!settled.getAsBoolean()) {
      awaitSettled(settled);
    }
    device.progress().exclusively(this::destroyOnce);
  }

  private void awaitSettled(BooleanSupplier settled) {
    WaitingThreads.enter("close", this);
    try {
      device
          .progress()
          .await(
              () -> closed || device.failure().get() != null || settled.getAsBoolean(),
              Deadlines.NEVER);
    } finally {
      WaitingThreads.leave();
    }
  }

  /** Refuses the close of a used object before the close waits for events. */
  void refuseEarly() {
    if (isUsed()) {
      device.progress().exclusively(this::checkDestroyable);
    }
  }

  /**
   * Destroys as the owner of all engines, who cannot take them again: for {@link #destroy}, and
   * inside {@link #whileOpen(Runnable)}.
   *
   * @throws VerbsException EBUSY, naming its users
   */
  final void checkDestroyable() {
    if (isUsed()) {
      throw new VerbsException(
          Errno.EBUSY,
          UsedObject.words(this, objects.matching(o -> o.uses(this)), user -> user.kind.label()));
    }
  }

  /** Whether another object uses it. Each kind counts its users, so that no search is needed. */
  boolean isUsed() {
    return false;
  }

  /** Whether it uses the other object; agrees with the other object's count. */
  boolean uses(EmulatedObject other) {
    return UsedObject.isMadeWith(this, other);
  }

  /** Destroys the object even if events are not acknowledged. For the owner of all engines. */
  final void destroyOnce() {
    if (!closed) {
      destroy();
      closed = true;
      device.wakeWaiting(); // waiting threads find it closed
      unnumber();
      objects.forget(this);
    }
  }
}
