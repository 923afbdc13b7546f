package org.roce4j.tools.explore;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.emulator.Faults;
import org.roce4j.port.fault.FaultDirection;
import org.roce4j.port.fault.FaultReport;
import org.roce4j.port.fault.FaultReport.Traffic;
import org.roce4j.tools.CommandRun;
import org.roce4j.tools.explore.Outcome.Ending;
import org.roce4j.wire.Opcode;

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
    Path page = directory.resolve("found.packets/Case.reads/packets.html");
    assertEquals("its packets: " + page, run.lastLine());
    assertTrue(Files.exists(page));
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

  /** The plan applies to one device on sockets: in each test, the first that is open. */
  @Test
  void devicesOnSocketsSufferItOneAfterTheOther() throws IOException {
    try (TestRunner runner = new TestRunner(CASES + "#sendsOnSockets", CLASS_PATH, () -> false)) {
      Outcome sound = runner.run(SOUND, directory, MINUTE_NS);
      assertEquals("", sound.failure(), () -> String.join("\n", sound.lastLines()));
      Traffic sent = new Traffic(FaultDirection.OUT, Opcode.RC_SEND_ONLY.code());
      assertEquals(3, sound.met().datagrams().get(sent), sound.met()::toString);
      assertTrue(sound.lastLines().contains("hello3"));
      for (String end : List.of("out", "in")) {
        Faults loss = Faults.parse("seed=1; drop direction=" + end + " service=RC nth=2");
        Path log = Files.createDirectory(directory.resolve(end));
        Outcome lost = runner.run(loss, log, MINUTE_NS);
        assertEquals(Ending.FAILED, lost.end(), () -> String.join("\n", lost.lastLines()));
        assertTrue(lost.lastLines().contains("hello1"));
        assertEquals(List.of(2L), lost.met().hits(0).stream().map(FaultReport.Hit::meant).toList());
      }
      assertEquals(Ending.PASSED, runner.run(SOUND, directory, MINUTE_NS).end());
    }
  }

  @Test
  void aTestThatIsNotThereIsToldAndNothingElseFails() {
    try (TestRunner runner = new TestRunner(CASES + "#nothing", CLASS_PATH, () -> false)) {
      Outcome outcome = runner.run(SOUND, directory, MINUTE_NS);
      assertEquals("there is no test " + CASES + "#nothing", outcome.failure());
    }
    try (TestRunner runner = new TestRunner("com.example.Nothing", CLASS_PATH, () -> false)) {
      Outcome outcome = runner.run(SOUND, directory, MINUTE_NS);
      assertEquals("there is no class com.example.Nothing in the class path", outcome.failure());
    }
  }

  @Test
  void aJvmThatHangsIsReplaced() {
    try (TestRunner runner = new TestRunner(CASES + "#waitsForEver", CLASS_PATH, () -> false)) {
      assertEquals(Ending.PASSED, runner.run(SOUND, directory, MINUTE_NS).end());
      Outcome hung = runner.run(LOSS, directory, 500_000_000L);
      assertEquals(Ending.HUNG, hung.end());
      assertTrue(
          hung.telling(8).stream().anyMatch(line -> line.contains("\"main\"")),
          () -> String.join("\n", hung.lastLines()));
      assertEquals(Ending.PASSED, runner.run(SOUND, directory, MINUTE_NS).end());
    }
  }

  @Test
  void aJvmThatEndsIsAFailureAndIsReplaced() {
    try (TestRunner runner = new TestRunner(CASES + "#endsTheJvm", CLASS_PATH, () -> false)) {
      Outcome ended = runner.run(LOSS, directory, MINUTE_NS);
      assertEquals(Ending.FAILED, ended.end());
      assertEquals("the JVM ends", ended.failure());
      assertEquals(Ending.PASSED, runner.run(SOUND, directory, MINUTE_NS).end());
    }
  }
}
