package org.roce4j.drive;

import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.PoolWorker;
import org.roce4j.verbs.VerbsException;

/** The steps of a waiting call: it checks the condition, then spins briefly, then blocks. */
abstract class BlockingProgress implements Progress {
  /**
   * The time at which the clock of {@link #nowNs} showed 0, in nanoseconds since 1970; 0: not
   * computed yet.
   */
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
   * The time for which a thread spins before it blocks: more than four one-way trips between
   * spinning threads (2.4 us each), less than a wake-up (18 us).
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

  /** Waits with a timeout greater than 0. */
  boolean spinThenBlock(BooleanSupplier condition, long timeoutNs) {
    long now = nowNs();
    long deadlineNs = Deadlines.after(now, timeoutNs);
    long spinUntilNs = Deadlines.after(now, SPIN_NS);
    while (!Deadlines.isDue(spinUntilNs, now)) {
      advance();
      if (isOver(condition)) {
        return true;
      }
      now = nowNs();
      if (Deadlines.isDue(deadlineNs, now)) {
        return false;
      }
      Thread.onSpinWait();
    }
    Whereabouts mine = Whereabouts.mine();
    WaitingPlace before = mine.enter(WaitingPlace.SOCKETS);
    try {
      return PoolWorker.isCaller()
          ? PoolWorker.await(() -> blockUntil(condition, deadlineNs))
          : blockUntil(condition, deadlineNs);
    } finally {
      mine.leave(before);
    }
  }

  private boolean blockUntil(BooleanSupplier condition, long deadlineNs) {
    while (true) {
      block(condition, deadlineNs);
      advance();
      if (isOver(condition)) {
        return true;
      }
      if (Deadlines.isDue(deadlineNs, nowNs())) {
        return false;
      }
    }
  }

  /**
   * Whether the condition holds; checked for the last time when the device is closed or has failed.
   * An interruption comes first: what comes after a task was cancelled is for the next one.
   *
   * @throws VerbsException EINTR, or ENODEV if it does not hold
   */
  private boolean isOver(BooleanSupplier condition) {
    if (Thread.currentThread().isInterrupted()) {
      throw VerbsException.interrupted();
    }
    if (condition.getAsBoolean()) {
      return true;
    }
    if (isClosed()) {
      throw Errno.ENODEV.refusal("the device was closed");
    }
    Engine engine = engine();
    if (engine.failure() == null) {
      return false;
    }
    exclusively(() -> {}); // afterwards the failed turn has ended, and all its events are delivered
    if (condition.getAsBoolean()) {
      return true;
    }
    engine.requireSound();
    return false;
  }

  /** Blocks until the condition may hold or the deadline is due. May return early. */
  abstract void block(BooleanSupplier condition, long deadlineNs);

  /** The engine, or one of several: a failure concerns the whole device. */
  abstract Engine engine();

  /** Whether the device was closed, so that no thread may wait. */
  abstract boolean isClosed();
}
