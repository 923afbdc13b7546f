package org.roce4j.tools.perf;

import java.util.List;
import java.util.ServiceLoader;
import java.util.function.Function;
import picocli.CommandLine.Command;

/**
 * A limit that {@code roce4j perf} compares a device with. Another module provides one as a
 * service; its picocli options join those of the command. Without such a module there is nothing to
 * compare with.
 */
@Command
public class Yardstick {
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
