package org.roce4j.drive;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.roce4j.engine.Engine;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.port.Port;
import org.roce4j.verbs.Callback;
import org.roce4j.verbs.GiveWay;
import org.roce4j.verbs.text.Wording;

/**
 * Runs one engine on its port, with the help of a background thread. A thread takes the engine,
 * gives it one or more turns, and {@linkplain #release releases} it; only then does it tell others
 * what those turns have caused. The engine is never held while a thread blocks, nor after a defect
 * inside it: it has {@linkplain Engine#fail failed} then, which is logged once, and the threads
 * that wait get ENODEV.
 */
public abstract class EngineDriver extends BlockingProgress implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("org.roce4j");

  /** How often the background thread of an {@link AnyThreadDriver} looks in. */
  static final long LOOK_IN_NS = 1_000_000;

  /** A thread that sleeps until it is woken looks by itself after this many look-ins. */
  private static final int LOOK_INS_PER_SLEEP = 10;

  /** The longest that each step of {@link #close} takes. */
  private static final long CLOSE_LIMIT_NS = 1_000_000_000L;

  /** How often {@link #close} looks whether the background thread has ended. */
  private static final Duration END_LOOK = Duration.ofMillis(1);

  /** How often a thread spins for an engine that another thread holds, before it yields. */
  private static final int TAKE_SPINS = 1000;

  /** The engine; its ownership word says which thread runs it. */
  final Engine engine;

  /** Where the engine's datagrams come from and go to. */
  final Port port;

  /** What one turn consists of; for the engine's owner. */
  final DutyCycle cycle;

  /** How often the background thread looks in, in nanoseconds. */
  private final long lookInNs;

  /** Of the device, for messages. */
  private final String name;

  /** A daemon, started by {@link #start}; what it does is the driver's kind, {@link #serve}. */
  private final Thread background;

  /** Set by the first call of {@link #close}. */
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Whether the device's failure was logged. */
  private final AtomicBoolean failureTold = new AtomicBoolean();

  /**
   * @param name of the device, for the thread's name and for messages
   * @param lookInNs how often the background thread looks in. Threads that wait do without it:
   *     tests make it minutes, so that a wake-up that is lost shows
   */
  EngineDriver(String name, Engine engine, Port port, long lookInNs) {
    this.name = name;
    this.engine = engine;
    this.port = port;
    this.lookInNs = lookInNs;
    cycle = new DutyCycle(engine, port);
    String suffix = engine.index() == 0 ? "" : "-" + engine.index();
    // Without what its maker inherits to the threads of the program.
    background = new Thread(null, this::runBackground, "roce4j-" + name + suffix, 0, false);
    background.setDaemon(true);
  }

  /** Starts the background thread. */
  public final void start() {
    background.start();
  }

  // ---- what the kinds differ in

  /** The background thread's work, until the driver is closed. */
  abstract void serve();

  /** An event was delivered: wakes the threads that may wait for it. */
  abstract void wakeWaiting();

  /**
   * Wakes the thread that sleeps in the port if it would miss something.
   *
   * @param nextNs when the next timer is due, or {@link Deadlines#NEVER}
   * @param unsent whether a turn has left something that is to be sent
   */
  abstract void wakeForTimer(long nextNs, boolean unsent);

  /**
   * Runs engines of the same device that were handed datagrams.
   *
   * @param recipients bits by {@link Engine#index}
   */
  abstract void runNeighbours(int recipients);

  /** Sends what is due before the port is closed, for at most that long. */
  abstract void sendLast(long limitNs);

  /** Whether the port may be closed, by a thread other than the background thread. */
  abstract boolean mayClosePort();

  // ---- taking and releasing the engine

  @Override
  public final long nowNs() {
    return port.nowNs();
  }

  @Override
  final Engine engine() {
    return engine;
  }

  @Override
  final boolean isClosed() {
    return closed.get();
  }

  final long lookInNs() {
    return lookInNs;
  }

  /** The longest sleep of a thread that waits for others to wake it. */
  final long sleepNs() {
    return LOOK_INS_PER_SLEEP * lookInNs;
  }

  /** The thread that {@link #serve serves}. */
  final Thread background() {
    return background;
  }

  /**
   * Waits for the engine. It is held for a turn or a verb; its holder may wait for a lock of the
   * JDK meanwhile.
   */
  final void take() {
    for (int spins = 0; !engine.tryTake(); spins++) {
      if (spins < TAKE_SPINS) {
        Thread.onSpinWait();
      } else {
        Whereabouts.giveWay(Place.ON_ITS_WAY);
      }
    }
  }

  /**
   * Gives the engine back, after another turn for whatever was published meanwhile. Then wakes the
   * threads that this concerns, and runs hooks and neighbours.
   *
   * @return whether there was another turn, which may have set timers
   */
  final boolean release() {
    return release(null);
  }

  /**
   * As {@link #release()}, for a caller that holds other engines, too.
   *
   * @param later takes the hooks and the turns of neighbours; null: they are run at once
   */
  final boolean release(List<Runnable> later) {
    boolean again = false;
    boolean eventful = engine.takeEventful();
    int recipients = engine.takeRecipients();
    List<Runnable> hooks = engine.takeHooks();
    long nextNs = engine.nextTimeout();
    boolean unsent = engine.hasOutput();
    while (!engine.release()) {
      serveOthers(again);
      again = true;
      eventful |= engine.takeEventful();
      recipients |= engine.takeRecipients();
      hooks = joined(hooks, engine.takeHooks());
      nextNs = engine.nextTimeout();
      unsent = engine.hasOutput();
    }
    if (eventful) {
      wakeWaiting();
    }
    wakeForTimer(nextNs, unsent);
    if (later == null) {
      runNeighbours(recipients);
      if (!hooks.isEmpty()) { // an iterator per turn would be garbage
        hooks.forEach(Callback::run);
      }
    } else {
      later.addAll(hooks);
      int bits = recipients;
      later.add(() -> runNeighbours(bits));
    }
    if (engine.failure() != null) {
      tellFailure();
    }
    return again;
  }

  /**
   * Another thread has posted while this one held the engine. The first time the request is sent
   * and nothing is received, because the caller has just had its own turn. From then on others post
   * as fast as this thread sends, and each of their polls finds the engine held, so this thread
   * receives for them, too. Without that it has sent 64 messages in a row and read none of their
   * acknowledgements.
   *
   * @param again whether this is not the first time
   */
  private void serveOthers(boolean again) {
    if (again) {
      cycle.run();
    } else {
      cycle.flush();
    }
  }

  private static List<Runnable> joined(List<Runnable> a, List<Runnable> b) {
    if (b.isEmpty()) {
      return a;
    }
    List<Runnable> both = new ArrayList<>(a);
    both.addAll(b);
    return both;
  }

  private void tellFailure() {
    if (engine.index() == 0 && failureTold.compareAndSet(false, true)) {
      LOG.log(
          System.Logger.Level.ERROR,
          Wording.of(
              "the device %s has failed and serves no more; its queue pairs are flushed", name),
          engine.failure());
    }
  }

  // ---- the background thread

  private void runBackground() {
    try {
      serve();
    } catch (RuntimeException | Error e) {
      // The port cannot be waited on: the device fails, since no thread looks in any more.
      take();
      engine.fail(e);
      cycle.flush();
      release();
    }
  }

  /**
   * Stops: what is due is sent, threads that wait get ENODEV, the port is closed. Bounded,
   * idempotent, callable from any thread.
   */
  @Override
  public final void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    sendLast(CLOSE_LIMIT_NS);
    port.wakeup();
    LockSupport.unpark(background);
    wakeWaiting();
    if (Thread.currentThread() != background) {
      joinBackground();
    }
    if (mayClosePort()) {
      closePort();
    }
  }

  /** As the engine's owner, so that no thread is in a system call on a socket that is closed. */
  private void closePort() {
    long endNs = Deadlines.after(port.nowNs(), CLOSE_LIMIT_NS);
    boolean taken = engine.tryTake();
    while (!taken && !Deadlines.isDue(endNs, port.nowNs())) {
      GiveWay.toOthers();
      taken = engine.tryTake();
    }
    try {
      port.close();
    } finally {
      if (taken) {
        release();
      }
    }
  }

  private void joinBackground() {
    boolean interrupted = false;
    long endNs = Deadlines.after(port.nowNs(), CLOSE_LIMIT_NS);
    while (background.isAlive() && !Deadlines.isDue(endNs, port.nowNs())) {
      try {
        background.join(END_LOOK);
        port.wakeup();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
