package org.roce4j.emulator;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.roce4j.engine.Progress;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.fabric.Fabric;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * Makes engines of a device run on the fabric, one or all of them: a call that waits steps virtual
 * time, a poll that finds nothing steps it once. When nothing is left to happen, a wait without
 * limit lasts until another thread acts, and fails ("would block for ever") where none is left.
 */
final class FabricProgress implements Progress {
  /** The network, whose virtual time a call that waits steps. */
  private final Fabric fabric;

  /** Held while an engine runs or the network is stepped. */
  private final FabricLock lock;

  /** The engines that run: one of the device's, or all. */
  private final List<FabricEngine> engines;

  FabricProgress(Fabric fabric, FabricLock lock, List<FabricEngine> engines) {
    this.fabric = fabric;
    this.lock = lock;
    this.engines = engines;
  }

  @Override
  public <T> T exclusively(Supplier<T> verb) {
    lock.enter();
    try {
      flush();
      return verb.get();
    } finally {
      try {
        flush();
      } finally {
        lock.leave();
      }
    }
  }

  @Override
  public void doorbell() {
    lock.enter();
    try {
      flush();
    } finally {
      lock.leave();
    }
  }

  private void flush() {
    engines.forEach(FabricEngine::flush);
  }

  @Override
  public void advance() {
    lock.enter();
    try {
      int received = 0;
      for (FabricEngine engine : engines) {
        received += engine.turn();
      }
      if (received == 0) {
        fabric.step();
      }
    } finally {
      lock.leave();
    }
  }

  @Override
  public long nowNs() {
    lock.hold();
    try {
      return fabric.nowNs();
    } finally {
      lock.release();
    }
  }

  @Override
  public boolean await(BooleanSupplier condition, long timeoutNs) {
    lock.enter();
    try {
      long deadline = Deadlines.after(fabric.nowNs(), timeoutNs);
      while (!condition.getAsBoolean()) {
        if (Thread.interrupted()) {
          throw new VerbsException(Errno.EINTR, "the waiting thread was interrupted");
        }
        if (Deadlines.isBefore(deadline, fabric.nextEventNs())) {
          if (!Deadlines.isDue(deadline, fabric.nowNs())) {
            fabric.run(Deadlines.left(deadline, fabric.nowNs()));
          }
          return condition.getAsBoolean();
        }
        if (fabric.step()) {
          lock.happened();
        } else if (!condition.getAsBoolean()) {
          waitForOthers();
        }
      }
      return true;
    } finally {
      lock.leave();
    }
  }

  private void waitForOthers() {
    try {
      lock.awaitOthers();
    } catch (InterruptedException e) {
      throw new VerbsException(Errno.EINTR, "the waiting thread was interrupted", e);
    }
  }
}
