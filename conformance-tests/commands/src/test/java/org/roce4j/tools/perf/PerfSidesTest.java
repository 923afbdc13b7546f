package org.roce4j.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.tools.OwnNetwork;
import org.roce4j.tools.console.Interruption;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.peer.PeerConnection;
import org.roce4j.tools.perf.traffic.PerfPlan;
import org.roce4j.tools.perf.traffic.PerfTest;
import org.roce4j.tools.perf.traffic.Verb;
import org.roce4j.tools.side.ChosenPort;
import org.roce4j.wire.capture.Dissection;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.inspect.CaptureInspector;
import org.roce4j.wire.mad.CmMessage;
import org.roce4j.wire.mad.Drep;
import org.roce4j.wire.mad.Dreq;
import org.roce4j.wire.mad.Mad;

/**
 * Both sides of a run over UDP on this machine: the report of each fits the counts of the other.
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

  /** A responder defers eight acknowledgements; a few more are on their way. */
  private static final int MOST_UNACKNOWLEDGED = 16;

  /** The reports of both sides, and the bytes between them over TCP. */
  private record Outcome(
      PerfReport client, PerfReport server, double seconds, byte[] called, byte[] answered) {}

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
    PerfPlan plan = client.plan();
    long messages = plan.iterations() * plan.queuePairs();
    checkBoth(outcome);
    assertEquals(messages, client.figures().messages());
    assertDone(messages, client);
    boolean answers = plan.test() == PerfTest.SEND_LAT || plan.test() == PerfTest.WRITE_LAT;
    assertDone(answers ? messages : 0, server);
    assertEquals(receives(plan) ? messages : 0, counted(server, "rdma_recvs"));
    assertEquals(plan.test() == PerfTest.SEND_LAT ? messages : 0, counted(client, "rdma_recvs"));
    boolean theirs = plan.verb() == Verb.READ || plan.verb() == Verb.ATOMIC;
    boolean clientVerifies = theirs || answers;
    boolean serverVerifies = !theirs;
    long bytes = plan.verify() ? messages * plan.size() : 0;
    assertEquals(clientVerifies ? bytes : 0, client.verifiedBytes());
    assertEquals(serverVerifies ? bytes : 0, server.verifiedBytes());
    List<Integer> said = said(plan);
    assertEquals(said, keys(outcome.called(), plan), "of which queue pairs the client tells");
    assertEquals(said, keys(outcome.answered(), plan), "of which queue pairs the server tells");
  }

  /** Indices of the queue pairs whose keys perftest's programs send: see PerftestExchange. */
  private static List<Integer> said(PerfPlan plan) {
    List<Integer> all = IntStream.range(0, plan.queuePairs()).boxed().toList();
    List<Integer> said = new ArrayList<>();
    boolean send = plan.verb() == Verb.SEND;
    if (plan.test().latency() && !send) {
      said.add(0);
    }
    said.addAll(all);
    if (send) {
      said.add(0);
      said.addAll(all);
      said.add(0);
    } else {
      said.addAll(all);
      said.add(0);
    }
    if (reports(plan)) {
      said.add(0);
    }
    if (plan.test() != PerfTest.WRITE_LAT) {
      said.add(0);
    }
    return said;
  }

  private static boolean reports(PerfPlan plan) {
    return !plan.test().latency() && plan.verb() != Verb.SEND;
  }

  /** Indices of the queue pairs in the keys of one way, whose other messages have their lengths. */
  private static List<Integer> keys(byte[] way, PerfPlan plan) {
    int behind = plan.test() == PerfTest.WRITE_LAT ? 0 : DONE_BYTES;
    int inTheMiddle = reports(plan) ? REPORT_BYTES : 0;
    List<String> numbers = new ArrayList<>();
    int end = way.length - behind - (inTheMiddle > 0 ? KEY_BYTES + inTheMiddle : 0);
    for (int at = AGREEMENT_BYTES; at < end; at += KEY_BYTES) {
      numbers.add(number(way, at));
    }
    if (inTheMiddle > 0) {
      numbers.add(number(way, end + inTheMiddle));
    }
    List<String> distinct = numbers.stream().distinct().toList();
    return numbers.stream().map(distinct::indexOf).toList();
  }

  private static String number(byte[] way, int keyAt) {
    return new String(way, keyAt, KEY_BYTES, StandardCharsets.US_ASCII).split(":")[2];
  }

  @ParameterizedTest
  @CsvSource({"512, 1024", "1024, 512"})
  void theSmallerPathMtuHoldsOnBothSides(int client, int server) throws Exception {
    String line = "write_bw -s 2000 -n 50 -u 20 --patience 60 -m ";
    Outcome outcome = play(line + client, line + server, Onlooker.nobody(), Onlooker.nobody());
    checkBoth(outcome);
    assertEquals(512, outcome.client().plan().mtu().bytes());
    assertEquals(512, outcome.server().plan().mtu().bytes());
    assertTrue(counted(outcome.client(), "sent_pkts") >= 50 * 4);
  }

  /** Each queue pair's connection is ended by a DREQ of the client, which the server answers. */
  @Test
  void connectionsThatRdmaCmMadeAreEndedByTheClient(@TempDir Path directory) throws Exception {
    String line = "send_bw -R -s 1000 -n 50 -q 3 -u 20 --patience 60";
    Path capture = directory.resolve("roce0.pcapng");
    PerfOptions serving = parse(line + " --server --bind " + SERVER);
    PerfOptions calling =
        parse(
            line
                + " --set capture="
                + directory
                + "/{device}.pcapng --bind "
                + CLIENT
                + " "
                + SERVER);
    Future<PerfReport> server = started(() -> run(serving, Onlooker.nobody()).serve());
    run(calling, Onlooker.nobody()).call();
    server.get(60, TimeUnit.SECONDS);
    Map<String, Integer> ended = new TreeMap<>();
    CaptureInspector.inspect(
        capture,
        packet -> {
          if (packet.dissection() instanceof Dissection.Roce(RocePacket roce)
              && roce.bth().destQp() == Mad.QPN) {
            ByteBuffer mad = roce.payload().buffer();
            CmMessage message = Mad.parse(mad, 0, mad.remaining()).message();
            if (message instanceof Dreq || message instanceof Drep) {
              ended.merge(message.getClass().getSimpleName(), 1, Integer::sum);
            }
          }
        });
    assertTrue(ended.getOrDefault("Dreq", 0) >= 3, ended::toString);
    assertTrue(ended.getOrDefault("Drep", 0) >= 3, ended::toString);
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
    assertDone(client.figures().messages(), client);
  }

  /**
   * The answers to the last messages of send_lat may come before their acknowledgements, which a
   * responder may defer.
   */
  private static void assertDone(long messages, PerfReport by) {
    long unacknowledged = messages - requests(by);
    long most = by.plan().test() == PerfTest.SEND_LAT ? MOST_UNACKNOWLEDGED : 0;
    assertTrue(
        unacknowledged >= 0 && unacknowledged <= most,
        () -> unacknowledged + " unacknowledged: " + by);
  }

  /** The run is ended by Ctrl-C on one side. */
  @ParameterizedTest
  @ValueSource(strings = {"send_bw -s 1000", "read_bw -s 1000", "send_lat", "atomic_lat"})
  void aClientThatIsInterruptedHasAReportAndSoHasItsServer(String line) throws Exception {
    try (Interruption interruption = new Interruption()) {
      String lasting = line + " -D 60 -u 20 --patience 60";
      Outcome outcome = play(lasting, lasting, impatient(interruption), Onlooker.nobody());
      PerfReport client = outcome.client();
      assertTrue(client.interrupted());
      assertTrue(client.figures().messages() > 0);
      assertTrue(
          client.text(false).contains("  interrupted; the figures are of what was done by then"));
      assertEquals(true, client.json().get("interrupted"));
      if (reports(client.plan())) {
        assertEquals(client.figures().messages(), outcome.server().figures().messages());
      }
    }
  }

  @Test
  void aServerThatIsInterruptedHasAReportAndItsClientSaysWhoLeft() throws Exception {
    try (Interruption interruption = new Interruption();
        PeerConnection.PeerListener listener =
            new PeerConnection.PeerListener(0, Duration.ofSeconds(60), 1, Duration.ofSeconds(60))) {
      String line = "send_bw -s 1000 -n 100000000 -u 14 --patience 60";
      PerfOptions serving = parse(line + " --server --bind " + SERVER);
      PerfOptions calling =
          parse(line + " --bind " + CLIENT + " -p " + listener.port() + " 127.0.0.1");
      Future<PerfReport> server =
          started(() -> run(serving, impatient(interruption)).serve(listener));
      PerfRun client = run(calling, Onlooker.nobody());
      assertThrows(ToolFailure.class, client::call);
      PerfReport report = server.get(60, TimeUnit.SECONDS);
      assertTrue(report.interrupted());
      assertTrue(report.figures().messages() > 0);
    }
  }

  /** Ends the run at its first line of progress, because a test cannot end the process. */
  private static Onlooker impatient(Interruption interruption) {
    PrintWriter heard =
        new PrintWriter(Writer.nullWriter()) {
          @Override
          public void flush() {
            interruption.request();
          }
        };
    return new Onlooker(heard, true, interruption);
  }

  /** Properties of each run without loss. */
  private static void checkBoth(Outcome outcome) {
    PerfReport client = outcome.client();
    PerfReport server = outcome.server();
    PerfPlan plan = client.plan();
    PrintedFigures.check(client);
    PrintedFigures.checkLatencies(client, false);
    assertEquals("client", client.role());
    assertEquals("server", server.role());
    String port = ChosenPort.of("auto").name();
    assertEquals(List.of(port, port), List.of(client.transport(), server.transport()));
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

  private static boolean receives(PerfPlan plan) {
    return plan.verb() == Verb.SEND || plan.verify() && plan.test() == PerfTest.WRITE_BW;
  }

  private static long requestPackets(PerfPlan plan, long requests) {
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
    return play(line, line, Onlooker.nobody(), Onlooker.nobody());
  }

  private static Outcome play(
      String atClient, String atServer, Onlooker ofClient, Onlooker ofServer) throws Exception {
    PerfOptions serving = parse(atServer + " --server --bind " + SERVER);
    try (PeerConnection.PeerListener listener =
            new PeerConnection.PeerListener(0, serving.patience(), 1, Duration.ofSeconds(60));
        Relay relay = new Relay(listener.port())) {
      PerfOptions calling =
          parse(atClient + " --bind " + CLIENT + " -p " + relay.port() + " 127.0.0.1");
      Future<PerfReport> server = started(() -> run(serving, ofServer).serve(listener));
      long beginNs = System.nanoTime();
      PerfReport client = run(calling, ofClient).call();
      double seconds = (System.nanoTime() - beginNs) / 1e9;
      PerfReport served = server.get(60, TimeUnit.SECONDS);
      return new Outcome(client, served, seconds, relay.called.get(), relay.answered.get());
    }
  }

  private static PerfRun run(PerfOptions options, Onlooker onlooker) {
    return new PerfRun(options, said -> {}, onlooker);
  }

  private static PerfOptions parse(String line) {
    return PerfCommand.parse(List.of(line.split(" ")));
  }

  private static <T> Future<T> started(Callable<T> work) {
    FutureTask<T> task = new FutureTask<>(work);
    Thread.ofPlatform().daemon().start(task);
    return task;
  }

  /** Relays the exchange between the two sides and keeps the bytes of each direction. */
  private static final class Relay implements AutoCloseable {
    private final ServerSocket door;
    private final Future<byte[]> called;
    private final CompletableFuture<byte[]> answered = new CompletableFuture<>();

    Relay(int port) throws IOException {
      InetAddress here = InetAddress.ofLiteral("127.0.0.1");
      door = new ServerSocket(0, 1, here);
      called =
          started(
              () -> {
                try (Socket client = door.accept();
                    Socket server = new Socket(here, port)) {
                  Future<byte[]> back = started(() -> copy(server, client));
                  byte[] said = copy(client, server);
                  answered.complete(back.get());
                  return said;
                }
              });
    }

    int port() {
      return door.getLocalPort();
    }

    private static byte[] copy(Socket from, Socket to) throws IOException {
      from.setTcpNoDelay(true);
      to.setTcpNoDelay(true);
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] some = new byte[4096];
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      try {
        for (int n = in.read(some); n >= 0; n = in.read(some)) {
          out.write(some, 0, n);
          all.write(some, 0, n);
        }
        to.shutdownOutput();
      } catch (IOException e) {
        // The receiver has all that it waits for and is gone.
      }
      return all.toByteArray();
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
