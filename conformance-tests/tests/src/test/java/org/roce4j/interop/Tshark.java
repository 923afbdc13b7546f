package org.roce4j.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The dissector that reads our captures beside our own. */
final class Tshark {
  private Tshark() {}

  /** Skips the test, saying why, where it is not installed. */
  static void assumeInstalled() {
    assumeTrue(
        Stream.of("/usr/bin/tshark", "/usr/local/bin/tshark").map(Path::of).anyMatch(Files::exists),
        "tshark is not installed");
  }

  /**
   * Reads a capture.
   *
   * @param printed takes what it prints
   * @param options beside the name of the capture
   */
  static void read(Path capture, Path printed, String... options)
      throws IOException, InterruptedException {
    List<String> command =
        Stream.concat(Stream.of("tshark", "-r", capture.toString()), Stream.of(options)).toList();
    Process tshark =
        new ProcessBuilder(command)
            .redirectOutput(printed.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertEquals(0, tshark.waitFor());
  }
}
