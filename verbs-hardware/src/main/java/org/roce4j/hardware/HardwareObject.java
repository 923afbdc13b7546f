package org.roce4j.hardware;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.Libibverbs;
import org.roce4j.hardware.bindings.Refusal;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.UsedObject;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/** An object of a context: the address of its C structure, alive while inside its gate. */
abstract class HardwareObject implements AutoCloseable {
  final HardwareContext context;
  final Libibverbs library;
  final long address;
  final Gate gate = new Gate();

  /** Asynchronous events about it. */
  final EventDebt asyncEvents = new EventDebt();

  /** By the order in which the context's objects were made. */
  final long number;

  private final String name;
  private final int handle;

  /** What it was made with beside what it tells; null: nothing. */
  private HardwareObject alsoMadeWith;

  /**
   * @param name for people
   * @param handle the kernel's number
   */
  HardwareObject(HardwareContext context, long address, String name, int handle) {
    this.context = context;
    this.library = context.library();
    this.address = address;
    this.number = context.nextNumber();
    this.name = name;
    this.handle = handle;
  }

  public final int handle() {
    return handle;
  }

  public final long nativeHandle() {
    return address;
  }

  public final HardwareContext context() {
    return context;
  }

  @Override
  public String toString() {
    return Wording.of("%s %d on %s", name, handle, context.device().name());
  }

  /** Enters the gate; the caller leaves it. */
  final void enter() {
    if (!gate.enter()) {
      throw destroyed();
    }
  }

  /** Refuses what is asked after the destruction; for checks before the C object is needed. */
  final void requireNotDestroyed() {
    if (gate.isShut()) {
      throw destroyed();
    }
  }

  final VerbsException destroyed() {
    return new VerbsException(Errno.EINVAL, "this " + name + " was destroyed: make another");
  }

  /** Runs something for which the C object must exist. */
  final <T> T inside(Supplier<T> use) {
    enter();
    try {
      return use.get();
    } finally {
      gate.leave();
    }
  }

  /** Asks the library inside the gate, with memory for the arguments. */
  final <T> T ask(Function<Frame, T> function) {
    return inside(
        () -> {
          try (Frame frame = new Frame()) {
            return function.apply(frame);
          }
        });
  }

  /** Calls the library inside the gate, with memory for the arguments. */
  final void call(Consumer<Frame> function) {
    ask(
        frame -> {
          function.accept(frame);
          return null;
        });
  }

  /** The C function that destroys it. */
  abstract String destroyer();

  /** Destroys it: 0 or the errno. */
  abstract int destroy(Frame frame);

  /** Waits until its events are acknowledged. */
  void awaitAcknowledged() {
    asyncEvents.awaitNone();
  }

  /** Acknowledges on behalf of a program that closed the context with events outstanding. */
  void acknowledgeAll() {}

  /** What depends on its destruction. */
  void destroyedNow() {}

  @Override
  public final void close() {
    awaitAcknowledged();
    close(false);
  }

  /**
   * @param forced the context is being closed: a refusal does not matter, since the kernel cleans
   *     up
   */
  final void close(boolean forced) {
    if (!gate.shut()) {
      return;
    }
    if (forced) {
      acknowledgeAll();
    }
    int errno;
    try (Frame frame = new Frame()) {
      errno = destroy(frame);
    }
    if (errno != 0 && !forced) {
      gate.reopen();
      throw refusal(Refusal.of(destroyer(), errno));
    }
    destroyedNow();
    context.forget(this);
  }

  /** Names its users, as far as this wrapper knows them: the driver tells nothing. */
  private VerbsException refusal(VerbsException driver) {
    List<HardwareObject> users = context.matching(object -> object.uses(this));
    return users.isEmpty()
        ? new VerbsException(driver.errno(), this + ": " + driver.remedy())
        : new VerbsException(
            driver.errno(),
            destroyer() + ": " + UsedObject.words(this, users, user -> user.name),
            driver);
  }

  private boolean uses(HardwareObject other) {
    return alsoMadeWith == other || UsedObject.isMadeWith(this, other);
  }

  /** It was made with that object, too, which no interface tells. */
  final void alsoMadeWith(HardwareObject other) {
    alsoMadeWith = other;
  }
}
