package org.roce4j.emulator;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.roce4j.engine.device.Engine;
import org.roce4j.engine.device.Progress;
import org.roce4j.engine.time.DeadlineHeap;
import org.roce4j.fabric.Fabric;
import org.roce4j.fabric.Node;
import org.roce4j.port.DutyCycle;
import org.roce4j.port.Port;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * Makes an engine run on the fabric: a call that waits steps virtual time, a poll that finds
 * nothing steps it once. All devices of a fabric share one lock. When nothing is left to happen, a
 * wait fails ("would block for ever"), unless another thread has used the fabric and may still act.
 */
final class FabricProgress implements Progress, Node {
  private static final long OTHERS_MAY_ACT_NS = 2_000_000_000L;

  private final FabricDevices devices;
  private final Fabric fabric;
  private final Engine engine;
  private final Port port;
  private final DutyCycle cycle;
  private final ReentrantLock lock;
  private final Condition acted;
  private Thread firstUser;
  private boolean severalUsers;

  FabricProgress(FabricDevices devices, Fabric fabric, Engine engine, Port port) {
    this.devices = devices;
    this.fabric = fabric;
    this.engine = engine;
    this.port = port;
    cycle = new DutyCycle(engine, port);
    lock = devices.lock();
    acted = lock.newCondition();
  }

  // ---- Node

  @Override
  public void run(long nowNs) {
    cycle.run();
  }

  @Override
  public long nextDeadlineNs() {
    return engine.hasOutput()
        ? port.nowNs()
        : engine.nextTimeout() == DeadlineHeap.NEVER ? Long.MAX_VALUE : engine.nextTimeout();
  }

  // ---- Progress

  @Override
  public <T> T exclusively(Supplier<T> verb) {
    enter();
    try {
      cycle.flush();
      return verb.get();
    } finally {
      try {
        cycle.flush();
        fabric.poke(this);
      } finally {
        leave();
      }
    }
  }

  @Override
  public void doorbell() {
    enter();
    try {
      cycle.flush();
      fabric.poke(this);
    } finally {
      leave();
    }
  }

  @Override
  public void advance() {
    enter();
    try {
      if (cycle.run() == 0) {
        fabric.step();
      }
    } finally {
      leave();
    }
  }

  @Override
  public long nowNs() {
    lock.lock();
    try {
      return fabric.nowNs();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean await(BooleanSupplier condition, long timeoutNs) {
    enter();
    try {
      long deadline = timeoutNs == Long.MAX_VALUE ? Long.MAX_VALUE : fabric.nowNs() + timeoutNs;
      while (!condition.getAsBoolean()) {
        if (Thread.interrupted()) {
          throw new VerbsException(Errno.EINTR, "the waiting thread was interrupted");
        }
        boolean late = deadline != Long.MAX_VALUE && fabric.nextEventNs() > deadline;
        if (late) {
          if (fabric.nowNs() < deadline) {
            fabric.run(deadline - fabric.nowNs());
          }
          return condition.getAsBoolean();
        }
        if (!fabric.step() && !condition.getAsBoolean()) {
          waitForOthers();
        }
      }
      return true;
    } finally {
      leave();
    }
  }

  @SuppressWarnings("WaitNotInLoop") // the caller asks its condition again, in a loop
  private void waitForOthers() {
    if (severalUsers) {
      try {
        if (acted.awaitNanos(OTHERS_MAY_ACT_NS) > 0) {
          return;
        }
      } catch (InterruptedException e) {
        throw new VerbsException(Errno.EINTR, "the waiting thread was interrupted", e);
      }
    }
    throw new VerbsException(
        Errno.ETIMEDOUT,
        "this would block for ever: nothing is left to happen on the virtual network");
  }

  private void enter() {
    lock.lock();
    Thread me = Thread.currentThread();
    if (firstUser == null) {
      firstUser = me;
    } else if (firstUser != me) {
      severalUsers = true;
    }
    for (FabricProgress node : devices.nodes()) {
      severalUsers |= node.severalUsers || (node.firstUser != null && node.firstUser != me);
    }
  }

  /** Hooks of every device run after the lock is released: a step may have made any of them due. */
  private void leave() {
    List<Runnable> hooks = List.of();
    if (lock.getHoldCount() == 1) {
      for (FabricProgress node : devices.nodes()) {
        node.engine.takeEventful();
        List<Runnable> due = node.engine.takeHooks();
        if (!due.isEmpty()) {
          hooks = new ArrayList<>(hooks);
          hooks.addAll(due);
        }
        node.acted.signalAll();
      }
    }
    lock.unlock();
    hooks.forEach(Runnable::run);
  }
}
