package org.roce4j.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.MethodSelector;
import org.junit.platform.engine.reporting.ReportEntry;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** The files that a failed test leaves, and the messages about impossible requests. */
@Isolated("speaks to the process's error stream and properties")
class FailureTest {
  @TempDir private Path directory;

  private final ByteArrayOutputStream said = new ByteArrayOutputStream();
  private PrintStream err;

  @BeforeEach
  void listen() {
    System.setProperty(TestFiles.DIRECTORY_PROPERTY, directory.toString());
    err = System.err;
    System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
  }

  @AfterEach
  void restore() {
    System.setErr(err);
    System.clearProperty(TestFiles.DIRECTORY_PROPERTY);
  }

  private static Events run(Class<?> sample) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(sample))
        .execute()
        .allEvents();
  }

  @Test
  void aFailedTestLeavesWhatIsOfThisRunAlone() throws IOException {
    Path fabric = directory.resolve("Samples.Failing.failsOnTheFabric");
    Files.createDirectories(fabric);
    Files.writeString(fabric.resolve("of-a-run-before.pcapng"), "no capture");
    run(Samples.Failing.class);
    List<String> counters = Files.readAllLines(fabric.resolve("counters.txt"));
    assertTrue(counters.contains("fault     mark-ecn direction=out nth=3"), counters.toString());
    assertFalse(Files.exists(fabric.resolve("of-a-run-before.pcapng")));
    assertTrue(
        Thread.getAllStackTraces().keySet().stream()
            .noneMatch(thread -> thread.getName().equals("roce4j-silence") && lasts(thread)),
        "nobody looks after devices that are gone");
  }

  private static boolean lasts(Thread thread) {
    try {
      return !thread.join(Duration.ofSeconds(20));
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aFailedTestLeavesPacketsCountersAndSaysWhere() throws IOException {
    Path fabric = directory.resolve("Samples.Failing.failsOnTheFabric");
    Events events = run(Samples.Failing.class);
    assertEquals(2, events.failed().count());
    Path sockets = directory.resolve("Samples.Failing.failsOnSockets");
    String text = said.toString(StandardCharsets.UTF_8);
    assertTrue(
        text.contains("roce4j: Samples.Failing.failsOnTheFabric failed on fabric with seed "),
        text);
    assertTrue(text.contains("roce4j: its packets and counters are in " + sockets), text);
    assertTrue(Files.size(fabric.resolve("packets.pcapng")) > 5 * 4096);
    assertTrue(Files.size(sockets.resolve("roce0.pcapng")) > 5 * 4096);
    assertTrue(Files.size(sockets.resolve("roce1.pcapng")) > 5 * 4096);
    for (Path place : List.of(fabric, sockets)) {
      String page = Files.readString(place.resolve("packets.html"));
      assertTrue(page.contains("failure   org.opentest4j.AssertionFailedError"), "why it failed");
      assertTrue(page.contains("RC_SEND_"), "its packets");
    }
    List<String> counters = Files.readAllLines(fabric.resolve("counters.txt"));
    assertTrue(counters.contains("transport fabric"), counters.toString());
    assertTrue(counters.contains("capture   0 packets in the middle left out"));
    assertTrue(counters.contains("device roce1"), counters.toString());
    assertTrue(
        counters.stream().anyMatch(line -> line.matches("  rdma_sends +5")), counters.toString());
    String seed =
        counters.stream().filter(line -> line.startsWith("seed")).findFirst().orElseThrow();
    assertTrue(text.contains("-Droce4j.seed=" + seed.substring(10)), text);
    Set<Map<String, String>> published =
        events
            .reportingEntryPublished()
            .map(event -> event.getRequiredPayload(ReportEntry.class).getKeyValuePairs())
            .collect(Collectors.toSet());
    assertEquals(2, published.size());
    assertTrue(
        published.contains(
            Map.of("roce4j.seed", seed.substring(10), "roce4j.directory", fabric.toString())),
        published.toString());
  }

  /** The text by which {@code ./roce4j explore -- mvn test} distinguishes failures. */
  @Test
  void aFailedTestIsInTheLogOfAnImposedPlan() throws IOException {
    System.setProperty("roce4j.plan-log", directory.toString());
    try {
      run(Samples.Failing.class);
    } finally {
      System.clearProperty("roce4j.plan-log");
    }
    Path log = directory.resolve(ProcessHandle.current().pid() + ".failures");
    assertEquals(
        Set.of(
            "org.opentest4j.AssertionFailedError in Samples.Failing.failsOnTheFabric",
            "org.opentest4j.AssertionFailedError in Samples.Failing.failsOnSockets"),
        Set.copyOf(Files.readAllLines(log)));
  }

  @Test
  void whereNobodySearchesNothingIsLogged() {
    System.setProperty("roce4j.plan-log", directory.resolve("none").toString());
    try {
      run(Samples.Failing.class);
    } finally {
      System.clearProperty("roce4j.plan-log");
    }
    String text = said.toString(StandardCharsets.UTF_8);
    assertFalse(text.contains("the log of"), text);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // in the assertion
        "REM_ACCESS_ERR .* RDMA_WRITE of 8 bytes .*QP 0x.* RC ERR on roce1 refused .* grants"
            + " LOCAL_WRITE only, REMOTE_WRITE is needed",
        "SEND of 5 bytes failed with RETRY_EXC_ERR: .* \\(SEND of 5 bytes: no ack.* on roce1 takes"
            + " no packet in ERR",
        // beside it, though the queue pairs are destroyed by then
        "roce4j: QP 0x.* on roce0: SEND of 5 bytes .* failed with RETRY_EXC_ERR: no acknowledgement"
            + " of PSN",
        "roce4j: QP 0x.* on roce1 refused RC_RDMA_WRITE_ONLY of 8 bytes .* grants LOCAL_WRITE only",
      })
  void aFailedTestSaysWhyRequestsFailed(String expected) {
    String messages = messages(run(Samples.Mistaken.class));
    String all = said.toString(StandardCharsets.UTF_8) + messages;
    assertTrue(Pattern.compile(expected).matcher(all).find(), all);
  }

  @Test
  void aFailedTestNamesTheCompletionsThatItsPlanFailed() throws IOException {
    run(Samples.Planned.class);
    Path left = directory.resolve("Samples.Planned.failsByItsPlan");
    String page = Files.readString(left.resolve("packets.html"));
    assertTrue(page.contains("fail=RETRY_EXC_ERR nth=1, fired once"), "how often a rule fired");
    Pattern line =
        Pattern.compile(
            "request   QP 0x[0-9a-f]+ on roce0: completion of \\w+ \\(wr_id \\d+\\) failed with"
                + " RETRY_EXC_ERR: a plan of faults failed it: fail=RETRY_EXC_ERR nth=1\"");
    assertTrue(line.matcher(page).find(), Files.readString(left.resolve("counters.txt")));
  }

  @Test
  void whatATestLeavesOpenIsNamedWithTheLineThatMadeIt() {
    Events events = run(Samples.Forgetful.class);
    String pattern =
        """
        roce4j: Samples.Forgetful.leavesObjects left open:
          protection domain \\d+ on roce0 and 2 more, made at \\S+leavesObjects\\(Samples.java:\\d+\\)
          context of roce0 and 5 more, made at \\S+leavesObjects\\(Samples.java:\\d+\\)
        """;
    String text = said.toString(StandardCharsets.UTF_8);
    assertTrue(text.matches(pattern + "(?s).*"), text);
    assertFalse(text.contains("mayLeaveSome"), text);
    String messages = messages(events);
    assertTrue(
        messages.matches(
            "(?s)Samples.Forgetful.mustLeaveNone left open:\\s+context of roce0, made at .*"),
        messages);
  }

  /** A test that fails seldom comes as far as its closing. */
  @Test
  void whatAFailedTestLeavesOpenIsNotHeldAgainstIt() {
    Events events = run(Samples.ForgetfulAndFailing.class);
    assertEquals("for its own reason\nfor its own reason", messages(events));
    assertEquals(
        0,
        events
            .failed()
            .map(event -> event.getRequiredPayload(TestExecutionResult.class))
            .mapToInt(result -> result.getThrowable().orElseThrow().getSuppressed().length)
            .sum());
    String text = said.toString(StandardCharsets.UTF_8);
    assertFalse(text.contains("left open"), text);
  }

  @Test
  void aTestFailsThatLeavesItsPairInUse() {
    Samples.OPENED.clear();
    assertFailure(run(Samples.LeavingMemory.class), "is used by 1 memory region");
    assertClosed(2);
  }

  /** A refusal to be closed is no reason to keep silent, or to keep devices open. */
  @Test
  void aFailedTestIsToldThoughItsPairCannotBeClosed() {
    Samples.OPENED.clear();
    Events events = run(Samples.FailingWithMemory.class);
    assertEquals("for its own reason", messages(events));
    Path left = directory.resolve("Samples.FailingWithMemory.leavesMemory");
    String text = said.toString(StandardCharsets.UTF_8);
    assertTrue(text.contains("roce4j: its packets and counters are in " + left), text);
    assertTrue(Files.exists(left.resolve("packets.html")));
    assertClosed(2);
  }

  private static void assertClosed(int contexts) {
    assertEquals(contexts, Samples.OPENED.size());
    for (Context each : Samples.OPENED) {
      VerbsException closed = assertThrows(VerbsException.class, each::queryDevice);
      assertEquals(Errno.ENODEV, closed.errno());
    }
  }

  private static String messages(Events events) {
    return events
        .failed()
        .map(event -> event.getRequiredPayload(TestExecutionResult.class))
        .map(result -> result.getThrowable().orElseThrow().getMessage())
        .collect(Collectors.joining("\n"));
  }

  @Test
  void theSeedOfAFailureRepeatsIt() throws IOException {
    run(Samples.Failing.class);
    Path counters = directory.resolve("Samples.Failing.failsOnTheFabric").resolve("counters.txt");
    List<String> first = Files.readAllLines(counters);
    String seed = first.stream().filter(l -> l.startsWith("seed")).findFirst().orElseThrow();
    System.setProperty("roce4j.seed", seed.substring(10));
    try {
      run(Samples.Failing.class);
    } finally {
      System.clearProperty("roce4j.seed");
    }
    assertEquals(first, Files.readAllLines(counters));
  }

  /** A build may hand on a property that nobody has set. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {"'' | nothing failed", "many | roce4j.seed=many: give a whole number"})
  void aSeedIsANumberOrNotSaid(String seed, String remedy) {
    System.setProperty("roce4j.seed", seed);
    try {
      assertFailure(run(Samples.Passing.class), remedy);
    } finally {
      System.clearProperty("roce4j.seed");
    }
  }

  @Test
  void theDevicesOfEveryTestAreClosedHoweverItEnds() {
    Samples.OPENED.clear();
    run(Samples.Failing.class);
    run(Samples.Passing.class);
    assertClosed(6);
  }

  @ParameterizedTest
  @ValueSource(classes = {Samples.Passing.class, Samples.Unrecorded.class})
  void aTestThatPassesLeavesNothing(Class<?> sample) throws IOException {
    assertEquals(1, run(sample).filter(FailureTest::isPassedTest).count());
    try (var left = Files.list(directory)) {
      assertEquals(0, left.count());
    }
    assertEquals("", said.toString(StandardCharsets.UTF_8));
  }

  @Test
  void anAbortedTestIsNotToldAsFailed() throws IOException {
    assertEquals(1, run(Samples.Aborted.class).aborted().count());
    try (var left = Files.list(directory)) {
      assertEquals(0, left.count());
    }
    assertEquals("", said.toString(StandardCharsets.UTF_8));
  }

  @Test
  void testsThatAreCalledAlikeKeepTheirOwnPackets() throws IOException {
    run(Samples.Overloaded.class);
    run(Samples.Overloaded.class); // again, as a build that repeats failed tests
    try (var left = Files.list(directory)) {
      List<String> names = left.map(path -> path.getFileName().toString()).sorted().toList();
      assertEquals(2, names.size(), names.toString());
      assertTrue(names.contains("Samples.Overloaded.twice"), names.toString());
      assertTrue(
          names.stream().anyMatch(n -> n.endsWith("org.roce4j.verbs.Context")), names.toString());
    }
  }

  private static boolean isPassedTest(Event event) {
    return event.getTestDescriptor().isTest()
        && event
            .getPayload(TestExecutionResult.class)
            .filter(result -> result.getStatus() == TestExecutionResult.Status.SUCCESSFUL)
            .isPresent();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "noDevice | devices = 0: give 1 to 64",
        "noPort | ports = 0: give 1 to 3",
        "noSuchPort | EINVAL",
        "noSuchMtu | mtu = 1500: give 256, 512, 1024, 2048 or 4096",
        "oneAddressForTwo | 1 addresses for 2 ports of 2 devices: give each port one",
        "noSuchFault | 'explode' is no fault; there are: rate burst drop",
        "noSuchOption | 'lose=1%' is no fault; there are: rate burst drop",
        "noSuchTransport | there is no transport 'pigeon'; on the class path: [linux, netty]",
        "noFabricOnSockets | there is no fabric on transport",
        "noThirdDevice | wants device 2; @EmulatedRdma made 2: say devices = 3",
        "noDeviceBeforeTheFirst | wants device -1: the first is 0",
        "noThirdServer | wants device 2; @EmulatedRdma made 2: say devices = 3",
        "noConnectedContext | @Connected is for an RcPair or UdPair, not for"
            + " 'org.roce4j.verbs.Context",
        "noPairOnOneDevice | @OnDevice is for a Context, RdmaDevice or RdmaCm, not for",
        "noUnconnectedPair | say @Connected in front of org.roce4j.connect.RcPair",
        "noSixthDatagram | @EmulatedRdma(virtualSeconds = ..., datagrams = ...) allows more",
        "noAnnotation | register the extension by the annotation",
        "noSmallSeed | @Seed is for a long, not for 'int",
        "noForeignAddress | 192.0.2.1 is no address of this machine; it has",
      })
  void whatCannotBeIsRefusedWithTheRemedy(String method, String remedy) {
    MethodSelector selector =
        Stream.of(Samples.Refused.class.getDeclaredMethods())
            .filter(declared -> declared.getName().equals(method))
            .map(declared -> selectMethod(Samples.Refused.class, declared))
            .findFirst()
            .orElseThrow();
    assertFailure(
        EngineTestKit.engine("junit-jupiter").selectors(selector).execute().allEvents(), remedy);
  }

  @Test
  void aConstructorIsTooEarly() {
    assertFailure(run(Samples.InConstructor.class), "take 'java.util.List");
  }

  private static void assertFailure(Events events, String remedy) {
    String message =
        events
            .failed()
            .map(event -> event.getRequiredPayload(TestExecutionResult.class))
            .map(result -> result.getThrowable().orElseThrow().getMessage())
            .findFirst()
            .orElse("nothing failed");
    assertTrue(message.contains(remedy), message);
    assertFalse(message.isBlank());
  }
}
