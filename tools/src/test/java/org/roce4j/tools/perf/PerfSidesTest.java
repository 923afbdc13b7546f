package org.roce4j.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.tools.OwnNetwork;
import org.roce4j.tools.peer.PeerConnection;
import org.roce4j.tools.perf.traffic.PerfTest;
import org.roce4j.tools.perf.traffic.Plan;
import org.roce4j.tools.perf.traffic.Verb;

/**
 * Both sides of a run over UDP on this machine: what each tells fits what the other has counted.
 */
@EnabledOnOs(OS.LINUX) // only there is every 127.0.0.0/8 address of this host
@Timeout(120)
class PerfSidesTest {
  private static final String SERVER = OwnNetwork.address(41);
  private static final String CLIENT = OwnNetwork.address(42);
  private static final int KEY_BYTES = 108;

  /** Version, buffer, cache line, path MTU. */
  private static final int AGREEMENT_BYTES = 16 + 4 + 4 + 2;

  private static final int REPORT_BYTES = 5 * 8;
  private static final int DONE_BYTES = 5;

  /** What both sides say, and what passed between them over TCP. */
  private record Outcome(
      PerfReport client, PerfReport server, double seconds, long called, long answered) {}

  @ParameterizedTest
  @ValueSource(
      strings = {
        "send_bw -s 5000 -n 400",
        "send_bw -s 64 -q 3 -n 500 -e",
        "send_bw -s 64 -l 50 -n 1000",
        "write_bw -s 5000 -q 2 -n 300",
        "write_bw -s 700 -n 300 --verify",
        "read_bw -s 5000 -q 3 -n 200 -e",
        "atomic_bw -n 200 --verify",
        "send_lat -n 200",
        "send_lat -s 5000 -n 100 -e --verify",
        "write_lat -n 200",
        "read_lat -s 5000 -n 100 --verify",
        "atomic_lat -n 100 -e",
      })
  void whatOneSideTellsTheOtherHasCounted(String line) throws Exception {
    Outcome outcome = play(line + " -u 20 --patience 60");
    PerfReport client = outcome.client();
    PerfReport server = outcome.server();
    Plan plan = client.plan();
    long messages = plan.iterations() * plan.queuePairs();
    checkBoth(outcome);
    assertEquals(messages, client.figures().messages());
    assertEquals(messages, requests(client));
    boolean answers = plan.test() == PerfTest.SEND_LAT || plan.test() == PerfTest.WRITE_LAT;
    assertEquals(answers ? messages : 0, requests(server));
    assertEquals(receives(plan) ? messages : 0, counted(server, "rdma_recvs"));
    assertEquals(plan.test() == PerfTest.SEND_LAT ? messages : 0, counted(client, "rdma_recvs"));
    boolean theirs = plan.verb() == Verb.READ || plan.verb() == Verb.ATOMIC;
    boolean clientVerifies = theirs || answers;
    boolean serverVerifies = !theirs;
    long bytes = plan.verify() ? messages * plan.size() : 0;
    assertEquals(clientVerifies ? bytes : 0, client.verifiedBytes());
    assertEquals(serverVerifies ? bytes : 0, server.verifiedBytes());
    long keys = keys(plan);
    boolean reports = !plan.test().latency() && plan.verb() != Verb.SEND;
    long said =
        AGREEMENT_BYTES
            + keys * KEY_BYTES
            + (reports ? REPORT_BYTES : 0)
            + (plan.test() == PerfTest.WRITE_LAT ? 0 : DONE_BYTES);
    assertEquals(said, outcome.called(), "bytes that the client says");
    assertEquals(said, outcome.answered(), "bytes that the server says");
  }

  /** As perftest's programs swap them: see PerftestExchange. */
  private static long keys(Plan plan) {
    boolean send = plan.verb() == Verb.SEND;
    long before = plan.test().latency() && !send ? 1 : 0;
    long connecting = 2L * plan.queuePairs() + 1 + (send ? 1 : 0);
    long after = plan.test() == PerfTest.WRITE_LAT ? 0 : send || plan.test().latency() ? 1 : 2;
    return before + connecting + after;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "send_bw -s 1000 -n 200 -q 2",
        "write_bw -s 1000 -n 200",
        "read_bw -s 1000 -n 200",
        "atomic_bw -n 100",
        "send_lat -n 100",
        "write_lat -n 100",
        "read_lat -n 100",
      })
  void whatWarmsUpIsPlayedAndNotMeasured(String line) throws Exception {
    double warmUp = 0.1;
    Outcome outcome = play(line + " -u 20 --patience 60 --warm-up " + warmUp);
    checkBoth(outcome);
    PerfReport client = outcome.client();
    long messages = client.plan().iterations() * client.plan().queuePairs();
    assertEquals(messages, client.figures().messages());
    assertTrue(requests(client) > messages, client::toString);
    assertTrue(outcome.seconds() - client.figures().seconds() >= warmUp, outcome::toString);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "send_bw -s 1000",
        "write_bw -s 64 -q 2",
        "read_bw -s 5000",
        "atomic_bw -e",
        "send_lat",
        "write_lat",
        "atomic_lat",
      })
  void aRunOfSomeTimeTakesItAndCountsAllThatWasDone(String line) throws Exception {
    double duration = 0.2;
    Outcome outcome = play(line + " -u 20 --patience 60 -D " + duration);
    checkBoth(outcome);
    PerfReport client = outcome.client();
    assertTrue(client.figures().seconds() >= duration / 2, client::toString);
    assertTrue(outcome.seconds() >= duration, outcome::toString);
    assertEquals(requests(client), client.figures().messages());
  }

  /** What holds for each run without loss. */
  private static void checkBoth(Outcome outcome) {
    PerfReport client = outcome.client();
    PerfReport server = outcome.server();
    Plan plan = client.plan();
    PrintedFigures.check(client);
    PrintedFigures.checkLatencies(client, false);
    assertEquals("client", client.role());
    assertEquals("server", server.role());
    assertTrue(client.figures().seconds() <= outcome.seconds(), outcome::toString);
    PerfReport.Figures told = client.figures();
    PerfReport.Figures heard = server.figures();
    if (plan.test().serverPlays()) {
      PrintedFigures.check(server);
      assertTrue(heard.seconds() <= outcome.seconds(), outcome::toString);
    } else if (!plan.test().latency()) {
      assertEquals(told.messages(), heard.messages());
      assertEquals(told.messageRate(), heard.messageRate(), told.messageRate() * 1e-9);
      assertEquals(told.gbps(), heard.gbps(), told.gbps() * 1e-9);
      assertEquals(told.peakGbps(), heard.peakGbps(), told.peakGbps() * 1e-9);
      assertEquals(told.seconds(), heard.seconds(), told.seconds() * 1e-9);
    }
    assertTrue(counted(client, "sent_pkts") >= requestPackets(plan, requests(client)));
    long answers = plan.verb() == Verb.READ ? requests(client) * plan.packets() : 0;
    assertTrue(counted(client, "rcvd_pkts") >= answers, client::toString);
  }

  private static boolean receives(Plan plan) {
    return plan.verb() == Verb.SEND || plan.verify() && plan.test() == PerfTest.WRITE_BW;
  }

  private static long requestPackets(Plan plan, long requests) {
    boolean payload = plan.verb() == Verb.SEND || plan.verb() == Verb.WRITE;
    return payload ? requests * plan.packets() : requests;
  }

  private static long requests(PerfReport of) {
    return counted(of, "rdma_sends");
  }

  private static long counted(PerfReport of, String counter) {
    return of.counters().getOrDefault(counter, 0L);
  }

  private static Outcome play(String line) throws Exception {
    PerfOptions serving = parse(line + " --server --bind " + SERVER);
    try (PeerConnection.Listener listener =
            new PeerConnection.Listener(0, serving.patience(), 1, Duration.ofSeconds(60));
        Relay relay = new Relay(listener.port())) {
      PerfOptions calling =
          parse(line + " --bind " + CLIENT + " -p " + relay.port() + " 127.0.0.1");
      Future<PerfReport> server = started(() -> run(serving).serve(listener));
      long beginNs = System.nanoTime();
      PerfReport client = run(calling).call();
      double seconds = (System.nanoTime() - beginNs) / 1e9;
      PerfReport served = server.get(60, TimeUnit.SECONDS);
      return new Outcome(client, served, seconds, relay.called.get(), relay.answered.get());
    }
  }

  private static PerfRun run(PerfOptions options) {
    return new PerfRun(options, said -> {}, Onlooker.nobody());
  }

  private static PerfOptions parse(String line) {
    return PerfCommand.parse(List.of(line.split(" ")));
  }

  private static <T> Future<T> started(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.ofPlatform().daemon().start(task);
    return task;
  }

  /** Stands between the two in their exchange and counts the bytes of each way. */
  private static final class Relay implements AutoCloseable {
    private final ServerSocket door;
    private final Future<Long> called;
    private final CompletableFuture<Long> answered = new CompletableFuture<>();

    Relay(int port) throws IOException {
      InetAddress here = InetAddress.ofLiteral("127.0.0.1");
      door = new ServerSocket(0, 1, here);
      called =
          started(
              () -> {
                try (Socket client = door.accept();
                    Socket server = new Socket(here, port)) {
                  Future<Long> back = started(() -> copy(server, client));
                  long bytes = copy(client, server);
                  answered.complete(back.get());
                  return bytes;
                }
              });
    }

    int port() {
      return door.getLocalPort();
    }

    private static long copy(Socket from, Socket to) throws IOException {
      from.setTcpNoDelay(true);
      to.setTcpNoDelay(true);
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] some = new byte[4096];
      long bytes = 0;
      try {
        for (int n = in.read(some); n >= 0; n = in.read(some)) {
          out.write(some, 0, n);
          bytes += n;
        }
        to.shutdownOutput();
      } catch (IOException e) {
        // The receiver has all that it waits for and is gone.
      }
      return bytes;
    }

    @Override
    public void close() {
      try {
        door.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
