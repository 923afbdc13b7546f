package org.roce4j.tools.pingpong;

import java.util.concurrent.atomic.AtomicReference;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.console.ProgressLine;
import org.roce4j.tools.side.Role;
import org.roce4j.verbs.CompletionQueue;

/** Drives one end or both until they have finished. */
final class PingPongLoop {
  /** The interval at which a waiting end checks the other end and its peer. */
  private static final long LOOK_NS = 100_000_000L;

  /** Longer than one retransmission timeout, 67.1 ms. */
  private static final long LINGER_NS = 150_000_000L;

  private static final int POLLS_PER_LOOK = 1024;

  /** A port with a thread of its own needs a core too. */
  private static final int POLLS_PER_YIELD = 64;

  private final PingPongPlayer reporting;
  private final ProgressLine progress;
  private final Interruption interruption;

  /** A loop that shows the progress of one of its ends and ends when it is asked to. */
  PingPongLoop(PingPongPlayer reporting, ProgressLine progress, Interruption interruption) {
    this.reporting = reporting;
    this.progress = progress;
    this.interruption = interruption;
  }

  /**
   * Polls both ends on this thread, in turn: no thread waits for another. A message is checked, and
   * the next one written, between two round trips.
   *
   * @param starter sends the first message
   */
  void alternate(PingPongPlayer starter, PingPongPlayer other) {
    int empty = 0;
    starter.post();
    while (!(starter.finished() && other.finished()) && !interruption.asked()) {
      boolean moved = other.poll();
      other.post();
      moved |= starter.poll();
      other.settle();
      starter.settle();
      starter.post();
      empty = moved ? 0 : empty + 1;
      relax(empty);
      if (moved || empty % POLLS_PER_LOOK == 0) {
        look(starter);
      }
      if (empty != 0 && empty % POLLS_PER_LOOK == 0) {
        starter.idle();
        other.idle();
      }
    }
  }

  /** Plays each end on a thread of its own, waiting for completion events. */
  void onTwoThreads(PingPongPlayer starter, PingPongPlayer other) {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread second =
        Thread.ofPlatform()
            .name("pingpong-" + other.side().role())
            .daemon()
            .start(() -> guarded(failure, () -> waitForEvents(other, failure)));
    guarded(failure, () -> waitForEvents(starter, failure));
    boolean interrupted = false;
    while (second.isAlive()) {
      try {
        second.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    switch (failure.get()) {
      case null -> {}
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new AssertionError("nothing here throws what is checked", e);
    }
  }

  /** Plays one end whose peer is in another process. */
  void alone(PingPongPlayer player) {
    if (player.side().channel() == null) {
      poll(player);
    } else {
      waitForEvents(player, new AtomicReference<>());
    }
    if (player.side().role() == Role.CLIENT && player.side().service().leavesWithoutAWord()) {
      linger(player);
    }
  }

  private void poll(PingPongPlayer player) {
    int empty = 0;
    player.post();
    while (!player.finished() && !interruption.asked()) {
      if (player.poll()) {
        empty = 0;
        player.post();
        player.settle();
        look(player);
      } else if (++empty % POLLS_PER_LOOK == 0) {
        player.idle();
        look(player);
      } else {
        relax(empty);
      }
    }
  }

  private static void relax(int emptyPolls) {
    if (emptyPolls % POLLS_PER_YIELD == POLLS_PER_YIELD - 1) {
      Thread.yield();
    } else if (emptyPolls > 0) {
      Thread.onSpinWait();
    }
  }

  /** Waits for the events of both ends on this thread: of the end that must move next. */
  void alternateByEvents(PingPongPlayer starter, PingPongPlayer other) {
    starter.side().cq().requestNotification(false);
    other.side().cq().requestNotification(false);
    starter.post();
    while (!(starter.finished() && other.finished()) && !interruption.asked()) {
      boolean moved = other.poll();
      other.post();
      moved |= starter.poll();
      other.settle();
      starter.settle();
      starter.post();
      if (!moved) {
        awaitEvent(
            other.received() < starter.posted() || other.owes() || starter.finished()
                ? other
                : starter);
      }
      look(starter);
    }
  }

  private static void awaitEvent(PingPongPlayer player) {
    CompletionQueue ready = player.side().channel().getCqEvent(LOOK_NS);
    if (ready == null) {
      player.idle();
    } else {
      ready.ackEvents(1);
      ready.requestNotification(false);
    }
  }

  private void waitForEvents(PingPongPlayer player, AtomicReference<Throwable> failure) {
    CompletionQueue cq = player.side().cq();
    cq.requestNotification(false);
    player.post();
    while (!player.finished() && failure.get() == null && !interruption.asked()) {
      if (player.poll()) {
        player.post();
        player.settle();
      } else {
        awaitEvent(player);
      }
      look(player);
    }
  }

  /**
   * Keeps the queue pair for a moment, to acknowledge the server's last message again if our
   * acknowledgement was lost.
   */
  private void linger(PingPongPlayer player) {
    long endNs = System.nanoTime() + LINGER_NS;
    while (System.nanoTime() - endNs < 0 && !interruption.asked()) {
      player.poll();
      Thread.onSpinWait();
    }
  }

  private void look(PingPongPlayer player) {
    if (player == reporting) {
      progress.update(player.received(), System.nanoTime());
    }
  }

  private static void guarded(AtomicReference<Throwable> failure, Runnable work) {
    try {
      work.run();
    } catch (RuntimeException | Error e) {
      failure.compareAndSet(null, e);
    }
  }
}
