package org.roce4j.tools.perf;

import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Function;
import org.roce4j.tools.perf.traffic.Measurement;
import picocli.CommandLine.Command;

/**
 * A limit that {@code roce4j perf} compares a device with. Another module provides one as a
 * service; its picocli options join those of the command. Without such a module there is nothing to
 * compare with.
 */
@Command
public class Yardstick {
  /** The result of a comparison, besides the device's own figures. */
  public interface Comparison {
    /** The device's last run. */
    Measurement measurement();

    /** Whether the comparison shows anything; if not, the command ends with status 1. */
    boolean credible();

    /** The lines of the text output. */
    List<String> text();

    /** The member {@code limit} of the JSON object. */
    Map<String, Object> json();
  }

  static Yardstick find() {
    return ServiceLoader.load(Yardstick.class).findFirst().orElseGet(Yardstick::new);
  }

  /** Whether the command line asks for a comparison. */
  public boolean wanted() {
    return false;
  }

  /** The length of the device's run if the command line does not set it, nanoseconds. */
  public long runNs() {
    return 0;
  }

  /** Refuses options that do not fit, by {@link PerfOptions#demand}. */
  public void check(PerfOptions options) {}

  /**
   * Plays a run of two local processes.
   *
   * @param run takes the arguments that both processes share
   */
  public PerfReport shared(Function<List<String>, PerfReport> run) {
    return run.apply(List.of());
  }

  /** Plays one side of a timetable that both sides follow. */
  public Comparison compare(PerfOptions options, Session session, boolean client) {
    throw new UnsupportedOperationException("there is nothing to compare with");
  }
}
