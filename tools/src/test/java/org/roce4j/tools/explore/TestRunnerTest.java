package org.roce4j.tools.explore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.emulator.Faults;
import org.roce4j.tools.CommandRun;
import org.roce4j.tools.explore.Outcome.End;

class TestRunnerTest {
  private static final String CASES = PlantedCases.class.getName();
  private static final String CLASS_PATH = System.getProperty("java.class.path");
  private static final Faults SOUND = Faults.parse("seed=1");
  private static final Faults LOSS = Faults.parse("seed=1; drop direction=in nth=2");
  private static final long MINUTE_NS = 60_000_000_000L;

  @TempDir private Path directory;

  @Test
  void aTestIsSearchedInOneJvm() {
    CommandRun run =
        CommandRun.of(
            "explore --seed 1 --output %s --test %s#readsWithoutRetries --class-path %s"
                .formatted(directory.resolve("found.yaml"), CASES, CLASS_PATH));
    assertEquals(1, run.status(), run.err());
    run.assertPrinted(
        "fails 5 of 5 times: org.roce4j.connect.FailedRequestException in readsWithoutRetries()");
    run.assertPrinted("  seed=1; drop direction=out opcode=RC_SEND_ONLY nth=1");
    run.assertPrinted("mvn test -Dtest=PlantedCases#readsWithoutRetries");
    run.assertPrinted("RETRY_EXC_ERR");
  }

  @Test
  void faultsAtTheVerbsAreTriedWhenTheyAreAskedFor() {
    CommandRun run =
        CommandRun.of(
            "explore --seed 1 --verbs --repeats 1 --output %s --test %s#reads --class-path %s"
                .formatted(directory.resolve("found.yaml"), CASES, CLASS_PATH));
    assertEquals(1, run.status(), run.err());
    run.assertPrinted("fails 2 of 2 times: org.roce4j.verbs.VerbsException in reads()");
    run.assertPrinted("  seed=1; refuse=ENOMEM call=");
  }

  @Test
  void aTestThatIsNotThereIsToldAndNothingElseFails() {
    try (TestRunner runner = new TestRunner(CASES + "#nothing", CLASS_PATH, () -> false)) {
      Outcome outcome = runner.run(SOUND, directory, MINUTE_NS);
      assertEquals("there is no test " + CASES + "#nothing", outcome.failure());
    }
  }

  @Test
  void aJvmThatHangsIsReplaced() {
    try (TestRunner runner = new TestRunner(CASES + "#waitsForEver", CLASS_PATH, () -> false)) {
      assertEquals(End.PASSED, runner.run(SOUND, directory, MINUTE_NS).end());
      Outcome hung = runner.run(LOSS, directory, 500_000_000L);
      assertEquals(End.HUNG, hung.end());
      assertTrue(
          hung.telling(8).stream().anyMatch(line -> line.contains("\"main\"")),
          () -> String.join("\n", hung.lastLines()));
      assertEquals(End.PASSED, runner.run(SOUND, directory, MINUTE_NS).end());
    }
  }

  @Test
  void aJvmThatEndsIsAFailureAndIsReplaced() {
    try (TestRunner runner = new TestRunner(CASES + "#endsTheJvm", CLASS_PATH, () -> false)) {
      Outcome ended = runner.run(LOSS, directory, MINUTE_NS);
      assertEquals(End.FAILED, ended.end());
      assertEquals("the JVM ends", ended.failure());
      assertEquals(End.PASSED, runner.run(SOUND, directory, MINUTE_NS).end());
    }
  }
}
