package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.tools.console.StandardOutput;

/** No command reports success when its output is lost. */
@Timeout(120)
class LostOutputTest {
  /** Another build may have the usual address; only Linux has every address of 127.0.0.0/8. */
  private static final String OWN =
      OS.LINUX.isCurrentOs() ? " --set device.roce0.addresses=" + OwnNetwork.address(67) : "";

  @TempDir private static Path directory;
  private static String capture;

  private final StringWriter err = new StringWriter();

  @BeforeAll
  static void makeACapture() {
    capture = directory.resolve("p.pcapng").toString();
    CommandRun.of("pingpong --transport fabric --iters 3 --capture " + capture);
  }

  /** A full disk, or a pipe that is closed. */
  private static PrintWriter refusing(String why) {
    OutputStream refusing =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            throw new IOException(why);
          }
        };
    return new PrintWriter(new StandardOutput(refusing), false, StandardCharsets.UTF_8);
  }

  private int run(String why, String line) {
    String[] words = line.replace("FILE", capture).split(" ");
    return Roce4j.run(refusing(why), new PrintWriter(err, true), false, words);
  }

  static Stream<String> commands() {
    return Stream.concat(
        Roce4j.commandLine().getSubcommands().keySet().stream().map(name -> name + " --help"),
        Stream.of(
            "--help",
            "--version",
            "help perf",
            "pingpong --transport fabric --iters 1",
            "perf write_lat --transport fabric -n 5",
            "inspect FILE",
            "inspect --json FILE",
            "devices" + OWN,
            "devinfo" + OWN,
            "doctor" + OWN,
            "explain REM_ACCESS_ERR",
            "conformance --backend fabric --list",
            "conformance --error-table",
            "simulate --seed 1"));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void aFullDiskIsToldInALine(String line) {
    assertEquals(1, run("No space left on device", line), line);
    assertEquals(1, err.toString().lines().count(), err.toString());
    assertTrue(
        err.toString().contains(": cannot write standard output: No space left on device"),
        err.toString());
  }

  @ParameterizedTest
  @MethodSource("commands")
  void aReaderThatHasGoneIsToldNothing(String line) {
    assertEquals(1, run("Broken pipe", line), line);
    assertEquals("", err.toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "simulate --seed 1 --capture /dev/full",
        "pingpong --transport fabric --iters 1 --capture /dev/full",
        "inspect --html /dev/full FILE",
        "view --html /dev/full FILE",
        "view --log /dev/full FILE"
      })
  @EnabledOnOs(OS.LINUX)
  void aFileThatCannotBeWrittenIsALine(String line) {
    CommandRun run = CommandRun.of(line.replace("FILE", capture));
    assertEquals(1, run.status(), run.out());
    assertEquals(1, run.err().lines().count(), run.err());
    assertTrue(run.err().contains("No space left on device"), run.err());
    assertFalse(run.err().contains("internal error"), run.err());
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void theProcessTellsItByItsStatus() throws Exception {
    Process process =
        CommandRun.process("--version")
            .redirectOutput(new File("/dev/full"))
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    assertTrue(process.waitFor(60, TimeUnit.SECONDS));
    assertEquals(1, process.exitValue());
  }
}
