package org.roce4j.tools.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.StringWriter;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.tools.CommandRun;
import org.roce4j.tools.OwnNetwork;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.RdmaVerbs;

/**
 * Each command plays with itself, over UDP between two loopback addresses that no other test uses.
 */
@EnabledOnOs(OS.LINUX) // only there is every 127.0.0.0/8 address of this host
@Timeout(60)
class CmCommandsTest {
  private static final String HERE = OwnNetwork.address(51);
  private static final String THERE = OwnNetwork.address(52);

  /**
   * The line of the server after which a client may connect, and the lines that each side must
   * print.
   */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          rping -s -d -v -S 4096 -a HERE    | rdma_listen    | server ping data: rdma-ping-4: EFGH | rping -c -v -V -C 5 -S 4096 -a HERE -I THERE | ping data: rdma-ping-4: EFGH
          rping -s -d -v -S 4096 -a HERE    | rdma_listen    | server ping data: rdma-ping-4: EFGH | rping -c -v -V -C 5 -S 4096 -a HERE -I THERE --faults late=2ms | ping data: rdma-ping-4: EFGH
          rdma-server -s HERE               | start          | rdma_server: end 0                  | rdma-client -s HERE --bind THERE             | rdma_client: end 0
          rdma-xserver -b HERE | start | rdma_xserver: end 0 | rdma-xclient -s HERE --bind THERE | rdma_xclient: end 0
          rdma-xserver -b HERE -c x | start | rdma_xserver: end 0 | rdma-xclient -s HERE --bind THERE -c x | rdma_xclient: end 0
          ucmatose -b HERE -c 3             | starting       | data transfers complete             | ucmatose -s HERE -b THERE -c 3               | data transfers complete
          ucmatose -b HERE -c 2 -m          | starting       | migrating to new event channel      | ucmatose -s HERE -b THERE -c 2 -m            | migrating to new event channel
          udaddy -b HERE -c 3               | starting       | data transfers complete             | udaddy -s HERE -b THERE -c 3                 | data transfers complete
          cmtime -b HERE -c 8               | listening      | listening at                        | cmtime -s HERE -b THERE -c 8                 | disconnect
          mckey -m GROUP -b HERE       | receiving data | data transfers complete             | mckey -m GROUP -b THERE -s              | data transfers complete
          rping -s -d -v -q -a HERE | rdma_listen | server ping data: rdma-ping-2: CDEF | rping -c -v -V -q -C 3 -a HERE -I THERE | ping data: rdma-ping-2: CDEF
          rping -s -d -v -a HERE | rdma_listen | server ping data: rdma-ping-2: CDEF | rping -c -v -V -q -C 3 -a HERE -I THERE | ping data: rdma-ping-2: CDEF
          ucmatose -b HERE -f ip -P ib | starting | data transfers complete | ucmatose -s HERE -b THERE -f ip -P ib -a 19 -t 32 | data transfers complete
          udaddy -b HERE -f ip -P ipoib | starting | data transfers complete | udaddy -s HERE -b THERE -p 2 | data transfers complete
          cmtime -b HERE -c 9 -n 3 | listening | listening at | cmtime -s HERE -b THERE -c 9 -n 2 -r 0 | disconnect
          cmtime -b HERE -c 4 -m 10 -q 77 | listening | listening at | cmtime -s HERE -b THERE -c 4 -m 10 | disconnect
          cmtime -b HERE -c 4 -S | listening | listening at | cmtime -s HERE -b THERE -c 4 -S | close
          mckey -m GROUP -b HERE -l | receiving data | data transfers complete | mckey -m GROUP -b THERE -s -l | data transfers complete
          """)
  void aCommandPairsWithItself(
      String server, String ready, String served, String client, String done) {
    StringWriter heard = new StringWriter();
    CompletableFuture<CommandRun> serving = start(server, heard);
    awaitWords(heard, ready, serving);
    CommandRun called = ended(start(client, new StringWriter()));
    assertEquals(0, called.status(), called::toString);
    CommandRun end = ended(serving);
    assertEquals(0, end.status(), end::toString);
    called.assertPrinted(done);
    end.assertPrinted(served);
  }

  private final List<Thread> started = new ArrayList<>();

  /** Each run has its own thread: the common pool may have one thread, which a server occupies. */
  private CompletableFuture<CommandRun> start(String line, StringWriter out) {
    return CompletableFuture.supplyAsync(
        () -> CommandRun.of(words(line), out),
        command -> started.add(Thread.ofPlatform().daemon().start(command)));
  }

  /** A command that still waits for its peer would occupy the address of the next test. */
  @AfterEach
  void nothingGoesOn() throws InterruptedException {
    for (Thread each : started) {
      each.interrupt();
      assertTrue(each.join(Duration.ofSeconds(30)), () -> each + " goes on");
    }
  }

  private static CommandRun ended(CompletableFuture<CommandRun> run) {
    return run.orTimeout(30, TimeUnit.SECONDS).join();
  }

  /** The server cannot receive a message of that length, so it disconnects. */
  @Test
  void aClientWhoseServerGoesBeforeTheLastPingFails() {
    CompletableFuture<CommandRun> serving = served("rping -s -d -a HERE -S 64");
    CommandRun called = CommandRun.of(words("rping -c -a HERE -I THERE -C 3 -S 4096"));
    assertEquals(1, called.status(), called::toString);
    assertEquals(1, ended(serving).status());
  }

  /** Its READ fails, and the client does not confirm the disconnection. */
  @Test
  void aServerThatFailsDoesNotWaitForItsClient() {
    serverFails((cm, serving) -> {});
  }

  /** The requests that it rejects do not keep it from ending its own connection. */
  @Test
  void aServerThatFailsEndsThoughOthersAskAllTheTime() {
    serverFails(
        (cm, serving) -> {
          long askedNs = System.nanoTime();
          while (!serving.isDone() && System.nanoTime() - askedNs < 30_000_000_000L) {
            try (CmId other = cm.createId(PortSpace.TCP)) {
              assertThrows(VerbsException.class, () -> connect(other));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
          }
          assertTrue(serving.isDone());
        });
  }

  private void serverFails(BiConsumer<RdmaCm, CompletableFuture<CommandRun>> meanwhile) {
    CompletableFuture<CommandRun> serving = served("rping -s -d -a HERE");
    try (Context context = Emulator.device(DeviceOptions.of("clients", Gid.parse(THERE))).open();
        RdmaCm cm = RdmaCm.open(context);
        Arena arena = Arena.ofShared();
        CmId client = cm.createId(PortSpace.TCP)) {
      connect(client);
      MemorySegment foreign = arena.allocate(16);
      try (MemoryRegion mr = RdmaVerbs.regMsgs(client, foreign)) {
        RdmaVerbs.postSend(client, 1, foreign, mr, 0);
        meanwhile.accept(cm, serving);
        assertEquals(1, ended(serving).status());
      }
    }
  }

  @Test
  void aServerOfOneConnectionRejectsASecondClient() {
    CompletableFuture<CommandRun> serving = served("rping -s -d -a HERE");
    try (Context context = Emulator.device(DeviceOptions.of("clients", Gid.parse(THERE))).open();
        RdmaCm cm = RdmaCm.open(context);
        CmId first = cm.createId(PortSpace.TCP);
        CmId second = cm.createId(PortSpace.TCP)) {
      connect(first);
      VerbsException rejected = assertThrows(VerbsException.class, () -> connect(second));
      assertEquals(Errno.ECONNREFUSED, rejected.errno(), rejected::getMessage);
      first.disconnect();
      assertEquals(0, ended(serving).status());
    }
  }

  private static void connect(CmId id) {
    id.resolveAddr(null, new InetSocketAddress(HERE, 7174), 2000);
    id.resolveRoute(2000);
    id.createQp(null, new QpInitAttr().cap(new QpCapabilities(2, 2, 1, 1)));
    id.connect(new ConnParam().responderResources(1).initiatorDepth(1));
  }

  @Test
  void aClientThatIsInterruptedTellsItsServer() throws Exception {
    CompletableFuture<CommandRun> serving = served("rping -s -d -a HERE");
    Process client =
        CommandRun.process(words("rping -c -v -a HERE -I THERE")).redirectErrorStream(true).start();
    try (BufferedReader out = client.inputReader()) {
      assertTrue(out.readLine().startsWith("ping data"));
      client.toHandle().destroy(); // its output stays open
      assertTrue(out.lines().allMatch(each -> each.startsWith("ping data")), "it says nothing");
      assertEquals(0, ended(serving).status());
    } finally {
      client.destroyForcibly();
    }
  }

  private CompletableFuture<CommandRun> served(String line) {
    StringWriter heard = new StringWriter();
    CompletableFuture<CommandRun> serving = start(line, heard);
    awaitWords(heard, "rdma_listen", serving);
    return serving;
  }

  private static void awaitWords(
      StringWriter heard, String ready, CompletableFuture<CommandRun> serving) {
    while (!heard.toString().contains(ready) && !serving.isDone()) {
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  private static String words(String line) {
    return line.replace("THERE", THERE).replace("HERE", HERE).replace("GROUP", OwnNetwork.group());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rping -s -a HERE --faults refuse=EIO",
        "ucmatose -b HERE --faults refuse=EIO",
        "cmtime -b HERE --faults device-fatal"
      })
  void aFaultAtTheVerbsFailsTheRun(String line) {
    CommandRun run = CommandRun.of(line.replace("HERE", HERE));
    assertEquals(1, run.status(), run::toString);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rping -c",
        "rping -s -t 1", // the C program has no such option either
        "ucmatose -f gid",
        "ucmatose -f ip -b localhost",
        "udaddy -f gid -b 127.0.0.1",
        "mckey",
        "mckey -M ff0e::1",
        "cmtime -L",
        "cmtime -C 127.0.0.1",
        "cmtime -B lo -b 127.0.0.1"
      })
  void whatIsWrongIsSaid(String line) {
    assertEquals(2, CommandRun.of(line).status());
  }

  /** The option as it was typed, the value, and what is allowed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          rping -s -p 65536                      | -p: a port is 0 to 65535, not '65536'
          rping -c -a 127.0.0.1 -p -1            | -p: a port is 0 to 65535, not '-1'
          rping -s -p x                          | -p: a port is 0 to 65535, not 'x'
          rping -s -S 5                          | -S must be 27 to 65535, not 5
          rping -s -S x                          | -S: 'x' is not a whole number
          rping -s -C -1                         | -C must be 0 or more, not -1
          ucmatose -p 65536                      | -p: a port is 0 to 65535, not '65536'
          ucmatose -P udp                        | -P is tcp or ib: ids of UDP
          ucmatose -P sdp                        | -P: 'sdp' is no port space: tcp, udp, ib or ipoib
          ucmatose -a 32                         | -a must be 1 to 31, not 32
          ucmatose -a 0                          | -a must be 1 to 31, not 0
          ucmatose -c 0                          | -c must be 1 or more, not 0
          ucmatose -C -1                         | -C must be 0 or more, not -1
          ucmatose -S 2147483640                 | -S must be 0 to 1073741824, not 2147483640
          ucmatose -t 256                        | -t must be 0 to 255, not 256
          ucmatose -f dns                        | -f is name, ip, ipv6 or gid, not dns
          udaddy -p tcp                          | -p is udp or ipoib: ids of TCP
          udaddy -P tcp                          | -P is udp or ipoib: ids of TCP
          udaddy -p 7174                         | -p: '7174' is no port space: tcp, udp, ib or ipoib
          udaddy -p7174                          | -p: '7174' is no port space: tcp, udp, ib or ipoib
          udaddy -P 7174                         | -P: '7174' is no port space: tcp, udp, ib or ipoib
          udaddy --port 65536                    | --port: a port is 0 to 65535, not '65536'
          udaddy -c 0                            | -c must be 1 or more, not 0
          udaddy -t -1                           | -t must be 0 to 255, not -1
          mckey -m 239.1.2.3 -t 256              | -t must be 0 to 255, not 256
          mckey -m 239.1.2.3 -p tcp              | -p is udp or ipoib: ids of TCP
          mckey -m 239.1.2.3 -p 9                | -p: '9' is no port space: tcp, udp, ib or ipoib
          mckey -m 239.1.2.3 -C -1               | -C must be 0 or more, not -1
          mckey -m 239.1.2.3 -S -1               | -S must be 0 to 1073741824, not -1
          mckey -m 10.0.0.1                      | -m takes a multicast address, not 10.0.0.1
          cmtime -p -1                           | -p: a port is 0 to 65535, not '-1'
          cmtime -c 0                            | -c must be 1 to 16777216, not 0
          cmtime -n 0                            | -n must be 1 or more, not 0
          cmtime -r -1                           | -r must be 0 or more, not -1
          cmtime -m -1                           | -m must be 0 or more, not -1
          cmtime -t 0                            | -t must be 1 or more, not 0
          cmtime -q 16777216                     | -q must be 0 to 16777116, not 16777216
          cmtime -q 16777215 -c 2                | -q must be 0 to 16777214, not 16777215
          cmtime -c 2147483648                   | -c: '2147483648' is not a whole number, or too large
          cmtime -B no-such-card                 | -B: there is no network interface no-such-card
          rdma-client -p no-port                 | -p: a port is 0 to 65535, not 'no-port'
          rdma-client -p 65536                   | -p: a port is 0 to 65535, not '65536'
          rdma-server -p -1                      | -p: a port is 0 to 65535, not '-1'
          rdma-xserver -p 65536                  | -p: a port is 0 to 65535, not '65536'
          rdma-xclient -c q                      | -c: 'q' is none of r, x
          """)
  void whatIsWrongIsSaidOfTheOptionThatWasTyped(String line, String said) {
    CommandRun run = CommandRun.of(line);
    assertEquals(2, run.status(), run::toString);
    assertTrue(run.err().contains(": " + said), run::toString);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rping -c -a",
        "ucmatose -s",
        "udaddy -s",
        "cmtime -s",
        "rdma-client -s",
        "rdma-server -s",
        "rdma-xclient -s"
      })
  void aHostThatNobodyKnowsIsToldAlike(String line) {
    CommandRun run = CommandRun.of(line + " no.such.host.invalid");
    assertEquals(1, run.status(), run::toString);
    assertTrue(run.err().contains("no host is called 'no.such.host.invalid'"), run::toString);
  }

  /** The message advises {@code --bind}; that no route exists from an IPv4 address helps nobody. */
  @ParameterizedTest
  @ValueSource(strings = {"rping -c -a", "ucmatose -s", "rdma-client -s", "perf write_bw -R"})
  void aPeerAtTheOnlyAddressOfItsKindIsNotCalledFromAnother(String line) {
    try (DatagramSocket probe = new DatagramSocket()) {
      probe.connect(new InetSocketAddress("::1", 1));
    } catch (SocketException e) {
      assumeTrue(false, "no IPv6: " + e);
    }
    CommandRun run = CommandRun.of(line + " ::1");
    assertEquals(2, run.status(), run::toString);
    assertTrue(run.err().contains("--bind"), run::toString);
  }
}
