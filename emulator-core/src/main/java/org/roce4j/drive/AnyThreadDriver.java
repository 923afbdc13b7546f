package org.roce4j.drive;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.roce4j.engine.Engine;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.port.Port;

/**
 * Runs an engine on a port that any thread may drive, without a hand-off between threads in the
 * common case. A thread that posts or polls runs the engine itself. Of the platform threads that
 * wait one leads: it blocks in the socket, see {@link LeaderSeat}. The background thread is the
 * fallback: it looks in every millisecond, and leads when no other thread has run the engine since.
 * So a program that stops polling leaves no ACK unsent and no timer missed for more than two
 * milliseconds.
 */
public final class AnyThreadDriver extends EngineDriver {
  /**
   * A thread that has polled in vain at least this often since the last post is expected to do so
   * again: one that answers what it has found takes two turns or more to find it. After a thread
   * that does not come back, an acknowledgement that is put off waits for the background thread.
   */
  private static final int POLLS_OF_A_POLLER = 2;

  /**
   * More turns than this within one look-in mean that a thread polls; the background thread leaves
   * the engine to it. A turn of its own would stall that thread, on one processor for microseconds.
   * A poller takes some thousand turns in a millisecond.
   */
  private static final long BUSY_TURNS = 64;

  /** Who leads, who follows, and until when the leader sleeps. */
  private final LeaderSeat seat;

  /** Until when requests are held, for the background thread. */
  private final HoldWatch watch = new HoldWatch();

  /** The device's engines by index, this one included: it may hand datagrams to them. */
  private final List<AnyThreadDriver> neighbours;

  /**
   * Turns of application threads. The engine's owner counts; the background thread reads it, to see
   * whether any still comes.
   */
  private final AtomicLong turns = new AtomicLong();

  /** This driver alone. */
  private final List<AnyThreadDriver> alone = List.of(this);

  /** Turns of threads that polled since the last post; the engine's owner. */
  private int pollsSincePost;

  /** Datagrams of the leader's last turn; the leader. */
  private int receivedByLeader;

  /** The only engine of its device, with look-ins every millisecond. */
  public AnyThreadDriver(String name, Engine engine, Port port) {
    this(name, engine, port, List.of(), LOOK_IN_NS);
  }

  /**
   * @param neighbours the device's engines by index, complete before the first turn
   */
  AnyThreadDriver(
      String name, Engine engine, Port port, List<AnyThreadDriver> neighbours, long lookInNs) {
    super(name, engine, port, lookInNs);
    this.neighbours = neighbours;
    seat = new LeaderSeat(background(), port::wakeup);
  }

  LeaderSeat seat() {
    return seat;
  }

  // ---- turns of the thread that calls

  @Override
  public <T> T exclusively(Supplier<T> verb) {
    begin();
    try {
      return verb.get();
    } finally {
      end(null);
    }
  }

  /** Takes the engine for a verb: what is due leaves before that changes anything. */
  void begin() {
    take();
    cycle.flush();
  }

  /**
   * Ends what {@link #begin} began.
   *
   * @param later takes what the caller must run when it holds no engine any more; null: nothing
   */
  void end(List<Runnable> later) {
    cycle.flush();
    release(later);
  }

  @Override
  public void doorbell() {
    if (engine.tryTakeOrMark()) {
      countTurn();
      // With a leader, what is put off would wake it.
      boolean willPoll = pollsSincePost >= POLLS_OF_A_POLLER && seat.isFree();
      pollsSincePost = 0;
      cycle.post(willPoll);
      release();
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>Not while a thread sleeps in the port: it waits, or the program has been silent for long.
   */
  @Override
  public void hold() {
    if (!seat.isFree()) {
      doorbell();
    } else if (engine.tryTakeOrMark()) {
      countTurn();
      pollsSincePost = 0;
      cycle.hold();
      long untilNs = engine.heldUntilNs();
      release();
      if (untilNs != Deadlines.NEVER && watch.until(untilNs)) {
        LockSupport.unpark(background());
      }
    }
  }

  @Override
  public void advance() {
    if (engine.tryTake()) {
      countTurn();
      pollsSincePost++;
      cycle.poll();
      release();
    }
  }

  private void countTurn() {
    turns.lazySet(turns.get() + 1);
  }

  @Override
  void runNeighbours(int recipients) {
    for (int left = recipients; left != 0; left &= left - 1) {
      neighbours.get(Integer.numberOfTrailingZeros(left)).takeInHandedOver();
    }
  }

  private void takeInHandedOver() {
    if (engine.tryTakeOrMark()) {
      cycle.flush();
      release();
    }
  }

  // ---- waiting

  /**
   * The thread that waits may lead. A virtual thread never does: it would block its carrier in a
   * system call, and the thread that it waits for may need that carrier.
   */
  @Override
  boolean spinThenBlock(BooleanSupplier condition, long timeoutNs) {
    if (Thread.currentThread().isVirtual()) {
      return super.spinThenBlock(condition, timeoutNs);
    }
    seat.enter();
    try {
      return super.spinThenBlock(condition, timeoutNs);
    } finally {
      seat.leave();
    }
  }

  @Override
  void block(BooleanSupplier condition, long deadlineNs) {
    if (Thread.currentThread().isVirtual()) {
      EveryEngine.depend(alone, condition, deadlineNs);
    } else if (seat.tryTake()) {
      try {
        lead(condition, deadlineNs);
      } finally {
        seat.vacate();
      }
    } else {
      long left = Deadlines.left(deadlineNs, port.nowNs());
      seat.follow(condition, Math.min(left, sleepNs()));
    }
  }

  /** Blocks in the port and runs the engine, until the condition holds or the time is over. */
  private void lead(BooleanSupplier condition, long deadlineNs) {
    while (!condition.getAsBoolean() && !Thread.currentThread().isInterrupted() && serving()) {
      if (!engine.tryTake()) {
        Thread.onSpinWait();
        continue;
      }
      countTurn();
      long nextNs = turnBeforeSleep(deadlineNs);
      long now = port.nowNs();
      if (Deadlines.isDue(deadlineNs, now)) {
        return;
      }
      if (!condition.getAsBoolean() && !Deadlines.isDue(nextNs, now)) {
        port.await(Deadlines.left(nextNs, now));
      }
    }
  }

  private boolean serving() {
    return !isClosed() && engine.failure() == null;
  }

  /**
   * A turn of the leader, who owns the engine, and its release.
   *
   * @return until when the leader may sleep; threads that set timers meanwhile know it
   */
  private long turnBeforeSleep(long deadlineNs) {
    receivedByLeader = cycle.run();
    long nextNs = engine.hasOutput() ? port.nowNs() : engine.nextTimeout();
    long untilNs = Deadlines.earlier(nextNs, deadlineNs);
    seat.sleepUntil(untilNs);
    return release() ? port.nowNs() : untilNs;
  }

  @Override
  void wakeWaiting() {
    seat.wakeWaiting();
  }

  @Override
  void wakeForTimer(long nextNs, boolean unsent) {
    seat.wakeForTimer(nextNs, unsent);
  }

  // ---- the background thread

  @Override
  void serve() {
    port.wakePunctually();
    long seen = turns.get();
    while (!isClosed()) {
      sleepUntilLookIn();
      seat.wakeInterrupted();
      long now = turns.get();
      long others = now - seen;
      seen = now;
      if (others > BUSY_TURNS && !seat.hasDependants()) {
        continue;
      }
      boolean needed = others == 0 || seat.hasDependants();
      if (needed && seat.tryStandIn()) {
        standIn(seen);
        seen = turns.get();
      } else if (engine.tryTake()) {
        cycle.run();
        release();
      }
    }
  }

  /** Sleeps, unless it is woken, until it is time to look in; lets held requests go meanwhile. */
  private void sleepUntilLookIn() {
    long now = port.nowNs();
    long lookInNs = Deadlines.after(now, lookInNs());
    boolean woken = false;
    while (!woken && !Deadlines.isDue(lookInNs, now)) {
      long left = Deadlines.left(lookInNs, now);
      boolean held = watch.isHeld();
      LockSupport.parkNanos(Math.min(left, watch.sleepNs(now, left)));
      now = port.nowNs();
      if (held) {
        watch.looked(watch.takeDue(now) && letGo());
      }
      woken = isClosed() || seat.hasDependants() || !(held || watch.isHeld());
    }
  }

  /** Lets held requests go, unless they have gone; whether there were any. */
  private boolean letGo() {
    boolean any = engine.isRung();
    if (any && engine.tryTakeOrMark()) {
      cycle.run();
      release();
    }
    return any;
  }

  /**
   * Leads until another thread can, or runs the engine itself.
   *
   * @param seen the {@link #turns} of others so far
   */
  private void standIn(long seen) {
    long spinUntilNs = port.nowNs();
    try {
      while (serving() && seat.mayStandIn() && (turns.get() == seen || seat.hasDependants())) {
        if (!engine.tryTake()) {
          Thread.onSpinWait();
          continue;
        }
        long nextNs = turnBeforeSleep(Deadlines.NEVER);
        long now = port.nowNs();
        if (receivedByLeader > 0) {
          spinUntilNs = now + SPIN_NS; // more is likely to follow
        }
        if (!Deadlines.isDue(spinUntilNs, now)) {
          Thread.onSpinWait();
        } else if (!Deadlines.isDue(nextNs, now)) {
          port.await(Deadlines.left(nextNs, now));
        }
      }
    } finally {
      seat.vacate();
      seat.passOn();
    }
  }

  // ---- the end

  @Override
  void sendLast(long limitNs) {
    long endNs = Deadlines.after(port.nowNs(), limitNs);
    boolean more = true;
    while (more && !Deadlines.isDue(endNs, port.nowNs())) {
      if (engine.tryTake()) {
        cycle.flush();
        more = engine.hasOutput();
        release();
      }
    }
  }

  @Override
  boolean mayClosePort() {
    return true;
  }
}
