package org.roce4j.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** The soft-RoCE suite on a machine without an emulator, packages or a kernel for it. */
@EnabledOnOs(OS.LINUX)
@Timeout(60)
class BareMachineTest {
  /**
   * The programs that the scripts themselves need; no emulator, no package manager, no dissector.
   */
  private static final List<String> PROGRAMS =
      List.of(
          "awk",
          "basename",
          "bash",
          "cat",
          "cut",
          "dirname",
          "env",
          "false",
          "grep",
          "head",
          "id",
          "ip",
          "mkdir",
          "readlink",
          "rm",
          "sed",
          "sort",
          "tail",
          "test",
          "uname",
          "uniq");

  @TempDir private Path scratch;
  private Path programs;

  private record Outcome(int status, String output) {}

  @BeforeEach
  void leaveOutWhatTheGuestNeeds() throws IOException {
    assumeTrue(Files.isExecutable(Path.of("/bin/bash")));
    programs = Files.createDirectory(scratch.resolve("bin"));
    for (String program : PROGRAMS) {
      for (String directory : List.of("/usr/bin", "/bin", "/usr/sbin", "/sbin")) {
        Path found = Path.of(directory, program);
        if (Files.isExecutable(found) && !Files.exists(programs.resolve(program))) {
          Path script = programs.resolve(program);
          Files.writeString(script, "#!/bin/sh\nexec " + found + " \"$@\"\n");
          assertTrue(script.toFile().setExecutable(true));
        }
      }
    }
  }

  private Outcome suite(String... arguments) throws IOException, InterruptedException {
    Path repository = Path.of("").toAbsolutePath().getParent().getParent();
    List<String> command = new ArrayList<>();
    command.add("/bin/bash");
    command.add(repository.resolve("conformance-tests/interop/run-suite").toString());
    command.addAll(List.of(arguments));
    Path output = scratch.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    builder.environment().put("PATH", programs.toString());
    builder.environment().put("ROCE4J", "/bin/false");
    builder.environment().put("ROCE4J_RXE_CACHE", scratch.resolve("no-cache").toString());
    builder.environment().put("TMPDIR", scratch.toString());
    builder.environment().remove("ROCE4J_RXE_KERNEL_TREE");
    int status = builder.start().waitFor();
    return new Outcome(status, Files.readString(output));
  }

  @Test
  void everyCaseIsSkippedAndTheSuiteSaysForWhatAndHowToGetIt() throws Exception {
    int cases = (int) suite("--list").output().lines().count();
    assertTrue(cases > 20, cases + " cases");

    Outcome outcome = suite();

    assertEquals(0, outcome.status(), outcome::output);
    assertTrue(
        outcome.output().contains("0 passed, 0 failed, " + cases + " skipped"), outcome::output);
    assertTrue(
        outcome.output().contains("run as root") || outcome.output().contains("apt-get install"),
        outcome::output);
  }

  @Test
  void whoRequiresTheCasesIsToldByTheStatus() throws Exception {
    assertEquals(1, suite("--only", "devinfo", "--require").status());
  }

  @Test
  void aPatternThatMatchesNothingIsAnError() throws Exception {
    assertEquals(2, suite("--only", "no-such-case").status());
  }

  @Test
  void noNameStandsForTwoCases() throws Exception {
    List<String> names = suite("--full", "--list").output().lines().toList();
    assertEquals(names.size(), names.stream().distinct().count());
    assertTrue(names.size() > 120, names.size() + " cases");
  }
}
