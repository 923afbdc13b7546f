package org.roce4j.engine;

import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.roce4j.engine.time.Deadlines;

/**
 * Makes an engine run. Every verb that changes its state, every poll that finds nothing and every
 * call that waits goes through here. On sockets the calling thread may run the engine; on the
 * fabric virtual time is stepped.
 */
public interface Progress {
  /** One {@link Idle} for every engine: it has no state. */
  Progress NONE = new Idle();

  /**
   * Drives nothing: a verb runs at once, and the caller, who plays network and clock, runs the
   * engine.
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

  /** Runs a control verb as the engine's owner, then whatever it caused to be sent. */
  <T> T exclusively(Supplier<T> verb);

  /** Runs a control verb as the engine's owner. */
  default void exclusively(Runnable verb) {
    exclusively(
        () -> {
          verb.run();
          return null;
        });
  }

  /** Work was published: have it sent soon. */
  void doorbell();

  /**
   * Work was published that may wait for more of its kind: have it sent when more has come, or
   * soon. To be called for the first since the engine has looked, and now and then.
   */
  default void hold() {
    doorbell();
  }

  /** Gives the engine a chance to run; returns at once if another thread runs it. */
  void advance();

  /** A call has looked for what an engine may deliver, without giving it a chance to run. */
  default void looked() {}

  /** The time that {@link #await} goes by, in nanoseconds from an arbitrary origin. */
  long nowNs();

  /**
   * A moment on the clock of {@link #nowNs} in nanoseconds since 1970. Virtual time counts from
   * there.
   */
  default long sinceEpochNs(long atNs) {
    return atNs;
  }

  /**
   * Waits until the condition holds.
   *
   * @param timeoutNs nanoseconds from now; {@link Deadlines#NEVER}: no limit
   * @return whether it held; another thread may have changed that since. False after the time
   * @throws org.roce4j.verbs.VerbsException EINTR if the thread is interrupted; ENODEV if the
   *     device fails or is closed; ETIMEDOUT, for a wait without limit on a virtual network, when
   *     nothing is left to happen there and no other thread can change that
   */
  boolean await(BooleanSupplier condition, long timeoutNs);
}
