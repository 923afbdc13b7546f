package org.roce4j.engine;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.roce4j.engine.time.Deadlines;

/**
 * Makes engines run. Every verb that changes an engine's state, every poll that finds nothing and
 * every call that waits goes through this interface. On sockets the calling thread may run the
 * engine; on a virtual network time is stepped.
 */
public interface Progress {
  /** An {@link Idle} for every engine; it has no state. */
  Progress NONE = new Idle();

  /**
   * Runs no engine: a verb runs at once, and the caller, which plays network and clock, runs the
   * engine itself.
   */
  class Idle implements Progress {
    @Override
    public <T> T exclusively(Supplier<T> verb) {
      return verb.get();
    }

    @Override
    public void doorbell() {}

    @Override
    public void advance() {}

    @Override
    public long nowNs() {
      return 0;
    }

    @Override
    public boolean await(BooleanSupplier condition, long timeoutNs) {
      return condition.getAsBoolean();
    }
  }

  /** Runs a control verb as the engine's owner, then sends the packets that it caused. */
  <T> T exclusively(Supplier<T> verb);

  /** Runs a control verb as the engine's owner. */
  default void exclusively(Runnable verb) {
    exclusively(
        () -> {
          verb.run();
          return null;
        });
  }

  /** Work was published: the engine must send it soon. */
  void doorbell();

  /**
   * A request was published that may wait for later ones: the engine sends it with them, or soon.
   * Called for the first request that waits, and for some of the others.
   */
  default void hold() {
    doorbell();
  }

  /** Gives the engine a chance to run; returns at once if another thread runs it. */
  void advance();

  /** A call has looked for a result of an engine without giving the engine a chance to run. */
  default void looked() {}

  /** The clock of {@link #await}, in nanoseconds from an arbitrary origin. */
  long nowNs();

  /**
   * Converts a moment on the clock of {@link #nowNs} to nanoseconds since 1970. Virtual time begins
   * in 1970.
   */
  default long sinceEpochNs(long atNs) {
    return atNs;
  }

  /**
   * Waits until the condition holds.
   *
   * @param timeoutNs nanoseconds from now; {@link Deadlines#NEVER}: no limit
   * @return true if the condition held, which another thread may have changed since; false after
   *     the timeout
   * @throws org.roce4j.verbs.VerbsException EINTR if the thread is interrupted; ENODEV if the
   *     device fails or is closed; ETIMEDOUT for a wait without limit on a virtual network, when no
   *     event is left and no other thread can cause one
   */
  boolean await(BooleanSupplier condition, long timeoutNs);
}
