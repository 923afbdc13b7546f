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
  /** The kinds of objects of a context. */
  enum Kind {
    ADDRESS_HANDLE("address handle", "ibv_destroy_ah"),
    COMPLETION_CHANNEL("completion channel", "ibv_destroy_comp_channel"),
    COMPLETION_QUEUE("completion queue", "ibv_destroy_cq"),
    DEVICE_MEMORY("device memory", "ibv_free_dm"),
    MEMORY_REGION("memory region", "ibv_dereg_mr"),
    MEMORY_WINDOW("memory window", "ibv_dealloc_mw"),
    PARENT_DOMAIN("parent domain", "ibv_dealloc_pd"),
    PROTECTION_DOMAIN("protection domain", "ibv_dealloc_pd"),
    QUEUE_PAIR("queue pair", "ibv_destroy_qp"),
    SHARED_RECEIVE_QUEUE("shared receive queue", "ibv_destroy_srq"),
    THREAD_DOMAIN("thread domain", "ibv_dealloc_td"),
    XRC_DOMAIN("XRC domain", "ibv_close_xrcd");

    private final String words;
    private final String destroyer;

    /**
     * @param words its name for people
     * @param destroyer the C function that destroys it
     */
    Kind(String words, String destroyer) {
      this.words = words;
      this.destroyer = destroyer;
    }
  }

  final HardwareContext context;
  final Libibverbs library;
  final long address;
  final Gate gate = new Gate();

  /** Asynchronous events about it. */
  final EventDebt asyncEvents = new EventDebt();

  /** By the order in which the context's objects were made. */
  final long number;

  private final Kind kind;
  private final int handle;

  /** An object that it uses and that no interface reports; null: none. */
  private HardwareObject alsoMadeWith;

  /**
   * @param handle the kernel's number
   */
  HardwareObject(HardwareContext context, long address, Kind kind, int handle) {
    this.context = context;
    this.library = context.library();
    this.address = address;
    this.number = context.nextNumber();
    this.kind = kind;
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
    return Wording.of("%s %d on %s", kind.words, handle, context.device().name());
  }

  /** Enters the gate; the caller leaves it. */
  final void enter() {
    if (!gate.enter()) {
      throw destroyed();
    }
  }

  /** Refuses a call after the destruction, for checks before the C object is needed. */
  final void requireNotDestroyed() {
    if (gate.isShut()) {
      throw destroyed();
    }
  }

  final VerbsException destroyed() {
    return new VerbsException(Errno.EINVAL, "this " + kind.words + " was destroyed: make another");
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
  final String destroyer() {
    return kind.destroyer;
  }

  /** Destroys it: 0 or the errno. */
  abstract int destroy(Frame frame);

  /** Waits until its events are acknowledged. */
  void awaitAcknowledged() {
    asyncEvents.awaitNone();
  }

  /** Acknowledges on behalf of a program that closed the context with events outstanding. */
  void acknowledgeAll() {}

  /** Actions that depend on its destruction. */
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

  /** Names its users, as far as this wrapper knows them: the driver does not report them. */
  private VerbsException refusal(VerbsException driver) {
    List<HardwareObject> users = context.matching(object -> object.uses(this));
    return users.isEmpty()
        ? new VerbsException(driver.errno(), this + ": " + driver.remedy())
        : new VerbsException(
            driver.errno(),
            destroyer() + ": " + UsedObject.words(this, users, user -> user.kind.words),
            driver);
  }

  private boolean uses(HardwareObject other) {
    return alsoMadeWith == other || UsedObject.isMadeWith(this, other);
  }

  /** Whether it also uses that object, which no interface reports. */
  final void alsoMadeWith(HardwareObject other) {
    alsoMadeWith = other;
  }
}
