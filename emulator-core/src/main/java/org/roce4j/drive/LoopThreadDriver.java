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
 * Runs an engine on a port that only one thread may drive, such as Netty's. That is the background
 * thread, which spins briefly after work and then blocks in the port. Other threads publish work,
 * read rings, pass verbs to it, and sleep until it wakes them.
 */
public final class LoopThreadDriver extends EngineDriver {
  /** The interval at which a thread checks whether its verb was executed. */
  private static final long VERB_LOOK_NS = 50_000;

  /** The verbs that wait for the background thread. */
  private final DriverCommands commands = new DriverCommands();

  /** The threads that wait for an event, which sleep or are about to. */
  private final ConcurrentLinkedQueue<Thread> waiting = new ConcurrentLinkedQueue<>();

  /**
   * Whether the background thread blocks in the port, or is about to, so that work must wake it.
   */
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

  /** Passes a verb to the background thread and waits for its result. */
  private <T> T onBackground(Supplier<T> verb) {
    CompletableFuture<T> result = commands.add(verb);
    port.wakeup();
    Whereabouts mine = Whereabouts.mine();
    WaitingPlace before = mine.enter(WaitingPlace.ON_ITS_WAY);
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

  /** Sends the packets that a verb has caused, while the port still has its thread. */
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
    Whereabouts.giveWay(WaitingPlace.SOCKETS); // the background thread may need this processor
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

  /** Only the background thread sets timers, so there is no thread to wake. */
  @Override
  boolean maySleepInPort() {
    return false;
  }

  @Override
  void wakeForTimer(long nextNs, boolean unsent) {}

  /** Such a port has one engine. */
  @Override
  void runNeighbours(int recipients) {
    assert recipients == 0 : "a port with a thread of its own carries one engine";
  }

  // ---- for the background thread

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
      // Asked after the release, because hooks may have posted. No other thread takes this engine.
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
      cycle.flush(); // packets that are due leave before a verb changes the state
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

  /** The background thread sends them when it ends. */
  @Override
  void sendLast(long limitNs) {}

  /** The background thread closes the port. */
  @Override
  boolean mayClosePort() {
    return !background().isAlive();
  }
}
