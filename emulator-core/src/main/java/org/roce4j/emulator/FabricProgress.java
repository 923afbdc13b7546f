package org.roce4j.emulator;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.roce4j.emulator.FabricThread.Phase;
import org.roce4j.engine.Progress;
import org.roce4j.fabric.Fabric;

/**
 * Makes engines of a device run on the fabric, one or all of them: a call that waits steps virtual
 * time, a poll that finds nothing steps it once, as far as {@link FabricTime} allows.
 */
final class FabricProgress implements Progress {
  /** How long a virtual thread sleeps after a poll in vain, at least. */
  private static final int NAP_NS = 10_000;

  private final Fabric fabric;

  /** Held while an engine runs or the network is stepped. */
  private final FabricLock lock;

  /** Steps the network. */
  private final FabricTime time;

  /** The engines that run: one of the device's, or all. */
  private final List<FabricEngine> engines;

  FabricProgress(Fabric fabric, FabricLock lock, FabricTime time, List<FabricEngine> engines) {
    this.fabric = fabric;
    this.lock = lock;
    this.time = time;
    this.engines = engines;
  }

  @Override
  public <T> T exclusively(Supplier<T> verb) {
    FabricThread me = lock.enter(Phase.ACTING);
    try {
      flush();
      return verb.get();
    } finally {
      finish(me);
    }
  }

  @Override
  public void doorbell() {
    finish(lock.enter(Phase.ACTING));
  }

  private void finish(FabricThread me) {
    try {
      flush();
    } finally {
      time.acted();
      lock.leave(me);
    }
  }

  private void flush() {
    engines.forEach(FabricEngine::flush);
  }

  @Override
  public void advance() {
    if (!lock.isFree()) {
      letOthersRun(); // one of them makes engines run
      return;
    }
    FabricThread me = lock.enter(Phase.LOOKING);
    boolean happened = true;
    try {
      int received = 0;
      for (FabricEngine engine : engines) {
        received += engine.turn();
      }
      if (received == 0) {
        happened = time.pollInVain(me);
      } else {
        time.happened();
      }
    } finally {
      lock.leave(me);
    }
    if (!happened) {
      letOthersRun();
    }
  }

  /**
   * A virtual thread sleeps, also one that was interrupted: one that yields is often run again at
   * once, by a carrier that looks for no other thread, also for none that it waits for.
   */
  private static void letOthersRun() {
    Thread me = Thread.currentThread();
    if (!me.isVirtual()) {
      Thread.yield();
      return;
    }
    boolean interrupted = Thread.interrupted();
    try {
      Thread.sleep(0, NAP_NS); // an interrupt leaves a permit, by which a park would end at once
    } catch (InterruptedException e) {
      interrupted = true;
    }
    if (interrupted) {
      me.interrupt();
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
    FabricThread me = lock.enter(timeoutNs <= 0 ? Phase.LOOKING : Phase.ACTING);
    try {
      return time.await(me, condition, timeoutNs);
    } finally {
      lock.leave(me);
    }
  }
}
