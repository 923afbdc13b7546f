package org.roce4j.drive;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.roce4j.engine.Engine;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.port.Port;

/**
 * Runs an engine on a port that one thread alone may drive, as Netty's: the background thread,
 * which spins briefly after work and then blocks in the port. Other threads publish work, read
 * rings, hand over verbs, and sleep until the background thread wakes them.
 */
public final class LoopThreadDriver extends EngineDriver {
  /** How often a thread looks whether its verb was carried out. */
  private static final long VERB_LOOK_NS = 50_000;

  /** Verbs that wait for the background thread. */
  private final DriverCommands commands = new DriverCommands();

  /** Threads that wait for an event, asleep or about to be. */
  private final ConcurrentLinkedQueue<Thread> waiting = new ConcurrentLinkedQueue<>();

  /** Whether the background thread blocks in the port, or is about to: work must wake it. */
  private final AtomicBoolean asleep = new AtomicBoolean();

  LoopThreadDriver(String name, Engine engine, Port port, long lookInNs) {
    super(name, engine, port, lookInNs);
  }

  // ---- other threads

  @Override
  public <T> T exclusively(Supplier<T> verb) {
    if (Thread.currentThread() != background() && background().isAlive()) {
      return onBackground(verb);
    }
    take();
    cycle.flush();
    try {
      return verb.get();
    } finally {
      giveBack();
    }
  }

  /** Has the background thread carry out a verb, and waits for it. */
  private <T> T onBackground(Supplier<T> verb) {
    CompletableFuture<T> result = commands.add(verb);
    port.wakeup();
    Whereabouts mine = Whereabouts.mine();
    Place before = mine.enter(Place.ON_ITS_WAY);
    try {
      while (!result.isDone()) {
        if (!background().isAlive()) {
          take();
          commands.run();
          giveBack();
        }
        LockSupport.parkNanos(VERB_LOOK_NS);
      }
    } finally {
      mine.leave(before);
    }
    return DriverCommands.resultOf(result);
  }

  /** After a verb: what it has caused is sent, while the port has a thread. */
  private void giveBack() {
    if (background().isAlive()) {
      cycle.flush();
    }
    release();
  }

  @Override
  public void doorbell() {
    if (asleep.get()) {
      port.wakeup();
    }
  }

  @Override
  public void advance() {
    Whereabouts.pollsSockets();
    Whereabouts.giveWay(Place.SOCKETS); // the background thread needs a processor
  }

  @Override
  void block(BooleanSupplier condition, long deadlineNs) {
    Thread me = Thread.currentThread();
    waiting.add(me);
    try {
      if (!condition.getAsBoolean()) {
        LockSupport.parkNanos(Math.min(Deadlines.left(deadlineNs, port.nowNs()), sleepNs()));
      }
    } finally {
      waiting.remove(me);
    }
  }

  boolean hasWaiting() {
    return !waiting.isEmpty();
  }

  @Override
  void wakeWaiting() {
    if (hasWaiting()) { // an iterator per event would be garbage
      waiting.forEach(LockSupport::unpark);
    }
  }

  /** The background thread itself sets the timers. */
  @Override
  void wakeForTimer(long nextNs, boolean unsent) {}

  /** Such a port carries one engine. */
  @Override
  void runNeighbours(int recipients) {
    assert recipients == 0 : "a port with a thread of its own carries one engine";
  }

  // ---- the background thread

  @Override
  void serve() {
    port.adopt();
    long spinUntilNs = port.nowNs();
    while (!isClosed()) {
      if (!engine.tryTakeOrMark()) {
        Thread.onSpinWait();
        continue;
      }
      int received = turn();
      // Asked after release, whose hooks may have posted; no other thread takes this engine.
      boolean worked = received > 0 || engine.hasOutput();
      long nextNs = engine.nextTimeout();
      long now = port.nowNs();
      if (worked) {
        spinUntilNs = now + SPIN_NS;
      } else if (Deadlines.isDue(spinUntilNs, now)) {
        sleep(nextNs, now);
      }
    }
    take();
    commands.run();
    cycle.flush();
    release();
    port.close();
  }

  private int turn() {
    if (!commands.isEmpty()) {
      cycle.flush(); // what is due leaves before a verb changes anything
      commands.run();
    }
    int received = cycle.run();
    release();
    return received;
  }

  private void sleep(long nextNs, long now) {
    asleep.set(true);
    if (!Deadlines.isDue(nextNs, now) && !engine.isRung() && commands.isEmpty()) {
      port.await(Deadlines.left(nextNs, now));
    }
    asleep.set(false);
  }

  // ---- the end

  /** The background thread sends it when it ends. */
  @Override
  void sendLast(long limitNs) {}

  /** The background thread closes the port itself. */
  @Override
  boolean mayClosePort() {
    return !background().isAlive();
  }
}
