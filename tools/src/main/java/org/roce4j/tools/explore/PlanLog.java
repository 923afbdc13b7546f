package org.roce4j.tools.explore;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.roce4j.port.fault.FaultReport;

/**
 * Reads what the processes of a run wrote into the directory of {@code ROCE4J_PLAN_LOG}: what the
 * plan met, and the failed tests with {@code @EmulatedRdma}.
 */
final class PlanLog {
  private PlanLog() {}

  static FaultReport read(Path directory) {
    FaultReport sum = FaultReport.NONE;
    for (Path file : files(directory, ".txt")) {
      try {
        sum = sum.and(FaultReport.parse(Files.readString(file)));
      } catch (IOException | IllegalArgumentException e) {
        continue; // A process was ended while it was writing; the search continues with less
        // information.
      }
    }
    return sum;
  }

  /** The first failed test of the first process that has one; empty: there is none. */
  static String failedTest(Path directory) {
    for (Path file : files(directory, ".failures")) {
      try {
        return Files.readAllLines(file).stream().findFirst().orElse("");
      } catch (IOException e) {
        continue; // as in report()
      }
    }
    return "";
  }

  private static List<Path> files(Path directory, String end) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(end)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
