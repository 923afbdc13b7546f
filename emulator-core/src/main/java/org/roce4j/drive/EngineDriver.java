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
 * gives it one or more turns and {@linkplain #release releases} it; only then does it inform other
 * threads of the results of those turns. No thread holds the engine while it blocks, nor after a
 * defect: the engine has then {@linkplain Engine#fail failed}, which is logged once, and waiting
 * threads get ENODEV.
 */
public abstract class EngineDriver extends BlockingProgress implements AutoCloseable {
  private static final System.Logger LOG = System.getLogger("org.roce4j");

  /** The interval between look-ins of the background thread of an {@link AnyThreadDriver}. */
  static final long LOOK_IN_NS = 1_000_000;

  /** The number of look-ins after which a thread that sleeps until it is woken checks by itself. */
  private static final int LOOK_INS_PER_SLEEP = 10;

  /** The longest time for each step of {@link #close}. */
  private static final long CLOSE_LIMIT_NS = 1_000_000_000L;

  /** The interval at which {@link #close} checks whether the background thread has ended. */
  private static final Duration END_LOOK = Duration.ofMillis(1);

  /** The spins of a thread that waits for an engine held by another, before it yields. */
  private static final int TAKE_SPINS = 1000;

  /** The engine; its ownership word says whether a thread runs it. */
  final Engine engine;

  /** The port of the engine. */
  final Port port;

  /** One turn of the engine. Used by the engine's owner. */
  final DutyCycle cycle;

  /** The interval between look-ins of the background thread in nanoseconds. */
  private final long lookInNs;

  /** The name of the device, for messages. */
  private final String name;

  /** A daemon, started by {@link #start}, that runs {@link #serve} of the subclass. */
  private final Thread background;

  /** Set by the first call of {@link #close}. */
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Whether the failure of the device was logged. */
  private final AtomicBoolean failureTold = new AtomicBoolean();

  /**
   * @param name name of the device, for the thread's name and for messages
   * @param lookInNs interval between look-ins of the background thread. Waiting threads do not need
   *     look-ins: tests set it to minutes, so that a lost wake-up shows
   */
  EngineDriver(String name, Engine engine, Port port, long lookInNs) {
    this.name = name;
    this.engine = engine;
    this.port = port;
    this.lookInNs = lookInNs;
    cycle = new DutyCycle(engine, port);
    String suffix = engine.index() == 0 ? "" : "-" + engine.index();
    // without the inheritable thread locals of the program's thread
    background = new Thread(null, this::runBackground, "roce4j-" + name + suffix, 0, false);
    background.setDaemon(true);
  }

  /** Starts the background thread. */
  public final void start() {
    background.start();
  }

  // ---- the parts of the subclasses

  /** The work of the background thread, until the driver is closed. */
  abstract void serve();

  /** An event was delivered: wakes the threads that may wait for it. */
  abstract void wakeWaiting();

  /** Whether a thread may sleep in the port past a timer that another thread sets. */
  abstract boolean maySleepInPort();

  /**
   * Wakes the thread that sleeps in the port if it would otherwise miss a timer or a packet to
   * send.
   *
   * @param nextNs deadline of the next timer; {@link Deadlines#NEVER}: none
   * @param unsent whether a turn has left something to send
   */
  abstract void wakeForTimer(long nextNs, boolean unsent);

  /**
   * Runs the engines of the device to which datagrams were handed over.
   *
   * @param recipients bits by {@link Engine#index}
   */
  abstract void runNeighbours(int recipients);

  /** Sends everything that is due before the port is closed, for at most {@code limitNs} ns. */
  abstract void sendLast(long limitNs);

  /** Whether a thread other than the background thread may close the port. */
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

  /** The longest sleep of a thread that waits until other threads wake it. */
  final long sleepNs() {
    return LOOK_INS_PER_SLEEP * lookInNs;
  }

  /** The thread that runs {@link #serve}. */
  final Thread background() {
    return background;
  }

  /**
   * Waits for the engine and takes it. It is held for a turn or a verb, during which its holder may
   * wait for a lock of the JDK.
   */
  final void take() {
    for (int spins = 0; !engine.tryTake(); spins++) {
      if (spins < TAKE_SPINS) {
        Thread.onSpinWait();
      } else {
        Whereabouts.giveWay(WaitingPlace.ON_ITS_WAY);
      }
    }
  }

  /**
   * Releases the engine; takes another turn first if work was published meanwhile. Then wakes the
   * threads that wait for its results, and runs hooks and neighbours.
   *
   * @return whether it took another turn, which may have set timers
   */
  final boolean release() {
    return release(null);
  }

  /**
   * As {@link #release()}, for a caller that also holds other engines.
   *
   * @param later receives the hooks and the turns of neighbours; null: they are run at once
   */
  final boolean release(List<Runnable> later) {
    boolean again = false;
    boolean eventful = engine.takeEventful();
    int recipients = engine.takeRecipients();
    List<Runnable> hooks = engine.takeHooks();
    // A thread that begins to sleep in the port after this owns the engine later and reads the
    // timers itself.
    boolean sleeper = maySleepInPort();
    long nextNs = sleeper ? engine.nextTimeout() : Deadlines.NEVER;
    boolean unsent = sleeper && engine.hasOutput();
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
   * Takes a turn for another thread that has posted while this one held the engine. The first time
   * it only sends, because the caller has just taken its own turn. If it happens again, other
   * threads post as fast as this one sends, and each of their polls finds the engine held; so this
   * thread receives for them, too. Otherwise it was seen to send 64 messages in a row without
   * reading one of their acknowledgements.
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
      // No thread can wait for the port and look in any more, so the device fails.
      take();
      engine.fail(e);
      cycle.flush();
      release();
    }
  }

  /**
   * Stops: sends everything that is due, ends the waits of threads with ENODEV, and closes the
   * port. Takes a bounded time; idempotent; any thread may call it.
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

  /** Closes as the engine's owner, so that no thread is in a system call on a closed socket. */
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
