package org.roce4j.tools.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.PortSelection;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.tools.CommandRun;
import org.roce4j.tools.OwnNetwork;
import org.roce4j.verbs.Gid;

/** Programs of the connection manager through the proxy, on four addresses of this host. */
@EnabledOnOs(OS.LINUX) // only there is every 127.0.0.0/8 address of this host
@Timeout(60)
class ProxyCommandTest {
  /** The longest time until a connection that the proxy ends has ended. */
  private static final int PATIENCE_MS = 20_000;

  private static final String A = OwnNetwork.address(41);
  private static final String B = OwnNetwork.address(42);
  private static final String FACING_A = OwnNetwork.address(43);
  private static final String FACING_B = OwnNetwork.address(44);

  private static final Proxy.Ends ENDS =
      new Proxy.Ends(Gid.parse(A), Gid.parse(FACING_A), Gid.parse(B), Gid.parse(FACING_B));

  @TempDir private Path directory;

  private static CompletableFuture<CommandRun> start(String line, String ready) {
    StringWriter heard = new StringWriter();
    CompletableFuture<CommandRun> running =
        CompletableFuture.supplyAsync(
            () -> CommandRun.of(line, heard),
            command -> Thread.ofPlatform().daemon().start(command));
    while (!heard.toString().contains(ready) && !running.isDone()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
    return running;
  }

  @ParameterizedTest
  @CsvSource({
    "linux, drop direction=out opcode=RC_SEND_ONLY nth=2",
    "netty, drop direction=out opcode=RC_RDMA_READ_RESPONSE_FIRST nth=1",
  })
  void dataIsRightThoughPacketsAreLost(String transport, String chosen) throws IOException {
    Path plan = directory.resolve("plan.yaml");
    Files.writeString(plan, "seed: 1\nrules:\n  - loss=1%\n  - " + chosen + "\n");
    Path near = directory.resolve("a.pcapng");
    Path far = directory.resolve("b.pcapng");
    List<String> report = rpinged(transport, FaultPlan.parse(plan.toString()), List.of(near, far));
    assertTrue(report.getLast().endsWith("): 1 datagrams"), report::toString);
    assertTrue(report.getFirst().contains(" 1 of them messages with addresses; "));
    assertKnowsNothingOf(Gid.parse(B), near);
    assertKnowsNothingOf(Gid.parse(A), far);
  }

  /** Such that its programs survive it. */
  private static final List<String> EVERY_FAULT =
      List.of(
          "rate=1G",
          "burst leave=100%",
          "drop",
          "blackhole=10ms",
          "latency=1ms",
          "delay=5ms",
          "reorder=1",
          "duplicate=2",
          "corrupt=3",
          "corrupt-header",
          "corrupt-payload",
          "corrupt-icrc",
          "truncate=4",
          "mark-ecn",
          "forge-ack",
          "forge-nak",
          "forge-rnr",
          "forge-cnp",
          "port-down=10ms");

  @ParameterizedTest
  @FieldSource("EVERY_FAULT")
  void eachFaultHappensBetweenTheEndsAndDataIsRight(String fault) {
    // A SEND that lacks bytes is a shorter message; a request to read is none without its header.
    String chosen =
        fault.startsWith("truncate")
            ? "direction=in opcode=RC_RDMA_READ_REQUEST"
            : "direction=out opcode=RC_SEND_ONLY";
    FaultPlan plan = FaultPlan.parse("seed=1; " + fault + " " + chosen + " nth=2");
    List<String> report = rpinged("auto", plan, List.of());
    assertTrue(report.getLast().matches(".*\\): [12] datagrams"), report::toString);
  }

  @Test
  void noFaultIsMissing() {
    Set<FaultAction.Kind> had = EnumSet.noneOf(FaultAction.Kind.class);
    for (String fault : EVERY_FAULT) {
      had.add(FaultPlan.parse(fault).rules().getFirst().action().kind());
    }
    assertEquals(EnumSet.allOf(FaultAction.Kind.class), had);
  }

  @Test
  void whatThePlanDamagesHasNotComeDamaged() {
    FaultPlan plan = FaultPlan.parse("corrupt-icrc direction=in opcode=RC_RDMA_READ_REQUEST nth=1");
    List<String> report = rpinged("auto", plan, List.of());
    assertTrue(report.getLast().endsWith("): 1 datagrams"), report::toString);
    assertTrue(report.get(0).endsWith("; 0 came damaged"), report::toString);
    assertTrue(report.get(1).endsWith("; 0 came damaged"), report::toString);
  }

  private static List<String> rpinged(String transport, FaultPlan faults, List<Path> captures) {
    try (Proxy proxy = new Proxy(ENDS, transport, faults, captures)) {
      rping(proxy);
      return proxy.report();
    }
  }

  private static void rping(Proxy proxy) {
    CompletableFuture<CommandRun> server =
        start("rping -s -d -V -C 20 -S 9000 -a " + B, "rdma_listen");
    CompletableFuture<CommandRun> client =
        start("rping -c -V -C 20 -S 9000 -a %s -I %s".formatted(FACING_A, A), "");
    while (!client.isDone() || !server.isDone()) {
      proxy.turn();
    }
    assertEquals(0, client.join().status(), client.join()::toString);
    assertEquals(0, server.join().status(), server.join()::toString);
  }

  /**
   * A rule may hit a repetition too, and yet all comes through. A DREQ that is lost is not repeated
   * once its program has left, so the rules spare the messages of the connection manager.
   */
  @Test
  void dataIsRightThoughMuchIsDamaged() {
    FaultPlan plan =
        FaultPlan.parse("seed=1; corrupt=3 service=RC every=50; drop service=RC every=63");
    List<String> report = rpinged("auto", plan, List.of());
    assertFalse(report.get(2).endsWith(": 0 datagrams"), report::toString);
  }

  /** The proxy names a silent end; the programs find out by their own timers. */
  @ParameterizedTest
  @ValueSource(strings = {"linux", "netty"})
  void anEndThatIsSilentIsNamed(String transport) {
    try (Proxy proxy = new Proxy(ENDS, transport, FaultPlan.parse("drop nth=1"), List.of());
        Port end = PortSelection.choose(transport).open(PortOptions.of(List.of(ENDS.a())))) {
      end.adopt();
      Transmit train = new Transmit(ByteBuffer.allocateDirect(64), 1);
      train.claim(
          new org.roce4j.engine.datagram.Path(
              0,
              ENDS.a().high(),
              ENDS.a().low(),
              ENDS.facingA().high(),
              ENDS.facingA().low(),
              0,
              64),
          50_000,
          64);
      train.commit(64);
      end.send(train);
      while (proxy.report().getFirst().startsWith("A to B: 0 ")) {
        proxy.turn();
      }
      assertEquals(
          List.of(
              "A to B: 1 datagrams forwarded, 0 of them messages with addresses; 0 of others; 0"
                  + " came damaged",
              "B to A: 0 datagrams forwarded, 0 of them messages with addresses; 0 of others; 0"
                  + " came damaged",
              "nothing came from B: does it run at %s, and take %s for its peer?"
                  .formatted(B, FACING_B),
              "rule 1 (drop nth=1): 1 datagrams"),
          proxy.report());
    }
  }

  /** The proxy has no state of a connection that a restarted end would miss. */
  @Test
  void anEndMayStartAnew() {
    try (Proxy proxy = new Proxy(ENDS, "auto", FaultPlan.parse("loss=0"), List.of())) {
      for (int i = 0; i < 3; i++) {
        rping(proxy);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "send_bw,   drop direction=out opcode=RC_SEND_ONLY nth=2",
    "write_bw,  drop direction=out opcode=RC_RDMA_WRITE_LAST nth=3",
    "read_lat,  drop direction=in opcode=RC_RDMA_READ_RESPONSE_FIRST nth=2",
  })
  void programsThatExchangeGidsOverTcpMeetTheProxy(String test, String chosen) throws Exception {
    Path near = directory.resolve("a.pcapng");
    Path far = directory.resolve("b.pcapng");
    Exchange.Ports ports = new Exchange.Ports(freePort(), freePort());
    String common = "perf %s -n 50 -s %d ".formatted(test, test.equals("send_bw") ? 64 : 9000);
    List<String> report;
    try (Proxy proxy =
            new Proxy(ENDS, "auto", FaultPlan.parse("seed=1; " + chosen), List.of(near, far));
        Exchange exchange = new Exchange(ports, ENDS.toB(), ENDS.toA())) {
      CompletableFuture<CommandRun> server =
          start(common + "--server --bind %s --port %d".formatted(B, ports.ends()), "waiting");
      CompletableFuture<CommandRun> client =
          start(common + "--bind %s --port %d %s".formatted(A, ports.own(), FACING_A), "");
      while (!client.isDone() || !server.isDone()) {
        proxy.turn();
      }
      assertEquals(0, client.join().status(), client.join()::toString);
      assertEquals(0, server.join().status(), server.join()::toString);
      report = proxy.report();
      assertTrue(
          exchange.toString().matches("1 TCP connections, [1-9]\\d* GIDs changed"),
          exchange::toString);
    }
    assertTrue(report.getLast().endsWith("): 1 datagrams"), report::toString);
    assertKnowsNothingOf(Gid.parse(B), near);
    assertKnowsNothingOf(Gid.parse(A), far);
  }

  private static int freePort() throws IOException {
    try (ServerSocket any = new ServerSocket(0)) {
      return any.getLocalPort();
    }
  }

  /** Neither a header nor a message names the end behind the proxy, and each ICRC is right. */
  private static void assertKnowsNothingOf(Gid end, Path capture) throws IOException {
    CommandRun inspected = CommandRun.of("inspect " + capture);
    assertTrue(inspected.lastLine().contains(" 0 icrc bad, 0 malformed"), inspected::toString);
    String bytes = HexFormat.of().formatHex(Files.readAllBytes(capture));
    assertFalse(bytes.contains(HexFormat.of().toHexDigits(end.ipv4())), inspected::toString);
  }

  @Test
  void whatPassesIsToldOfBothWays() {
    CommandRun run =
        CommandRun.of("proxy %s %s --bind %s,%s --for 1".formatted(A, B, FACING_A, FACING_B));
    assertEquals(0, run.status(), run::toString);
    run.assertPrinted("A to B: 0 datagrams forwarded");
    run.assertPrinted("B to A: 0 datagrams forwarded");
  }

  @Test
  void linksAreTheWaysBetweenTheEndsAndTheProxy() throws IOException {
    Path plan = directory.resolve("plan.yaml");
    Files.writeString(plan, "links:\n  loss: 1%\nrules:\n  - drop nth=3\n");
    CommandRun run =
        CommandRun.of(
            "proxy %s %s --bind %s,%s --for 1 --faults %s"
                .formatted(A, B, FACING_A, FACING_B, plan));
    assertEquals(0, run.status(), run::toString);
    run.assertPrinted("rule 1 (drop nth=3): 0 datagrams");
    run.assertPrinted("rule 2 (drop direction=out probability=0.01): 0 datagrams");
    run.assertPrinted("rule 3 (drop direction=in probability=0.01): 0 datagrams");
  }

  @Test
  void whoIsNotThereBehindTheProxyIsTold() throws Exception {
    Exchange.Ports ports = new Exchange.Ports(freePort(), freePort());
    try (Exchange exchange = new Exchange(ports, ENDS.toB(), ENDS.toA());
        Socket caller = new Socket(FACING_A, ports.own())) {
      caller.setSoTimeout(PATIENCE_MS);
      assertEquals(-1, caller.getInputStream().read());
      assertEquals(
          "0 TCP connections, 0 GIDs changed; %s port %d does not answer: Connection refused"
              .formatted(B, ports.ends()),
          exchange.toString());
    }
  }

  /** A proxy that runs for months does not run out of sockets. */
  @Test
  void ofAConnectionThatIsOverNoSocketRemains() throws Exception {
    try (ServerSocket program = new ServerSocket(0, 500, InetAddress.ofLiteral(B))) {
      Exchange.Ports ports = new Exchange.Ports(freePort(), program.getLocalPort());
      try (Exchange exchange = new Exchange(ports, ENDS.toB(), ENDS.toA())) {
        Socket caller = new Socket(FACING_A, ports.own());
        Socket called = program.accept();
        assertEquals(4, exchange.sockets(), "two listen");
        caller.close();
        called.close();
        long endNs = System.nanoTime() + PATIENCE_MS * 1_000_000L;
        while (exchange.sockets() > 2 && System.nanoTime() < endNs) {
          LockSupport.parkNanos(1_000_000);
        }
        assertEquals(2, exchange.sockets());
      }
    }
  }

  /** A connection that arrives at the moment of the close is closed too. */
  @Test
  void afterTheCloseNoConnectionIsPassedOn() throws Exception {
    try (ServerSocket program = new ServerSocket(0, 500, InetAddress.ofLiteral(B))) {
      for (int i = 0; i < 300; i++) {
        Exchange.Ports ports = new Exchange.Ports(freePort(), program.getLocalPort());
        Exchange exchange = new Exchange(ports, ENDS.toB(), ENDS.toA());
        try (Socket caller = new Socket(FACING_A, ports.own())) {
          exchange.close();
          caller.setSoTimeout(20_000);
          assertEquals(-1, read(caller), "round " + i);
        }
      }
    }
  }

  /** Reads the next byte; -1 if the connection has ended in any way. */
  private static int read(Socket socket) throws IOException {
    try {
      socket.setSoTimeout(PATIENCE_MS);
      return socket.getInputStream().read();
    } catch (SocketException reset) {
      return -1;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "proxy 0.0.0.0 10.0.0.2 --bind 10.0.0.3,10.0.0.4",
        "proxy 10.0.0.1 224.0.0.1 --bind 10.0.0.3,10.0.0.4",
        "proxy 10.0.0.1 10.0.0.2 --bind 239.0.0.3,10.0.0.4",
        "proxy fd00::1 fd00::2 --bind ff02::1,fd00::4",
        "proxy 10.0.0.1 10.0.0.2 --bind 10.0.0.3,10.0.0.4 --capture p.pcapng,./p.pcapng",
        "proxy 10.0.0.1 10.0.0.2 --bind 10.0.0.3,10.0.0.4 --faults late=5ms",
        "proxy 10.0.0.1 10.0.0.2 --bind 10.0.0.3,10.0.0.4 --for 99999999999999",
        "proxy 10.0.0.1 10.0.0.2",
        "proxy 10.0.0.1 10.0.0.2 --bind 10.0.0.3",
        "proxy 10.0.0.1 10.0.0.2 --bind 10.0.0.3,10.0.0.1",
        "proxy 10.0.0.1 ::2 --bind 10.0.0.3,::4",
        "proxy 10.0.0.1 10.0.0.2 --bind 10.0.0.3,10.0.0.4 --capture one.pcapng",
        "proxy 10.0.0.1 10.0.0.2 --bind 10.0.0.3,10.0.0.4 --faults dorp",
        "proxy 10.0.0.1 10.0.0.2 --bind 10.0.0.3,10.0.0.4 --exchange 65536",
        "proxy 10.0.0.1 10.0.0.2 --bind 10.0.0.3,10.0.0.4 --exchange 1:2:3",
      })
  void whatIsWrongIsSaidBeforeAnythingIsOpened(String line) {
    assertEquals(2, CommandRun.of(line).status());
  }
}
