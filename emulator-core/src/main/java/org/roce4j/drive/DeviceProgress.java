package org.roce4j.drive;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.roce4j.engine.Progress;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.Callback;

/**
 * Runs the engines of a device that has several. A verb owns all of them, taken in one order: so
 * what they share needs no lock. A thread that waits for more than one of them cannot block in
 * their sockets; it follows, and the background thread of each one leads.
 */
public final class DeviceProgress implements Progress, AutoCloseable {
  private final List<SocketProgress> engines;

  /**
   * @param engines in the order of the device's engines; any thread may drive their ports
   */
  public DeviceProgress(List<SocketProgress> engines) {
    this.engines = List.copyOf(engines);
    this.engines.forEach(engine -> engine.beside(this.engines));
  }

  /** Starts the background threads. */
  public void start() {
    engines.forEach(SocketProgress::start);
  }

  @Override
  public <T> T exclusively(Supplier<T> verb) {
    List<Runnable> later = new ArrayList<>();
    engines.forEach(SocketProgress::begin);
    try {
      return verb.get();
    } finally {
      engines.reversed().forEach(engine -> engine.end(later));
      later.forEach(Callback::run);
    }
  }

  @Override
  public void doorbell() {
    engines.forEach(SocketProgress::doorbell);
  }

  @Override
  public void advance() {
    for (int i = 0; i < engines.size(); i++) { // part of the data path: no iterator
      engines.get(i).advance();
    }
  }

  @Override
  public long nowNs() {
    return engines.getFirst().nowNs();
  }

  @Override
  public boolean await(BooleanSupplier condition, long timeoutNs) {
    if (condition.getAsBoolean()) {
      return true;
    }
    long start = nowNs();
    long spinUntil = start + SocketProgress.SPIN_NS;
    long deadline = Deadlines.after(start, timeoutNs);
    while (true) {
      advance();
      if (condition.getAsBoolean() || engines.getFirst().ended(this, condition)) {
        return true;
      }
      long now = nowNs();
      if (Deadlines.isDue(deadline, now)) {
        return false;
      }
      if (now - spinUntil < 0) {
        Thread.onSpinWait();
      } else {
        follow(condition, Deadlines.left(deadline, now));
      }
    }
  }

  private void follow(BooleanSupplier condition, long left) {
    Thread me = Thread.currentThread();
    engines.forEach(engine -> engine.followed(me));
    try {
      if (!condition.getAsBoolean()) {
        LockSupport.parkNanos(Math.min(left, engines.getFirst().followNs));
      }
    } finally {
      engines.forEach(engine -> engine.unfollowed(me));
    }
  }

  /** Stops every engine, as {@link SocketProgress#close} does. */
  @Override
  public void close() {
    engines.forEach(SocketProgress::close);
  }
}
