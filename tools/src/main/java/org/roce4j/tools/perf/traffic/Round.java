package org.roce4j.tools.perf.traffic;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.roce4j.tools.console.ToolFailure;

/** Drives one side through a round, or both if they share a thread. */
public final class Round {
  private static final int LOOK_AFTER = 1024;

  /** A port with a thread of its own needs a processor too. */
  private static final int YIELD_AFTER = 64;

  private static final int CLOCK_EVERY = 16;

  /** Real time after which a virtual network is taken to have nothing left to deliver. */
  private static final long QUIET_NS = 50_000_000L;

  private static final long SLEEP_NS = 20_000_000L;

  /** The number of steps between two calls of the observer: a step takes 100 ns to some 10 us. */
  private static final int WATCH_EVERY = 1024;

  private final LongSupplier clock;
  private final long patienceNs;

  /** The observer of a round's progress. */
  public interface Watch {
    /** Nobody. */
    Watch NONE = (messages, nowNs) -> false;

    /**
     * Called with the progress of the round.
     *
     * @param messages that are done
     * @param nowNs real time, {@link System#nanoTime}
     * @return whether the round should end early
     */
    boolean seen(long messages, long nowNs);
  }

  /**
   * Drives rounds.
   *
   * @param clock nanoseconds of the network
   * @param patienceNs how long the peer may be silent
   */
  public Round(LongSupplier clock, long patienceNs) {
    this.clock = clock;
    this.patienceNs = patienceNs;
  }

  /**
   * Plays one side to the end of the round.
   *
   * @param messages number of messages of each queue pair, or {@link Long#MAX_VALUE}
   * @param durationNs time of sending, or 0
   * @param peerIsDone whether the peer has ended the round; called from time to time
   * @param watch called from time to time
   */
  public void play(
      Player player, long messages, long durationNs, BooleanSupplier peerIsDone, Watch watch) {
    player.begin(messages, clock);
    long beginNs = clock.getAsLong();
    long endNs = beginNs + durationNs;
    long movedNs = beginNs;
    boolean sleeps = player.plan.events() && player.plan.test() != PerfTest.WRITE_LAT;
    int empty = 0;
    int steps = 0;
    while (!player.finished()) {
      boolean moved = player.step();
      steps++;
      if (durationNs > 0 && steps % CLOCK_EVERY == 0 && clock.getAsLong() - endNs >= 0) {
        player.stop();
      }
      if ((sleeps || steps % WATCH_EVERY == 0) && watch(watch, player)) {
        player.stop();
      }
      if (moved) {
        empty = 0;
        continue;
      }
      empty++;
      if (empty == 1) {
        movedNs = clock.getAsLong();
      }
      if (sleeps) {
        player.sleep(SLEEP_NS);
        look(player, movedNs, peerIsDone);
      } else if (empty % LOOK_AFTER == 0) {
        look(player, movedNs, peerIsDone);
      } else if (empty % YIELD_AFTER == 0) {
        Thread.yield(); // no spin hint: each poll calls the kernel
      }
    }
    player.measurement.end();
  }

  private static boolean watch(Watch watch, Player player) {
    return watch.seen(player.measurement.messages(), System.nanoTime());
  }

  private void look(Player player, long movedNs, BooleanSupplier peerIsDone) {
    if (peerIsDone.getAsBoolean()) {
      player.stop();
    } else if (player.expectsMore() && clock.getAsLong() - movedNs > patienceNs) {
      throw ToolFailure.atRunTime(
          "the peer has been silent for %d s, after %s%s; both sides need the same test, -n and"
              + " -s",
          patienceNs / 1_000_000_000L,
          player.progress(),
          player.plan.lossy()
              ? "; " + player.plan.service() + " does not repeat what is lost"
              : "");
    }
  }

  /** Plays both sides on this thread, in turn, until the client has finished. */
  public void playBoth(Player client, Player server, long messages, Watch watch) {
    client.begin(messages, clock);
    server.begin(messages, clock);
    long moved = System.nanoTime();
    int steps = 0;
    while (!client.finished() || !server.finished()) {
      boolean any = server.step();
      any |= client.step();
      if (++steps % WATCH_EVERY == 0 && watch(watch, client)) {
        client.stop();
      }
      if (client.finished() && !server.finished()) {
        server.stop();
      }
      if (any) {
        moved = System.nanoTime();
      } else if (client.finished() && System.nanoTime() - moved > QUIET_NS) {
        break;
      } else if (System.nanoTime() - moved > patienceNs) {
        throw ToolFailure.atRunTime("nothing is left to happen after " + client.progress());
      }
    }
    client.measurement.end();
    server.measurement.end();
  }
}
