package org.roce4j.drive;

import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** The course of a call that waits: it looks at once, then spins briefly, then blocks. */
abstract class BlockingProgress implements Progress {
  /** When the clock of {@link #nowNs} showed 0, in nanoseconds since 1970; 0: not asked yet. */
  private volatile long zeroNs;

  @Override
  public final long sinceEpochNs(long atNs) {
    if (zeroNs == 0) {
      Instant now = Instant.now();
      zeroNs = now.getEpochSecond() * 1_000_000_000L + now.getNano() - nowNs();
    }
    return zeroNs + atNs;
  }

  /**
   * How long a thread spins before it blocks: longer than four one-way trips between threads that
   * spin (2.4 us each), shorter than a wake-up (18 us).
   */
  static final long SPIN_NS = 10_000;

  /**
   * {@inheritDoc}
   *
   * <p>With a timeout of 0 or less the engine gets one chance to run, and nothing is thrown.
   */
  @Override
  public final boolean await(BooleanSupplier condition, long timeoutNs) {
    if (condition.getAsBoolean()) {
      return true;
    }
    if (timeoutNs <= 0) {
      advance();
      return condition.getAsBoolean();
    }
    return spinThenBlock(condition, timeoutNs);
  }

  /** What a call does that waits; {@code timeoutNs} is over 0. */
  boolean spinThenBlock(BooleanSupplier condition, long timeoutNs) {
    long now = nowNs();
    long deadlineNs = Deadlines.after(now, timeoutNs);
    long spinUntilNs = Deadlines.after(now, SPIN_NS);
    while (true) {
      advance();
      if (condition.getAsBoolean() || isOver(condition)) {
        return true;
      }
      now = nowNs();
      if (Deadlines.isDue(deadlineNs, now)) {
        return false;
      }
      if (Deadlines.isDue(spinUntilNs, now)) {
        block(condition, deadlineNs);
      } else {
        Thread.onSpinWait();
      }
    }
  }

  /**
   * Whether the condition holds after all when no more turn will come.
   *
   * @throws VerbsException EINTR, or ENODEV if it does not hold
   */
  private boolean isOver(BooleanSupplier condition) {
    if (Thread.interrupted()) {
      throw new VerbsException(Errno.EINTR, "the waiting thread was interrupted");
    }
    if (isClosed()) {
      throw new VerbsException(Errno.ENODEV, "the device was closed");
    }
    Engine engine = engine();
    if (engine.failure() == null) {
      return false;
    }
    exclusively(() -> {}); // the turn that failed has ended then, and all that it tells is there
    if (condition.getAsBoolean()) {
      return true;
    }
    engine.requireSound();
    return false;
  }

  /** Blocks until the condition holds or may hold, or the deadline is due; may return early. */
  abstract void block(BooleanSupplier condition, long deadlineNs);

  /** The engine, or one of them: a failure is the whole device's. */
  abstract Engine engine();

  /** Whether the device was closed: no thread waits any more. */
  abstract boolean isClosed();
}
