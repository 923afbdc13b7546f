package org.roce4j.tools.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricFilter;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.tools.CommandRun;
import org.roce4j.tools.OwnNetwork;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.OutboundPacket;
import org.roce4j.wire.mad.CmAttribute;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.MadHeader;
import picocli.CommandLine;

/** A command fails with a message if its peer leaves before the work is done. */
@Timeout(60)
class LeavingPeerTest {
  private static final int PORT = 7471;

  // ---- in virtual time

  private static final String CLIENT = "10.0.0.1";
  private static final String SERVER = "10.0.0.2";
  private static final long SECOND_NS = 1_000_000_000;

  private final FabricDevices network = new FabricDevices(FabricOptions.of(1));
  private final Context clients = network.device("a", Gid.parse(CLIENT)).open();
  private final Context servers = network.device("b", Gid.parse(SERVER)).open();
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @AfterEach
  void closeNetwork() {
    clients.close();
    servers.close();
    network.close();
  }

  private MessageTest messages(String line) {
    MessageOptions options = new MessageOptions();
    CommandLine printer = printer(options);
    printer.parseArgs(line.split(" "));
    return new MessageTest("cmatose", PortSpace.TCP, options, null, printer);
  }

  private CommandLine printer(Object options) {
    return new CommandLine(options)
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true));
  }

  private CompletableFuture<Void> serving(RdmaCm cm) {
    return serving(cm, "-C 3");
  }

  private CompletableFuture<Void> serving(RdmaCm cm, String line) {
    InetSocketAddress at = new InetSocketAddress(SERVER, PORT);
    CompletableFuture<Void> run = started(() -> messages(line).serve(cm, at, false));
    awaitWords(out, "starting server", run);
    return run;
  }

  @Test
  void aServerHearsSoonThatItsClientHasLeft() {
    try (RdmaCm cm = RdmaCm.open(servers);
        LeavingPeer peer = new LeavingPeer(clients)) {
      CompletableFuture<Void> run = serving(cm);
      peer.calls(SERVER, PORT);
      hearsSoonThatItLeaves(peer, run);
    }
  }

  private void hearsSoonThatItLeaves(LeavingPeer peer, CompletableFuture<Void> run) {
    awaitWords(out, "receiving", run);
    long leftNs = network.fabric().nowNs();
    peer.leaves();
    String said = failure(run);
    assertTrue(said.startsWith("the peer disconnected: 0 of 3 receives of id TCP "), said);
    assertWithin(5 * SECOND_NS, leftNs);
  }

  @Test
  void aClientHearsSoonThatItsServerHasLeft() {
    try (RdmaCm cm = RdmaCm.open(clients);
        LeavingPeer peer = new LeavingPeer(servers)) {
      peer.listensAt(SERVER, PORT);
      InetSocketAddress to = new InetSocketAddress(SERVER, PORT);
      CompletableFuture<Void> run =
          started(() -> messages("-C 3").connect(cm, InetAddress.ofLiteral(CLIENT), to, false));
      peer.accepts();
      hearsSoonThatItLeaves(peer, run);
    }
  }

  /** A killed peer sends no disconnect; the server finds out by a request without an answer. */
  @Test
  void aServerWhoseClientWasKilledEndsByItsRetries() {
    try (RdmaCm cm = RdmaCm.open(servers);
        LeavingPeer peer = new LeavingPeer(clients)) {
      CompletableFuture<Void> run = serving(cm);
      peer.calls(SERVER, PORT);
      awaitWords(out, "receiving", run);
      long killedNs = network.fabric().nowNs();
      network.fabric().filter((from, to, buffer, at, length, n) -> FabricFilter.DROP);
      String said = saidBy(run); // the time is measured, so no other wait comes first
      assertTrue(
          said.startsWith("the peer does not answer, transport retry counter exceeded"), said);
      assertTrue(said.contains(": 0 of 3 receives of id TCP "), said);
      assertTrue(
          err.toString().contains("cmatose: waiting: 0 of 3 receives of id "), err::toString);
      assertWithin(15 * SECOND_NS, killedNs);
      network.fabric().heal();
    }
  }

  /** The server waits for the second connection, not for messages of the first. */
  @Test
  void aServerThatWaitsForMoreConnectionsNoticesThatAClientWasKilled() {
    try (RdmaCm cm = RdmaCm.open(servers);
        LeavingPeer peer = new LeavingPeer(clients)) {
      CompletableFuture<Void> run = serving(cm, "-c 2");
      peer.calls(SERVER, PORT);
      long killedNs = network.fabric().nowNs();
      network.fabric().filter((from, to, buffer, at, length, n) -> FabricFilter.DROP);
      assertEquals(
          "the peer does not answer, transport retry counter exceeded: 1 of 2 connections were"
              + " made",
          failure(run));
      assertWithin(20 * SECOND_NS, killedNs);
      network.fabric().heal();
    }
  }

  /** All messages have been exchanged; only the disconnection is missing. */
  @Test
  void aClientWhoseServerWasKilledBeforeItDisconnectsFails() {
    try (RdmaCm cm = RdmaCm.open(clients);
        LeavingPeer peer = new LeavingPeer(servers)) {
      peer.listensAt(SERVER, PORT);
      InetSocketAddress to = new InetSocketAddress(SERVER, PORT);
      CompletableFuture<Void> run =
          started(() -> messages("-C 0").connect(cm, InetAddress.ofLiteral(CLIENT), to, false));
      peer.accepts();
      long killedNs = network.fabric().nowNs();
      network.fabric().filter((from, dest, buffer, at, length, n) -> FabricFilter.DROP);
      assertEquals(
          "the peer does not answer, transport retry counter exceeded: 0 of 1 connections were"
              + " disconnected",
          failure(run));
      assertWithin(20 * SECOND_NS, killedNs);
      network.fabric().heal();
    }
  }

  /** Another client sends nothing either, but is alive. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aServerOfConnectionsWithoutMessagesNoticesThatAClientWasKilled(int threads) {
    try (RdmaCm cm = RdmaCm.open(servers);
        Context others = network.device("c", Gid.parse("10.0.0.3")).open();
        LeavingPeer lives = new LeavingPeer(others);
        LeavingPeer dies = new LeavingPeer(clients)) {
      Speech speech = new Speech("cmtime", printer(new MessageOptions()));
      CmtimeRun server = new CmtimeRun(3, 2000, 2, threads, null, 1, speech);
      CompletableFuture<Void> run =
          started(() -> server.serve(cm, new InetSocketAddress(SERVER, PORT)));
      awaitWords(out, "listening", run);
      lives.calls(SERVER, PORT);
      dies.calls(SERVER, PORT);
      network.fabric().run(20 * SECOND_NS);
      assertFalse(run.isDone(), "both are there");
      long killedNs = network.fabric().nowNs();
      network.unplug((EmulatedDevice) clients.device());
      assertEquals(
          "the peer does not answer, transport retry counter exceeded: 0 of 3 connections",
          failure(run));
      assertWithin(20 * SECOND_NS, killedNs);
    }
  }

  /** A connection that the client never confirmed does not count as served. */
  @Test
  void aServerWhoseClientNeverConfirmsFails() {
    try (RdmaCm cm = RdmaCm.open(servers);
        RdmaCm there = RdmaCm.open(clients)) {
      Speech speech = new Speech("cmtime", printer(new MessageOptions()));
      CmtimeRun server = new CmtimeRun(1, 2000, 2, 1, null, 1, speech);
      InetSocketAddress at = new InetSocketAddress(SERVER, PORT);
      CompletableFuture<Void> run = started(() -> server.serve(cm, at));
      awaitWords(out, "listening", run);
      EventChannel events = there.createEventChannel();
      CmId id = events.createId(PortSpace.TCP);
      id.resolveAddr(null, at, 2000);
      events.getCmEvent().ack();
      id.resolveRoute(2000);
      events.getCmEvent().ack();
      id.connect(new ConnParam().qpNum(3));
      events.getCmEvent().ack();
      String said = failure(run);
      assertTrue(said.startsWith("cma event RDMA_CM_EVENT_UNREACHABLE"), said);
      String waits = "waiting: 0 of 1 connections have ended, 1 were requested";
      assertTrue((out + "" + err).contains(waits), out + "" + err);
    }
  }

  /** A group may have no sender yet, so its receiver waits without a limit. */
  @Test
  void aReceiverOfAGroupWaitsForItsFirstDatagram() {
    InetAddress group = InetAddress.ofLiteral("239.1.2.3");
    StringWriter waits = new StringWriter();
    try (RdmaCm here = RdmaCm.open(servers);
        RdmaCm there = RdmaCm.open(clients);
        MessageNode receiver = member(here, group, waits);
        MessageNode sender = member(there, group, waits)) {
      receiver.postReceives();
      CompletableFuture<Void> run = started(receiver::awaitGroup);
      EventChannel idle = there.createEventChannel();
      for (int waited = 0; waited < 1000 && !run.isDone(); waited++) {
        assertNull(idle.getCmEvent(4 * SECOND_NS / 10)); // longer than its own looks
      }
      assertFalse(run.isDone());
      assertTrue(waits.toString().contains("waiting: 0 of 1 receives"), waits::toString);
      sender.postSends();
      run.orTimeout(50, TimeUnit.SECONDS).join();
    }
  }

  private static MessageNode member(RdmaCm cm, InetAddress group, StringWriter waits) {
    EventChannel events = cm.createEventChannel();
    CmId id = events.createId(PortSpace.UDP);
    id.resolveAddr(null, new InetSocketAddress(group, 0), 2000);
    events.getCmEvent().ack();
    ConnectionWait wait = new ConnectionWait(ConnectionWait.Events.NONE, waits::write);
    MessageNode node = new MessageNode(id, 1, 100, 0, wait);
    id.joinMulticast(group, null);
    try (CmEvent joined = events.getCmEvent()) {
      node.reach(joined.ud());
    }
    return node;
  }

  /** The client gives up soon, and reports a failure. */
  @Test
  void aClientWhoseServerWasKilledBeforeItConfirmsTheEndFails() {
    try (RdmaCm cm = RdmaCm.open(clients);
        RdmaCm there = RdmaCm.open(servers)) {
      EventChannel events = there.createEventChannel();
      CmId listener = events.createId(PortSpace.TCP);
      listener.bindAddr(new InetSocketAddress(SERVER, PORT));
      listener.listen(3);
      InetSocketAddress to = new InetSocketAddress(SERVER, PORT);
      Speech speech = new Speech("cmtime", printer(new MessageOptions()));
      CmtimeRun client = new CmtimeRun(3, 2000, 2, 1, null, 1, speech);
      CompletableFuture<Void> run =
          started(() -> client.measure(cm, InetAddress.ofLiteral(CLIENT), to));
      network
          .fabric()
          .filter(
              (from, dest, buffer, at, length, n) ->
                  isRelease(buffer, at) ? FabricFilter.DROP : FabricFilter.PASS);
      for (int established = 0; established < 3; ) {
        try (CmEvent event = events.getCmEvent()) {
          if (event instanceof CmEvent.ConnectRequest) {
            event.id().createQp(null, new QpInitAttr());
            event.id().accept(new ConnParam());
          } else {
            established++;
          }
        }
      }
      long killedNs = network.fabric().nowNs();
      assertEquals(
          "the peer does not answer: 0 of 3 connections were disconnected, and none in the last 15"
              + " s",
          failure(run));
      assertWithin(20 * SECOND_NS, killedNs);
      network.fabric().heal();
    }
  }

  private static boolean isRelease(ByteBuffer buffer, int at) {
    int mad = OutboundPacket.payloadAt(Opcode.UD_SEND_ONLY, at);
    return Bth.destQp(buffer, at) == Mad.QPN
        && buffer.getShort(mad + MadHeader.ATTRIBUTE_ID) == CmAttribute.DREQ.id();
  }

  private void assertWithin(long mostNs, long fromNs) {
    long tookNs = network.fabric().nowNs() - fromNs;
    assertTrue(tookNs <= mostNs, () -> tookNs + " ns");
  }

  // ---- over sockets

  private static final String HERE = OwnNetwork.address(53);
  private static final String THERE = OwnNetwork.address(54);

  @ParameterizedTest
  @EnabledOnOs(OS.LINUX) // only there is every 127.0.0.0/8 address of this host
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ucmatose -b HERE -C 3   | starting server | 7471 | receiving      | the peer disconnected: 0 of 3 receives of id
          ucmatose -b HERE -c 2   | starting server | 7471 | starting       | the peer disconnected: 1 of 2 connections were made
          rdma-server -s HERE     | start           | 7471 | start          | the peer disconnected before the receive was done
          rdma-xserver -b HERE    | start           | 7471 | start          | the peer disconnected before the receive was done
          cmtime -b HERE -c 3     | listening       | 7471 | listening      | the peer disconnected after 1 of 3 connections
          perf send_bw --server -R --bind HERE --patience 40 | rdma_cm port | 18515 | rdma_cm port | THERE hung up before it sent
          """)
  void aServerThatHasNotDoneItsJobFails(
      String line, String ready, int port, String phase, String words) {
    StringWriter heard = new StringWriter();
    CompletableFuture<CommandRun> run = command(line, heard);
    awaitWords(heard, ready, run);
    try (Context context = device(THERE);
        LeavingPeer peer = new LeavingPeer(context).calls(HERE, port)) {
      awaitWords(heard, phase, run);
      assertFailsSoon(run, words, peer);
    }
  }

  @ParameterizedTest
  @EnabledOnOs(OS.LINUX)
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ucmatose -s HERE -b THERE -C 3         | 7471 | receiving | the peer disconnected: 0 of 3 receives of id
          ucmatose -s HERE -b THERE -c 2         | 7471 | starting  | the peer disconnected: 1 of 2 connections were made
          rdma-client -s HERE --bind THERE       | 7471 | start     | the peer disconnected before the
          rping -c -a HERE -I THERE -C 3         | 7174 |           | the server has gone after 0 of 3 pings
          rping -q -c -a HERE -I THERE -C 3      | 7174 |           | the server has gone after 0 of 3 pings
          cmtime -s HERE -b THERE -c 3           | 7471 | create qp | the peer disconnected: cma event
          perf send_lat -R --bind THERE HERE --patience 40 | 18515 | | HERE hung up before it sent
          """)
  void aClientThatHasNotDoneItsJobFails(String line, int port, String phase, String words) {
    StringWriter heard = new StringWriter();
    try (Context context = device(HERE);
        LeavingPeer peer = new LeavingPeer(context)) {
      peer.listensAt(HERE, port);
      CompletableFuture<CommandRun> run = command(line, heard);
      peer.accepts();
      awaitWords(heard, phase == null ? "" : phase, run);
      assertFailsSoon(run, words, peer);
    }
  }

  /** The command notices the end of the connection; it does not wait for a time limit. */
  private static void assertFailsSoon(
      CompletableFuture<CommandRun> run, String words, LeavingPeer peer) {
    long leftNs = System.nanoTime();
    peer.leaves();
    CommandRun ended = run.orTimeout(30, TimeUnit.SECONDS).join();
    assertEquals(1, ended.status(), ended::toString);
    assertTrue(ended.err().contains(placed(words)), ended::toString);
    assertTrue(System.nanoTime() - leftNs < 15 * SECOND_NS, ended::toString);
  }

  private static Context device(String address) {
    return Emulator.device(DeviceOptions.of("peer", Gid.parse(address))).open();
  }

  private static CompletableFuture<CommandRun> command(String line, StringWriter heard) {
    return CompletableFuture.supplyAsync(
        () -> CommandRun.of(placed(line), heard), task -> Thread.ofPlatform().daemon().start(task));
  }

  private static String placed(String words) {
    return words.replace("THERE", THERE).replace("HERE", HERE);
  }

  private static CompletableFuture<Void> started(Runnable run) {
    return CompletableFuture.runAsync(run, task -> Thread.ofPlatform().daemon().start(task));
  }

  private static void awaitWords(StringWriter heard, String words, CompletableFuture<?> run) {
    while (!heard.toString().contains(words) && !run.isDone()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  /**
   * The message of a failed run. Virtual time advances because this thread waits on the network
   * too: an empty poll of the command advances it to the end of this wait.
   */
  private String failure(CompletableFuture<Void> run) {
    try (Context clock = network.device("clock", Gid.parse("10.0.0.9")).open();
        RdmaCm cm = RdmaCm.open(clock)) {
      EventChannel idle = cm.createEventChannel();
      while (!run.isDone()) {
        assertNull(idle.getCmEvent(SECOND_NS));
      }
    }
    return saidBy(run);
  }

  private static String saidBy(CompletableFuture<Void> run) {
    CompletionException failed =
        assertThrows(CompletionException.class, run.orTimeout(50, TimeUnit.SECONDS)::join);
    return assertThrows(
            ToolFailure.class,
            () -> {
              throw failed.getCause();
            })
        .getMessage();
  }
}
