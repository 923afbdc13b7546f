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
 * Runs an engine on a port that any thread may drive. In the common case no work passes between
 * threads: a thread that posts or polls runs the engine itself. One of the waiting platform threads
 * leads: it blocks in the socket, see {@link LeaderSeat}. The background thread is the fallback: it
 * looks in every millisecond, and leads if no other thread has run the engine since. Therefore, if
 * a program stops polling, ACKs and timers are late by at most two milliseconds.
 */
public final class AnyThreadDriver extends EngineDriver {
  /**
   * A thread that has read the port at least this often since the last post is expected to poll
   * again: a thread that answers messages needs two reads or more to find one. A turn reads twice
   * if it sends an acknowledgement behind a reply, and the peer may have answered meanwhile. If the
   * thread does not poll again, a delayed acknowledgement waits for the background thread.
   */
  private static final int READS_OF_A_POLLER = 2;

  /**
   * A virtual thread that polls leaves its carrier to others after this number of polls, a power of
   * two. Otherwise one on each carrier would keep all other virtual threads from running.
   */
  private static final int POLLS_OF_A_TURN = 64;

  /**
   * More turns than this between two look-ins mean that a thread polls, so that the background
   * thread leaves the engine to it. A turn of the background thread would delay that thread, on one
   * processor by microseconds. A polling thread takes some thousand turns in a millisecond.
   */
  private static final long BUSY_TURNS = 64;

  /** The leader, the followers, and the time until which the leader sleeps. */
  private final LeaderSeat seat;

  /** The deadline of held requests, for the background thread. */
  private final HoldWatch watch = new HoldWatch();

  /**
   * The drivers of the device's engines by index, including this one. An engine may hand datagrams
   * over to the others.
   */
  private final List<AnyThreadDriver> neighbours;

  /**
   * The number of turns of application threads. The engine's owner counts them; the background
   * thread reads it to see whether application threads still run the engine.
   */
  private final AtomicLong turns = new AtomicLong();

  /** A list of this driver only. */
  private final List<AnyThreadDriver> alone = List.of(this);

  /** The value of {@link DutyCycle#reads} at the last post. Used by the engine's owner. */
  private int readsAtPost;

  /** The number of datagrams of the leader's last turn. Used by the leader. */
  private int receivedByLeader;

  /** A driver of the only engine of a device, with look-ins every millisecond. */
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

  /** Takes the engine for a verb, and first sends everything that is due. */
  void begin() {
    take();
    cycle.flush();
  }

  /**
   * Ends what {@link #begin} began.
   *
   * @param later receives actions that the caller must run when it no longer holds an engine; null:
   *     they are run here
   */
  void end(List<Runnable> later) {
    cycle.flush();
    release(later);
  }

  @Override
  public void doorbell() {
    if (engine.tryTakeOrMark()) {
      countTurn();
      // If a thread leads, a delayed acknowledgement would have to wake it.
      boolean willPoll = cycle.reads() - readsAtPost >= READS_OF_A_POLLER && seat.isFree();
      readsAtPost = cycle.reads();
      cycle.post(willPoll);
      release();
    }
  }

  /**
   * {@inheritDoc}
   *
   * <p>Sends at once while a thread sleeps in the port, because then a thread waits, or the program
   * has been silent for long.
   */
  @Override
  public void hold() {
    if (!seat.isFree()) {
      doorbell();
    } else if (engine.tryTakeOrMark()) {
      countTurn();
      readsAtPost = cycle.reads();
      cycle.hold();
      long untilNs = engine.heldUntilNs();
      release();
      if (Deadlines.isSet(untilNs) && watch.until(untilNs)) {
        LockSupport.unpark(background());
      }
    }
  }

  @Override
  public void advance() {
    Whereabouts.pollsSockets();
    boolean givesWay = true;
    if (engine.tryTake()) {
      countTurn();
      cycle.poll();
      givesWay = (cycle.polls() & POLLS_OF_A_TURN - 1) == 0;
      release();
    }
    if (givesWay && Thread.currentThread().isVirtual()) {
      Whereabouts.giveWay(WaitingPlace.SOCKETS);
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
   * The waiting thread may lead. A virtual thread never leads: it would block its carrier in a
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

  /**
   * Blocks in the port and runs the engine until the condition holds or the deadline has passed.
   */
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
   * Takes a turn as leader, which owns the engine, and releases the engine.
   *
   * @return the time until which the leader may sleep; threads that set timers know it
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
  boolean maySleepInPort() {
    return !seat.isFree();
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

  /** Sleeps until the next look-in or a wake-up, and releases held requests at their deadline. */
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

  /** Releases held requests; returns whether there were any. */
  private boolean letGo() {
    boolean any = engine.isRung();
    if (any && engine.tryTakeOrMark()) {
      cycle.run();
      release();
    }
    return any;
  }

  /**
   * Leads until another thread can lead, or runs the engine itself.
   *
   * @param seen {@link #turns} of application threads so far
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
