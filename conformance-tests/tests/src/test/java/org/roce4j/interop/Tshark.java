package org.roce4j.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** tshark, which reads captures independently of roce4j. */
final class Tshark {
  private Tshark() {}

  /** Skips the test with a reason if tshark is not installed. */
  static void assumeInstalled() {
    assumeTrue(
        Stream.of("/usr/bin/tshark", "/usr/local/bin/tshark").map(Path::of).anyMatch(Files::exists),
        "tshark is not installed");
  }

  /**
   * Reads a capture.
   *
   * @param printed the file for the output
   * @param options options besides the name of the capture
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
