package org.roce4j.drive;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.roce4j.engine.Engine;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.Callback;

/**
 * Runs all engines of a device that has several. A verb owns all of them, taken in one order, so
 * shared state needs no lock. A thread that waits for more than one engine cannot block in all
 * their sockets: it depends on their background threads, which lead.
 */
final class EveryEngine extends BlockingProgress {
  /** By index. */
  private final List<AnyThreadDriver> drivers;

  EveryEngine(List<AnyThreadDriver> drivers) {
    this.drivers = drivers;
  }

  @Override
  public <T> T exclusively(Supplier<T> verb) {
    List<Runnable> later = new ArrayList<>();
    drivers.forEach(AnyThreadDriver::begin);
    try {
      return verb.get();
    } finally {
      drivers.reversed().forEach(driver -> driver.end(later));
      later.forEach(Callback::run);
    }
  }

  @Override
  public void doorbell() {
    drivers.forEach(AnyThreadDriver::doorbell);
  }

  @Override
  public void advance() {
    for (int i = 0; i < drivers.size(); i++) { // an iterator would be garbage on the data path
      drivers.get(i).advance();
    }
  }

  @Override
  public long nowNs() {
    return drivers.getFirst().nowNs();
  }

  @Override
  void block(BooleanSupplier condition, long deadlineNs) {
    depend(drivers, condition, deadlineNs);
  }

  /** Blocks while other threads lead each of these engines. May return early. */
  static void depend(List<AnyThreadDriver> on, BooleanSupplier condition, long deadlineNs) {
    on.forEach(driver -> driver.seat().depend());
    try {
      if (!condition.getAsBoolean()) {
        AnyThreadDriver first = on.getFirst();
        long left = Deadlines.left(deadlineNs, first.nowNs());
        LockSupport.parkNanos(Math.min(left, first.sleepNs()));
      }
    } finally {
      on.forEach(driver -> driver.seat().dependNoMore());
    }
  }

  @Override
  Engine engine() {
    return drivers.getFirst().engine();
  }

  @Override
  boolean isClosed() {
    return drivers.getFirst().isClosed();
  }
}
