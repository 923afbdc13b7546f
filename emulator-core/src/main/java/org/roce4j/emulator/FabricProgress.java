package org.roce4j.emulator;

import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.roce4j.drive.WaitingPlace;
import org.roce4j.drive.Whereabouts;
import org.roce4j.emulator.FabricThread.Phase;
import org.roce4j.engine.Progress;
import org.roce4j.fabric.Fabric;
import org.roce4j.verbs.PoolWorker;

/**
 * Runs one or all engines of a device on the fabric. A call that waits steps virtual time, and a
 * poll that finds nothing steps it once, as far as {@link FabricTime} allows.
 */
final class FabricProgress implements Progress {
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
    long carried = fabric.counts().carried();
    try {
      flush();
      return verb.get();
    } finally {
      finish(me, carried);
      looked();
    }
  }

  @Override
  public void doorbell() {
    FabricThread me = lock.enter(Phase.ACTING);
    time.sends(me);
    finish(me, fabric.counts().carried());
  }

  @Override
  public void hold() {
    FabricThread me = lock.enter(Phase.ACTING);
    try {
      time.sends(me);
      engines.forEach(FabricEngine::hold);
    } finally {
      time.acted();
      lock.leave(me);
    }
  }

  /**
   * @param carried number of datagrams that the network had carried when the call began; a call
   *     that sends does not count as a repeated look for a change
   */
  private void finish(FabricThread me, long carried) {
    try {
      flush();
    } finally {
      if (fabric.counts().carried() != carried) {
        me.actsOnNetwork();
      }
      time.acted();
      lock.leave(me);
    }
  }

  @Override
  public void looked() {
    FabricThread me = lock.caller(); // null: it only observes the device
    if (me != null && me.calledAgain()) {
      lock.enter(Phase.LOOKING);
      try {
        time.stepFor(me);
      } finally {
        lock.leave(me);
      }
    }
  }

  private void flush() {
    engines.forEach(FabricEngine::flush);
  }

  @Override
  public void advance() {
    Whereabouts caller = Whereabouts.mine();
    WaitingPlace place = time.polls(caller);
    try {
      if (!lock.isFree() || !turn()) {
        lock.letOthersRun(); // there is no engine thread in the background
      }
    } finally {
      caller.leave(place);
    }
  }

  /** Gives the engines a turn each; returns whether anything happened. */
  private boolean turn() {
    FabricThread me = lock.enter(Phase.LOOKING);
    try {
      me.actsOnNetwork();
      int received = 0;
      for (FabricEngine engine : engines) {
        received += engine.turn();
      }
      if (received == 0) {
        return time.pollInVain(me);
      }
      time.happened();
      return true;
    } finally {
      lock.leave(me);
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
    return timeoutNs > 0 && PoolWorker.isCaller()
        ? PoolWorker.await(() -> awaitHere(condition, timeoutNs))
        : awaitHere(condition, timeoutNs);
  }

  private boolean awaitHere(BooleanSupplier condition, long timeoutNs) {
    FabricThread me = lock.enter(timeoutNs <= 0 ? Phase.LOOKING : Phase.ACTING);
    try {
      if (timeoutNs > 0) {
        me.actsOnNetwork();
      }
      engines.forEach(FabricEngine::letGo);
      return time.await(me, condition, timeoutNs);
    } finally {
      lock.leave(me);
    }
  }
}
