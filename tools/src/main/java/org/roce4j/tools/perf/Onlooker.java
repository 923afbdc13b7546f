package org.roce4j.tools.perf;

import java.io.PrintWriter;
import java.util.function.LongConsumer;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.console.ProgressLine;
import org.roce4j.tools.perf.traffic.PerfPlan;
import org.roce4j.tools.perf.traffic.Round;

/** The observer of a round: it shows the progress and may end the round by Ctrl-C. */
final class Onlooker {
  private static final long SECOND_NS = 1_000_000_000L;

  /** Shows progress; null: none is shown. */
  private final PrintWriter err;

  private final boolean terminal;
  private final Interruption interruption;

  /** Is called with the time in ns while a part is played; may be null. */
  private final LongConsumer clock;

  /**
   * An observer.
   *
   * @param err takes the progress of long work
   * @param terminal whether {@code err} is one
   */
  Onlooker(PrintWriter err, boolean terminal, Interruption interruption) {
    this(err, terminal, interruption, null);
  }

  private Onlooker(
      PrintWriter err, boolean terminal, Interruption interruption, LongConsumer clock) {
    this.err = err;
    this.terminal = terminal;
    this.interruption = interruption;
    this.clock = clock;
  }

  /** No observer; Ctrl-C is not for this process, or ends it at once. */
  static Onlooker nobody() {
    return new Onlooker(null, false, new Interruption());
  }

  /**
   * An observer with a progress line and an interruption of its own, which is called with the time.
   */
  static Onlooker telling(LongConsumer clock, Interruption interruption) {
    return new Onlooker(null, false, interruption, clock);
  }

  /** Whether Ctrl-C has ended the measurement. */
  boolean interrupted() {
    return interruption.asked();
  }

  /** Plays a part of the work under this observer. */
  interface Part {
    void play(Round.Watch watch);
  }

  /** A warm-up: nothing is measured yet, so Ctrl-C ends the process at once. */
  void warmUp(long mostNs, Part part) {
    inSight("warming up", mostNs / SECOND_NS, true, part);
  }

  /** A round that is measured. */
  void measure(PerfPlan plan, Part part) {
    if (err != null) {
      interruption.begin();
    }
    if (plan.durationNs() > 0) {
      inSight("measuring", plan.durationNs() / SECOND_NS, true, part);
    } else {
      inSight("messages", plan.iterations() * plan.queuePairs(), false, part);
    }
  }

  private void inSight(String what, long total, boolean timed, Part part) {
    if (err == null) {
      part.play(clock == null ? Round.Watch.NONE : this::told);
      return;
    }
    long startNs = System.nanoTime();
    ProgressLine progress = new ProgressLine(err, terminal, what, total, startNs);
    try {
      part.play(
          (messages, nowNs) -> {
            if (timed) {
              progress.updateTime(nowNs);
            } else {
              progress.update(messages, nowNs);
            }
            return interruption.asked();
          });
    } finally {
      progress.end();
    }
  }

  private boolean told(long messages, long nowNs) {
    clock.accept(nowNs);
    return interruption.asked();
  }
}
