package org.roce4j.tools.console;

import java.io.PrintWriter;
import org.roce4j.verbs.text.Wording;

/**
 * Shows the progress of long work on stderr: at once and in place on a terminal, otherwise a line
 * every two seconds, so that short work stays silent. The caller supplies the time. Not
 * thread-safe.
 */
public final class ProgressLine {
  private static final long TERMINAL_PERIOD_NS = 200_000_000L;
  private static final long PLAIN_PERIOD_NS = 2_000_000_000L;

  private final PrintWriter err;
  private final boolean terminal;
  private final String what;
  private final long total;
  private final long startNs;
  private long nextNs;
  private int drawn;

  /**
   * Starts a progress line.
   *
   * @param terminal whether {@code err} is a terminal, where a line can be redrawn
   * @param what plural name of the counted things; for work of a fixed time, the name of the work
   * @param total number of things; for {@link #updateTime}, seconds
   * @param nowNs the time, ns of any clock
   */
  public ProgressLine(PrintWriter err, boolean terminal, String what, long total, long nowNs) {
    this.err = err;
    this.terminal = terminal;
    this.what = what;
    this.total = total;
    this.startNs = nowNs;
    this.nextNs = nowNs + (terminal ? TERMINAL_PERIOD_NS : PLAIN_PERIOD_NS);
  }

  /** Shows the progress when it is due. */
  public void update(long done, long nowNs) {
    update(done, total, nowNs);
  }

  /** As {@link #update(long, long)}, for work whose total changes. */
  public void update(long done, long total, long nowNs) {
    if (nowNs - nextNs >= 0) {
      show(counted(done, total, nowNs), nowNs);
    }
  }

  /** As {@link #update(long, long)}, for work that takes {@code total} seconds. */
  public void updateTime(long nowNs) {
    if (nowNs - nextNs >= 0) {
      show(Wording.of("%s: %d of %d s", what, (nowNs - startNs) / 1_000_000_000L, total), nowNs);
    }
  }

  private void show(String line, long nowNs) {
    nextNs = nowNs + (terminal ? TERMINAL_PERIOD_NS : PLAIN_PERIOD_NS);
    if (terminal) {
      err.print("\r" + line + " ".repeat(Math.max(0, drawn - line.length())));
      drawn = line.length();
    } else {
      err.println(line);
    }
    err.flush();
  }

  private String counted(long done, long total, long nowNs) {
    long percent = total == 0 ? 100 : done * 100 / total;
    double seconds = (nowNs - startNs) / 1e9;
    return Wording.of(
        "%d of %d %s (%d %%) in %.0f s%s",
        done, total, what, percent, Math.floor(seconds), estimate(done, total, seconds));
  }

  /** The estimated time left, from the speed so far. */
  private static String estimate(long done, long total, double seconds) {
    return done <= 0 || done >= total
        ? ""
        : Wording.of(", %.0f s left", Math.ceil(seconds * (total - done) / done));
  }

  /** Erases the line from the terminal. */
  public void end() {
    if (drawn > 0) {
      err.print("\r" + " ".repeat(drawn) + "\r");
      err.flush();
      drawn = 0;
    }
  }
}
