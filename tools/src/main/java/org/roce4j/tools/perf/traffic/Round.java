package org.roce4j.tools.perf.traffic;

import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.roce4j.tools.console.ToolFailure;

/** Drives one side through a round, or both where they share a thread. */
public final class Round {
  private static final int LOOK_AFTER = 1024;

  /** A port with a thread of its own needs a processor too. */
  private static final int YIELD_AFTER = 64;

  private static final int CLOCK_EVERY = 16;

  /** Real time after which a virtual network is taken to have nothing left to deliver. */
  private static final long QUIET_NS = 50_000_000L;

  private static final long SLEEP_NS = 20_000_000L;

  private final LongSupplier clock;
  private final long patienceNs;

  /**
   * How rounds are driven.
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
   * @param messages of each queue pair, or {@link Long#MAX_VALUE}
   * @param durationNs how long to send, or 0
   * @param peerIsDone whether the peer has ended the round; asked now and then
   */
  public void play(Player player, long messages, long durationNs, BooleanSupplier peerIsDone) {
    player.begin(messages, clock);
    long beginNs = clock.getAsLong();
    long endNs = beginNs + durationNs;
    long movedNs = beginNs;
    boolean sleeps = player.plan.events() && player.plan.test() != PerfTest.WRITE_LAT;
    int empty = 0;
    int steps = 0;
    while (!player.finished()) {
      boolean moved = player.step();
      if (durationNs > 0 && ++steps % CLOCK_EVERY == 0 && clock.getAsLong() - endNs >= 0) {
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
        Thread.yield(); // no hint between: what polls calls the kernel each time
      }
    }
    player.measurement.end();
  }

  private void look(Player player, long movedNs, BooleanSupplier peerIsDone) {
    if (peerIsDone.getAsBoolean()) {
      player.stop();
    } else if (player.expectsMore() && clock.getAsLong() - movedNs > patienceNs) {
      throw ToolFailure.atRunTime(
          "the peer has been silent for %d s, after %s%s; both sides need the same test, -n and -s"
              .formatted(
                  patienceNs / 1_000_000_000L,
                  player.progress(),
                  player.plan.lossy()
                      ? "; " + player.plan.service() + " does not repeat what is lost"
                      : ""));
    }
  }

  /** Plays both sides on this thread, in turn, until the client has finished. */
  public void playBoth(Player client, Player server, long messages) {
    client.begin(messages, clock);
    server.begin(messages, clock);
    long moved = System.nanoTime();
    while (!client.finished() || !server.finished()) {
      boolean any = server.step();
      any |= client.step();
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
