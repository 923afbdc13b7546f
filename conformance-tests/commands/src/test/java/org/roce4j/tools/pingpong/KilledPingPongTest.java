package org.roce4j.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.tools.CommandRun;
import org.roce4j.tools.OwnNetwork;

/** The process of the other side is killed (SIGKILL) in the middle of a game. */
@EnabledOnOs(OS.LINUX) // only there is every 127.0.0.0/8 address of this host
@Timeout(300)
class KilledPingPongTest {
  private static final String ITS = OwnNetwork.address(61);
  private static final String OURS = OwnNetwork.address(62);

  /** Eight waits of 4.096 us * 2^14, the default of {@code -u} and of the retries. */
  private static final long EARLIEST_NS = 8 * 67_108_864L;

  @ParameterizedTest
  @CsvSource({"linux,server,''", "netty,client,--events"})
  void endsTheOtherSideWithOneClearLine(String transport, String survivor, String events)
      throws Exception {
    int port = UdpPingPongTest.freePort();
    String game =
        "--iters 100000000 --patience 90 --port %d --transport %s %s"
            .formatted(port, transport, events)
            .strip();
    boolean serverSurvives = survivor.equals("server");
    String server = "pingpong --server --bind %s " + game;
    String client = "pingpong --bind %s 127.0.0.1 " + game;
    StringWriter said = new StringWriter();
    CompletableFuture<CommandRun> left;
    Process killed;
    if (serverSurvives) {
      left = run(server.formatted(OURS), said);
      UdpPingPongTest.awaitListening(port);
      killed = start(client.formatted(ITS));
    } else {
      killed = start(server.formatted(ITS));
      UdpPingPongTest.awaitListening(port);
      left = run(client.formatted(OURS), said);
    }
    long killedNs = killInMidGame(killed);
    CommandRun end = left.get(60, TimeUnit.SECONDS);
    long tookNs = System.nanoTime() - killedNs;
    assertNotEquals(0, end.status());
    List<String> failures =
        end.err().lines().filter(line -> !line.contains("round trips")).toList();
    assertEquals(1, failures.size(), end.err());
    assertTrue(
        failures.getFirst().contains(ITS)
            && failures.getFirst().contains("transport retry counter exceeded"),
        failures.getFirst());
    assertTrue(tookNs >= EARLIEST_NS, "given up after " + tookNs / 1e9 + " s");
  }

  /** Returns the time of the kill. */
  private static long killInMidGame(Process process) throws Exception {
    try (BufferedReader out = process.inputReader()) {
      String line = out.readLine();
      while (line != null && !line.startsWith("RC, ")) {
        line = out.readLine();
      }
      assertNotEquals(null, line, "the game does not begin");
      Thread.sleep(300); // into the middle of the traffic
      return System.nanoTime();
    } finally {
      process.destroyForcibly();
    }
  }

  private static CompletableFuture<CommandRun> run(String line, StringWriter out) {
    return CompletableFuture.supplyAsync(
        () -> CommandRun.of(line, out), command -> Thread.ofPlatform().daemon().start(command));
  }

  private static Process start(String line) throws IOException {
    return CommandRun.process(line).redirectError(ProcessBuilder.Redirect.DISCARD).start();
  }
}
