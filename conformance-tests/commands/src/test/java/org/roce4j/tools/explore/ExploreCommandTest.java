package org.roce4j.tools.explore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.tools.CommandRun;
import org.roce4j.tools.console.Json;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "the commands are a Unix shell's")
class ExploreCommandTest {
  private static final String JAVA =
      Path.of(System.getProperty("java.home"), "bin", "java")
          + " -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -cp "
          + System.getProperty("java.class.path");

  @TempDir private Path directory;

  /** Reports three datagrams as sent, then runs the given command. */
  private String script(String then) throws IOException {
    Path script = directory.resolve("program");
    Files.writeString(
        script, "echo out RC_SEND_ONLY 3 >$ROCE4J_PLAN_LOG/1.txt\necho runs\n" + then + "\n");
    return "sh " + script;
  }

  private CommandRun explore(String options, String command) {
    return CommandRun.of(
        "explore --seed 1 --output "
            + directory.resolve("found.yaml")
            + options
            + " -- "
            + command);
  }

  @Test
  void aProgramThatDoesNotRetryIsFoundAndTheFileRepeatsIt() throws IOException {
    String program = JAVA + " org.roce4j.tools.explore.PlantedProgram no-retry";
    CommandRun run = explore(" --repeats 1", program);
    assertEquals(1, run.status(), run.err());
    run.assertPrinted("its first device sends 5 datagrams and receives 5");
    run.assertPrinted("smallest after 1 more runs, fails 2 of 2 times: exit status 1");
    run.assertPrinted("  seed=1; drop direction=out opcode=RC_SEND_ONLY nth=1");
    run.assertPrinted("that this end sends, the 1st: it is lost.");
    run.assertPrinted("RETRY_EXC_ERR");
    run.assertPrinted(
        "@EmulatedRdma(seed = 1, faults = \"drop direction=out opcode=RC_SEND_ONLY nth=1\")");

    Path file = directory.resolve("found.yaml");
    assertEquals(
        "seed=1; drop direction=out opcode=RC_SEND_ONLY nth=1\n",
        CommandRun.of("faults " + file).out());
    CommandRun again = explore(" --repeats 1 --replay " + file, program);
    assertEquals(1, again.status());
    again.assertPrinted("fails 1 of 1 times: exit status 1");
  }

  @Test
  void aProgramThatRetriesIsNot() {
    CommandRun run =
        explore(" --runs 4 --jobs 2", JAVA + " org.roce4j.tools.explore.PlantedProgram sound");
    assertEquals(0, run.status(), run.err());
    assertEquals("nothing found in 4 runs", run.lastLine());
    assertFalse(Files.exists(directory.resolve("found.yaml")));
  }

  @Test
  void whatDoesNotEndIsEndedWithAllThatItStarted() throws IOException {
    String program =
        script(
            "case $ROCE4J_PLAN in *drop*) trap '' TERM; echo $$; while :; do sleep 600; done;;"
                + " esac");
    CommandRun run = explore(" --timeout 3s --repeats 0 --shrink 0", program);
    assertEquals(1, run.status(), run.err());
    run.assertPrinted("fails 1 of 1 times: it hangs");
    String shell =
        run.out().lines().filter(line -> line.matches(" {2}\\d+")).findFirst().orElseThrow();
    assertTrue(
        ProcessHandle.of(Long.parseLong(shell.strip())).filter(ProcessHandle::isAlive).isEmpty());
  }

  @Test
  void theStatusThatCountsCanBeChosen() throws IOException {
    String program = script("case $ROCE4J_PLAN in *delay*) exit 3;; *drop*) exit 1;; esac; exit 0");
    CommandRun run = explore(" --exit-status 3,4 --repeats 0 --json", program);
    assertEquals(1, run.status(), run.err());
    Map<?, ?> found = (Map<?, ?>) ((Map<?, ?>) Json.read(run.out())).get("found");
    assertEquals("exit status 3", found.get("failure"));
    assertEquals(List.of(), List.of(run.out().lines().skip(1).toArray()));
    assertTrue(found.get("plan").toString().contains("delay=1us"), found.toString());
  }

  /** The exit status of a build tool does not depend on the test that failed. */
  @Test
  void theFailedTestOfABuildIsNamed() throws IOException {
    String program =
        script(
            """
            case $ROCE4J_PLAN in *drop*)
              echo "Exception in thread \"Thread-1\" java.io.IOException: of no interest"
              echo "[ERROR] Failures:"
              echo "org.example.FirstError: it broke"
              echo "org.example.FirstError in ATest.first" >$ROCE4J_PLAN_LOG/2.failures
              exit 1;;
            esac\
            """);
    CommandRun run = explore(" --repeats 1", program);
    assertEquals(1, run.status(), run.err());
    run.assertPrinted("fails 2 of 2 times: org.example.FirstError in ATest.first");
    run.assertPrinted("it prints:\n  org.example.FirstError: it broke\n");
    String found = Files.readString(directory.resolve("found.yaml"));
    assertTrue(found.contains("org.example.FirstError in ATest.first"), found);
  }

  @Test
  void theBaseIsPartOfWhatRepeatsIt() throws IOException {
    String program = script("case $ROCE4J_PLAN in *drop*) exit 1;; esac");
    CommandRun run = explore(" --repeats 0 --plan-base delay=3us", program);
    assertEquals(1, run.status(), run.err());
    run.assertPrinted("  seed=1; delay=3us; drop direction=out opcode=RC_SEND_ONLY nth=1");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "explore | what to run? Give it behind --",
        "explore --runs 0 -- true | --runs must be 1 or more, not 0",
        "explore --jobs 0 -- true | --jobs must be 1 to 1000, not 0",
        "explore --jobs 1001 -- true | --jobs must be 1 to 1000, not 1001",
        "explore --repeats -1 -- true | --repeats must be 0 or more, not -1",
        "explore --shrink -1 -- true | --shrink must be 0 or more, not -1",
        "explore --time 5 minutes -- true | --time=5: give a time in ns, us, ms or s, at least 1ms",
        "explore --timeout 1us -- true | --timeout=1us: give a time",
        "explore --seed 0 -- true | --seed must be 1 or more, not 0",
        "explore --exit-status x -- true | --exit-status",
        "explore --exit-status 256 -- true | --exit-status must be 0 to 255, not 256",
        "explore --exit-status 3,-1 -- true | --exit-status must be 0 to 255, not -1",
        "explore --plan-base nonsense -- true | 'nonsense' is no fault",
        "explore --output nowhere/x.yaml -- true | --output: there is no directory",
        "explore --replay nowhere.yaml -- true | there is no file nowhere.yaml",
        "explore -- /no/such/program | cannot start /no/such/program",
        "explore --test x.Y | --test and --class-path belong together",
        "explore --test x.Y --class-path . -- true | --test takes the place of a command",
        "explore --test x.Y --class-path nowhere | --class-path: there is no nowhere",
        "explore --test x.Y --class-path . | --class-path has no JUnit",
        "explore --test x.Y --class-path . --exit-status 3 | --exit-status is about a command",
        "explore -- true | no datagram went through a device of roce4j",
        "explore --timeout 300ms -- sleep 30 | it does not end without faults: ended after 300ms,"
            + " --timeout allows it more; it prints nothing",
        "explore -- false | it fails without faults (exit status 1)",
      })
  void whatCannotBeIsRefusedWithWords(String line, String words) {
    CommandRun run = CommandRun.of(line);
    assertEquals(2, run.status(), run.err());
    assertTrue(run.err().contains(words), run.err());
  }

  /** SIGTERM is handled as Ctrl-C is. */
  @Test
  void whoEndsItGetsTheSmallestSoFar() throws Exception {
    String mark = directory.resolve("mark").toString();
    String program =
        script(
            "[ ! -e %s ] || case $ROCE4J_PLAN in *drop*) exit 1;; *) sleep 30;; esac; touch %s"
                .formatted(mark, mark));
    String line =
        JAVA
            + " org.roce4j.tools.Roce4j explore --seed 1 --repeats 0 --output "
            + directory.resolve("found.yaml")
            + " -- "
            + program;
    Process process =
        new ProcessBuilder(line.split(" "))
            .redirectError(directory.resolve("err").toFile())
            .start();
    try (BufferedReader out = process.inputReader()) {
      String first = out.readLine();
      assertTrue(first.startsWith("seed 1: without faults it passes"), first);
      assertTrue(out.readLine().startsWith("run "));
      process.toHandle().destroy();
      List<String> rest = out.lines().toList();
      assertTrue(rest.get(1).startsWith("smallest so far after "), rest::toString);
      assertTrue(rest.contains("written: " + directory.resolve("found.yaml")), rest::toString);
    }
    assertTrue(process.waitFor() != 0);
    assertTrue(Files.exists(directory.resolve("found.yaml")));
  }
}
