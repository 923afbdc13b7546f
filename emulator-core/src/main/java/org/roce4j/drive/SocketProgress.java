package org.roce4j.drive;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.port.Port;
import org.roce4j.verbs.Callback;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * Runs an engine on a socket port, without a thread hand-off in the common case. Whoever posts or
 * polls runs the engine on its own thread; of those that wait, one leads: it blocks in the socket
 * itself, and the others follow, parked. A background thread is the fallback: it leads when nobody
 * else does. While others are active it looks every millisecond whether they still are: so a
 * program that stops polling leaves no ACK unsent and no timer missed for more than two.
 *
 * <p>The engine is never held while a thread blocks, nor after something was thrown inside it: it
 * has {@linkplain Engine#fail failed} then, which is logged once, and those that wait get ENODEV.
 */
public final class SocketProgress implements Progress, AutoCloseable {
  private static final System.Logger LOG = System.getLogger("org.roce4j");
  private static final long LOOK_IN_NS = 1_000_000;
  static final long SPIN_NS = 10_000;

  /** Looks for completions between two posts, which one that answers what it has found takes. */
  private static final int POLLS = 2;

  /** Turns of other threads between two looks, of which more mean that one of them polls. */
  private static final long BUSY_TURNS = 64;

  private static final long TIMER_SLACK_NS = 50_000;
  private static final long CLOSE_LIMIT_NS = 1_000_000_000L;

  private final String name;
  private final Engine engine;
  private final Port port;
  private final DutyCycle cycle;
  private final AtomicReference<Thread> leader = new AtomicReference<>();
  private final AtomicLong leaderWakesNs = new AtomicLong(Deadlines.NEVER);
  private final ConcurrentLinkedQueue<Thread> followers = new ConcurrentLinkedQueue<>();
  private final AtomicInteger waiting = new AtomicInteger();

  /** Threads that wait for several engines, of which each needs somebody else who leads. */
  private final AtomicInteger delegating = new AtomicInteger();

  private final AtomicLong turns = new AtomicLong();
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
  private final DriverCommands commands = new DriverCommands();
  private final AtomicBoolean driverSleeps = new AtomicBoolean();
  private final AtomicBoolean failureTold = new AtomicBoolean();
  private final boolean anyThread;
  private final Thread background;
  private final long lookInNs;
  final long followNs;

  /** What runs the engines of the device, this one among them. */
  private List<SocketProgress> all = List.of(this);

  /** Turns of threads that polled since one has posted; the engine's owner. */
  private int polls;

  /** Datagrams of the leader's last turn; only the leader uses it, and there is one. */
  private int receivedByLeader;

  private enum State {
    OPEN,
    CLOSED
  }

  /** With look-ins every millisecond. */
  public SocketProgress(String name, Engine engine, Port port) {
    this(name, engine, port, LOOK_IN_NS);
  }

  /**
   * @param name of the device, for the thread's name and for messages
   * @param lookInNs nanoseconds after which the background thread looks in; a follower that nobody
   *     wakes looks after ten times as long. Threads that wait need neither: tests make it minutes
   */
  public SocketProgress(String name, Engine engine, Port port, long lookInNs) {
    this.name = name;
    this.engine = engine;
    this.port = port;
    this.lookInNs = lookInNs;
    followNs = 10 * lookInNs;
    anyThread = port.capabilities().anyThread();
    cycle = new DutyCycle(engine, port);
    String suffix = engine.index() == 0 ? "" : "-" + engine.index();
    background = new Thread(this::background, "roce4j-" + name + suffix);
    background.setDaemon(true);
  }

  public void start() {
    background.start();
  }

  /** Tells what runs the other engines of the device; before {@link #start}. */
  void beside(List<SocketProgress> everyEngine) {
    all = everyEngine;
  }

  // ---- Progress

  @Override
  public <T> T exclusively(Supplier<T> verb) {
    if (!anyThread && Thread.currentThread() != background && background.isAlive()) {
      return onDriver(verb);
    }
    begin();
    try {
      return verb.get();
    } finally {
      runAndRelease(false);
    }
  }

  /** Takes the engine for a verb: what is due leaves before that changes anything. */
  void begin() {
    take();
    flush();
  }

  /**
   * Ends what {@link #begin} began.
   *
   * @param later takes what the caller must run when it owns no engine any more
   */
  void end(List<Runnable> later) {
    flush();
    release(true, later);
  }

  /** Has the thread that drives the port carry out a verb, and waits for it. */
  private <T> T onDriver(Supplier<T> verb) {
    CompletableFuture<T> result = commands.add(verb);
    port.wakeup();
    while (!result.isDone()) {
      if (!background.isAlive()) {
        take();
        commands.run();
        runAndRelease(false);
      }
      LockSupport.parkNanos(LOOK_IN_NS / 20);
    }
    return DriverCommands.resultOf(result);
  }

  private void take() {
    for (int spins = 0; !engine.tryTake(); spins++) {
      if (spins < 1000) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }

  @Override
  public void doorbell() {
    if (!anyThread) {
      if (driverSleeps.get()) {
        port.wakeup();
      }
      return;
    }
    if (engine.tryTakeOrMark()) {
      turns.lazySet(turns.get() + 1);
      post();
      release(true);
    }
  }

  @Override
  public void advance() {
    if (!anyThread) {
      Thread.yield(); // the driver needs a processor
      return;
    }
    if (engine.tryTake()) {
      turns.lazySet(turns.get() + 1);
      poll();
      release(true);
    }
  }

  @Override
  public long nowNs() {
    return port.nowNs();
  }

  @Override
  public boolean await(BooleanSupplier condition, long timeoutNs) {
    if (condition.getAsBoolean()) {
      return true;
    }
    if (timeoutNs <= 0) {
      advance();
      return condition.getAsBoolean();
    }
    long now = port.nowNs();
    long deadline = Deadlines.after(now, timeoutNs);
    waiting.incrementAndGet();
    try {
      long spinUntil = now + SPIN_NS;
      while (true) {
        advance();
        if (condition.getAsBoolean()) {
          return true;
        }
        if (ended(this, condition)) {
          return true;
        }
        now = port.nowNs();
        if (Deadlines.isDue(deadline, now)) {
          return false;
        }
        if (now - spinUntil < 0) {
          Thread.onSpinWait();
        } else if (tryLead()) {
          lead(condition, deadline);
        } else {
          follow(condition, deadline, now);
        }
      }
    } finally {
      waiting.decrementAndGet();
      passOn(); // also when it did not lead: it may have been woken to
    }
  }

  /**
   * Whether waiting is over, though nothing has arrived.
   *
   * @param verbs of whatever the caller waits for
   * @throws VerbsException EINTR, ENODEV
   */
  boolean ended(Progress verbs, BooleanSupplier condition) {
    if (Thread.interrupted()) {
      throw new VerbsException(Errno.EINTR, "the waiting thread was interrupted");
    }
    if (state.get() == State.CLOSED) {
      throw new VerbsException(Errno.ENODEV, "the device was closed");
    }
    if (engine.failure() != null) {
      verbs.exclusively(() -> {}); // when that turn is over, everything it tells is there
      if (condition.getAsBoolean()) {
        return true;
      }
      engine.requireSound();
    }
    return false;
  }

  // ---- leading and following

  private boolean tryLead() {
    Thread current = leader.get();
    if (current == background && anyThread) {
      port.wakeup(); // it steps down when it sees somebody waiting
    }
    return current == null && leader.compareAndSet(null, Thread.currentThread());
  }

  /** Blocks in the socket until the condition holds or the time is over. */
  private void lead(BooleanSupplier condition, long deadline) {
    try {
      while (!condition.getAsBoolean() && !Thread.currentThread().isInterrupted() && serving()) {
        if (!engine.tryTake()) {
          Thread.onSpinWait();
          continue;
        }
        turns.lazySet(turns.get() + 1);
        long next = turnBeforeSleep(deadline);
        long now = port.nowNs();
        if (condition.getAsBoolean() || Deadlines.isDue(next, now)) {
          if (Deadlines.isDue(deadline, now)) {
            return;
          }
          continue;
        }
        port.await(Deadlines.left(next, now));
      }
    } finally {
      stepDown();
    }
  }

  private boolean serving() {
    return state.get() == State.OPEN && engine.failure() == null;
  }

  private void stepDown() {
    leaderWakesNs.set(Deadlines.NEVER);
    leader.set(null);
  }

  /** Has another thread lead when nobody does. */
  private void passOn() {
    Thread follower = leader.get() == null ? followers.peek() : null;
    if (follower != null) {
      LockSupport.unpark(follower);
    }
  }

  /**
   * A turn as holder; says until when its caller may sleep, and has told so to those that set
   * timers meanwhile.
   */
  private long turnBeforeSleep(long deadline) {
    receivedByLeader = run();
    long next = engine.hasOutput() ? port.nowNs() : engine.nextTimeout();
    if (Deadlines.isBefore(deadline, next)) {
      next = deadline;
    }
    leaderWakesNs.set(next);
    return release(false) ? port.nowNs() : next;
  }

  /** A thread that waits for several engines wants to be told of events, by whoever leads. */
  void followed(Thread by) {
    delegating.incrementAndGet();
    followers.add(by);
    if (leader.get() == null) {
      LockSupport.unpark(background);
    }
  }

  /** Undoes {@link #followed}. */
  void unfollowed(Thread by) {
    followers.remove(by);
    delegating.decrementAndGet();
    passOn();
  }

  private void follow(BooleanSupplier condition, long deadline, long now) {
    Thread me = Thread.currentThread();
    followers.add(me);
    try {
      if (!condition.getAsBoolean() && leader.get() != null) {
        long left = Deadlines.left(deadline, now);
        LockSupport.parkNanos(Math.min(left, followNs));
      }
    } finally {
      followers.remove(me);
    }
  }

  // ---- turns

  /** A turn; datagrams received. What it throws the engine keeps, and {@link #release} tells. */
  private int run() {
    try {
      return cycle.run();
    } catch (RuntimeException | Error e) {
      return 0;
    }
  }

  /** A turn of a thread that will come back at once. */
  private void poll() {
    polls++;
    try {
      cycle.poll();
    } catch (RuntimeException | Error e) {
      // As in run().
    }
  }

  /** The sending half of a turn, of a thread that has posted. */
  private void post() {
    try {
      if (polls >= POLLS && leader.get() == null) {
        cycle.post();
      } else {
        // It does not come back to take the answer in, or another thread sleeps: what is put off
        // would wait for the background thread, or wake the other.
        cycle.flush();
      }
      polls = 0;
    } catch (RuntimeException | Error e) {
      // As in run().
    }
  }

  /** The sending half of a turn. */
  private void flush() {
    try {
      cycle.flush();
    } catch (RuntimeException | Error e) {
      // As in run().
    }
  }

  /** As holder: a turn, again while work was published meanwhile; then releases. */
  private void runAndRelease(boolean receive) {
    if (receive) {
      run();
    } else if (background.isAlive() || anyThread) {
      flush();
    }
    release(true);
  }

  /** Gives the engine back, wakes whom it concerns, runs hooks and other engines it has fed. */
  private boolean release(boolean wakeLeader) {
    return release(wakeLeader, null);
  }

  /**
   * Gives the engine back and wakes whom it concerns.
   *
   * @param later takes the hooks and the turns of other engines; null: they are run at once
   * @return whether work was published meanwhile and done, which may have set timers
   */
  private boolean release(boolean wakeLeader, List<Runnable> later) {
    boolean again = false;
    int recipients = engine.takeRecipients();
    boolean eventful = engine.takeEventful();
    List<Runnable> hooks = engine.takeHooks();
    long next = engine.nextTimeout();
    boolean unsent = engine.hasOutput();
    while (!engine.release()) {
      again = true;
      flush();
      eventful |= engine.takeEventful();
      hooks = joined(hooks, engine.takeHooks());
      recipients |= engine.takeRecipients();
      next = engine.nextTimeout();
      unsent = engine.hasOutput();
    }
    if (eventful) {
      wakeAll();
    }
    if (wakeLeader && leaderOversleeps(next, unsent)) {
      port.wakeup();
    }
    if (later != null) {
      later.addAll(hooks);
      for (int left = recipients; left != 0; left &= left - 1) {
        later.add(all.get(Integer.numberOfTrailingZeros(left))::lookIn);
      }
    } else {
      for (int left = recipients; left != 0; left &= left - 1) {
        all.get(Integer.numberOfTrailingZeros(left)).lookIn();
      }
      if (!hooks.isEmpty()) { // an iterator per turn would be garbage
        hooks.forEach(Callback::run);
      }
    }
    if (engine.failure() != null) {
      tellFailure();
    }
    return again;
  }

  private void tellFailure() {
    if (this == all.getFirst() && failureTold.compareAndSet(false, true)) {
      LOG.log(
          System.Logger.Level.ERROR,
          "the device %s has failed and serves no more; its queue pairs are flushed"
              .formatted(name),
          engine.failure());
    }
  }

  /**
   * Whether the leader sleeps longer than the timers allow; or the background thread while
   * something is to be sent, of which its caller may think no more. (While another thread leads,
   * the background thread looks in.)
   */
  private boolean leaderOversleeps(long next, boolean unsent) {
    Thread leads = leader.get();
    if (leads == null || leads == Thread.currentThread()) {
      return false;
    }
    long wakes = leaderWakesNs.get();
    return (unsent && leads == background)
        || Deadlines.isBefore(Deadlines.after(next, TIMER_SLACK_NS), wakes);
  }

  /** Another engine has handed datagrams over: here is a thread for what they cause. */
  private void lookIn() {
    if (engine.tryTakeOrMark()) {
      flush();
      release(true);
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

  private void wakeAll() {
    Thread current = Thread.currentThread();
    Thread leads = leader.get();
    if (leads != null && leads != current && leads != background) {
      port.wakeup();
    }
    if (!followers.isEmpty()) {
      for (Thread follower : followers) {
        LockSupport.unpark(follower);
      }
    }
  }

  // ---- the background thread

  private void background() {
    try {
      if (anyThread) {
        fallback();
      } else {
        port.adopt();
        driver();
      }
    } catch (RuntimeException | Error e) {
      // The port has failed: nobody looks in any more.
      take();
      engine.fail(e);
      runAndRelease(false);
    }
  }

  private void fallback() {
    long seen = turns.get();
    while (state.get() == State.OPEN) {
      LockSupport.parkNanos(lookInNs);
      wakeInterrupted();
      long now = turns.get();
      long ran = now - seen;
      seen = now;
      if (ran > BUSY_TURNS && delegating.get() == 0) {
        continue; // somebody polls; a turn here would stall it, on one processor for microseconds
      }
      boolean needed = ran == 0 || delegating.get() > 0;
      if (needed && waiting.get() == 0 && leader.compareAndSet(null, background)) {
        leadUntilOthersRun(seen);
        seen = turns.get();
      } else if (engine.tryTake()) {
        runAndRelease(true);
      }
    }
  }

  /** A leader blocks in a system call, which no interruption ends. */
  private void wakeInterrupted() {
    Thread leads = leader.get();
    if (leads != null && leads.isInterrupted()) {
      port.wakeup();
    }
  }

  private void leadUntilOthersRun(long seen) {
    long busyUntil = port.nowNs();
    try {
      while (serving() && waiting.get() == 0 && (turns.get() == seen || delegating.get() > 0)) {
        if (!engine.tryTake()) {
          Thread.onSpinWait();
          continue;
        }
        long next = turnBeforeSleep(Deadlines.NEVER);
        long now = port.nowNs();
        if (receivedByLeader > 0) {
          busyUntil = now + SPIN_NS; // more is likely to follow: a wake-up costs more than a spin
        }
        if (now - busyUntil < 0) {
          Thread.onSpinWait();
          continue;
        }
        long left = Deadlines.left(next, now);
        if (left > 0) {
          port.await(left);
        }
      }
    } finally {
      stepDown();
      passOn();
    }
  }

  /** The only thread that may drive this port: spins briefly after work, then blocks. */
  private void driver() {
    leader.set(background);
    long busyUntil = port.nowNs();
    while (state.get() == State.OPEN) {
      if (!engine.tryTakeOrMark()) {
        Thread.onSpinWait();
        continue;
      }
      if (!commands.isEmpty()) {
        flush(); // what is due leaves before a verb changes anything
        commands.run();
      }
      int received = run();
      release(false);
      // Asked after release, whose hooks may have posted; no other thread takes this engine.
      boolean output = engine.hasOutput();
      long next = engine.nextTimeout();
      long now = port.nowNs();
      if (received > 0 || output) {
        busyUntil = now + SPIN_NS;
      } else if (now - busyUntil >= 0) {
        long left = Deadlines.left(next, now);
        driverSleeps.set(true);
        if (left > 0 && !engine.isRung() && commands.isEmpty()) {
          port.await(left);
        }
        driverSleeps.set(false);
      }
    }
    take();
    commands.run();
    runAndRelease(false);
    port.close();
  }

  /**
   * Stops: what is due is sent, waiting threads get ENODEV, the port is closed. Bounded,
   * idempotent, callable from any thread.
   */
  @Override
  public void close() {
    if (!state.compareAndSet(State.OPEN, State.CLOSED)) {
      return;
    }
    long end = port.nowNs() + CLOSE_LIMIT_NS;
    if (anyThread) {
      while (port.nowNs() - end < 0) {
        if (engine.tryTake()) {
          flush();
          boolean more = engine.hasOutput();
          release(false);
          if (!more) {
            break;
          }
        }
      }
    }
    port.wakeup();
    LockSupport.unpark(background);
    wakeAll();
    if (Thread.currentThread() != background) {
      joinBackground();
    }
    if (anyThread || !background.isAlive()) {
      closePort();
    }
  }

  /** As the engine's owner, so that no thread is in a system call on a socket that is closed. */
  private void closePort() {
    long end = port.nowNs() + CLOSE_LIMIT_NS;
    boolean taken = engine.tryTake();
    while (!taken && port.nowNs() - end < 0) {
      Thread.yield();
      taken = engine.tryTake();
    }
    try {
      port.close();
    } finally {
      if (taken) {
        release(false);
      }
    }
  }

  private void joinBackground() {
    boolean interrupted = false;
    long end = port.nowNs() + CLOSE_LIMIT_NS;
    while (background.isAlive() && port.nowNs() - end < 0) {
      try {
        background.join(java.time.Duration.ofNanos(LOOK_IN_NS));
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
