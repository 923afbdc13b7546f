package org.roce4j.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.tools.CommandRun;

/** Both ends are on the virtual network, and one thread runs them. */
@Timeout(60)
class FabricPingPongTest {
  @TempDir private Path directory;

  @Test
  void tellsWhatItDidInPlainWords() {
    CommandRun run = CommandRun.of("pingpong --transport fabric");
    assertEquals(0, run.status(), run.err());
    run.assertPrinted("client: device fabric0, address 127.0.0.1, QP 0x");
    run.assertPrinted("server: device fabric1, address 127.0.0.2, QP 0x");
    run.assertPrinted("transport: fabric (a virtual network in virtual time, no socket)");
    run.assertPrinted("RC, path MTU 1024, 1000 messages of 4096 bytes each way, polling");
    run.assertPrinted("of virtual time");
    run.assertPrinted(", 0 retransmitted");
    assertEquals("8192000 bytes verified", run.lastLine());
    assertEquals("", run.err());
  }

  @ParameterizedTest
  @CsvSource({
    "0,256",
    "1,256",
    "255,256",
    "256,256",
    "257,256",
    "5000,512",
    "65536,1024",
    "4097,2048",
    "1048576,4096",
    "1048577,4096",
    "3000000,1024",
  })
  void verifiesEveryByteOfEverySize(int size, int mtu) {
    CommandRun run =
        CommandRun.of("pingpong --transport fabric --iters 5 --size " + size + " --mtu " + mtu);
    assertEquals(0, run.status(), run.err());
    assertEquals(10L * size + " bytes verified", run.lastLine());
  }

  @Test
  void linksAreOfEveryWayAndTheVerbsOfTheClient() throws IOException {
    Path plan =
        Files.writeString(
            directory.resolve("plan.yaml"),
            "links:\n  loss: 2%\nrules:\n  - late: 1ms\n    every: 50\n");
    for (String waiting : List.of("", " --events")) {
      CommandRun run =
          CommandRun.of("pingpong --transport fabric --iters 200 --faults " + plan + waiting);
      assertEquals(0, run.status(), run.err());
      assertEquals("1638400 bytes verified", run.lastLine());
      assertFalse(run.out().contains(", 0 retransmitted"), run.out());
    }
  }

  @Test
  void aFaultAtTheVerbsFailsTheRun() {
    CommandRun run = CommandRun.of("pingpong --transport fabric --faults fail=RETRY_EXC_ERR");
    assertEquals(1, run.status());
    assertTrue(run.err().contains("transport retry counter exceeded"), run.err());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 700})
  void waitsForEventsOnOneThread(int iterations) {
    CommandRun run = CommandRun.of("pingpong --transport fabric --events --iters " + iterations);
    assertEquals(0, run.status(), run.err());
    assertEquals(2L * 4096 * iterations + " bytes verified", run.lastLine());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "uc --size 0",
        "uc --size 5000 --mtu 512",
        "uc --size 1048577 --mtu 4096",
        "uc --events",
        "ud --size 0",
        "ud --size 1",
        "ud --size 4096 --mtu 4096",
        "ud --events",
        "srq --size 0",
        "srq --size 1",
        "srq --size 5000 --mtu 512",
        "srq --qps 1",
        "srq --qps 255 --size 100",
        "srq --iters 3",
        "srq --events",
        "srq --events --iters 1 --qps 2",
        "xrc --size 0",
        "xrc --size 1 --iters 1",
        "xrc --size 5000 --mtu 512",
        "xrc --clients 3 --iters 100",
        "xrc --clients 255 --size 100",
        "xrc --events",
        "xrc --events --clients 4 --iters 100",
      })
  void playsEveryService(String line) {
    CommandRun run = CommandRun.of("pingpong --transport fabric --json --service " + line);
    assertEquals(0, run.status(), run.err());
    Matcher numbers =
        Pattern.compile("\"iterations\":(\\d+),\"size\":(\\d+),.*\"verifiedBytes\":(\\d+)")
            .matcher(run.out());
    assertTrue(numbers.find(), run.out());
    assertEquals(
        2 * Long.parseLong(numbers.group(1)) * Long.parseLong(numbers.group(2)),
        Long.parseLong(numbers.group(3)));
  }

  @ParameterizedTest
  @CsvSource({
    "rc,127.0.0.1",
    "rc,::1",
    "rc,'fd77::1,fd77::2'",
    "uc,127.0.0.1",
    "uc,'fd77::1,fd77::2'",
    "ud,127.0.0.1",
    "ud,'fd77::1,fd77::2'",
    "srq,127.0.0.1",
    "srq,'fd77::1,fd77::2'",
    "xrc,127.0.0.1",
    "xrc,'fd77::1,fd77::2'",
  })
  void playsOnTheAddressesOfBind(String service, String bind) {
    CommandRun run =
        CommandRun.of(
            "pingpong --transport fabric --iters 10 --size 1024 --service "
                + service
                + " --bind "
                + bind);
    assertEquals(0, run.status(), run.err());
    assertEquals("20480 bytes verified", run.lastLine());
  }

  @Test
  void printsOneJsonObject() {
    CommandRun run = CommandRun.of("pingpong --transport fabric --iters 10 --json");
    assertEquals(0, run.status(), run.err());
    assertEquals(1, run.out().lines().count(), run.out());
    run.assertPrinted("\"virtualTime\":true");
    run.assertPrinted("\"verifiedBytes\":81920");
    run.assertPrinted("\"retransmitted\":0");
  }

  @Test
  void keepsEveryPacketForInspect(@TempDir Path directory) {
    Path file = directory.resolve("p.pcapng");
    CommandRun run =
        CommandRun.of(
            "pingpong --transport fabric --iters 10 --size 4096 --mtu 1024 --capture " + file);
    assertEquals(0, run.status(), run.err());

    CommandRun inspect = CommandRun.of("inspect " + file);
    assertEquals(0, inspect.status(), inspect.out());
    long sends = inspect.out().lines().filter(line -> line.contains(" SEND ")).count();
    assertEquals(2 * 10 * 4, sends);
    assertTrue(inspect.lastLine().endsWith(" 0 icrc bad, 0 malformed"), inspect.lastLine());
  }

  /** The server sends on the connections of all clients in turn, to the queue of one of them. */
  @Test
  void ofXrcEachPacketNamesTheReceiveQueueOfItsClient(@TempDir Path directory) {
    Path file = directory.resolve("p.pcapng");
    CommandRun run =
        CommandRun.of(
            "pingpong --transport fabric --service xrc --clients 3 --iters 6 --size 100 --capture "
                + file);
    assertEquals(0, run.status(), run.err());

    CommandRun inspect = CommandRun.of("inspect " + file);
    Map<String, Long> packets =
        inspect
            .out()
            .lines()
            .filter(line -> line.contains("127.0.0.2 > 127.0.0.1 XRC SEND Only"))
            .map(line -> line.replaceAll(".*(QP 0x\\w+) .*(SRQ 0x\\w+) .*", "$1 $2"))
            .collect(Collectors.groupingBy(pair -> pair, Collectors.counting()));
    assertEquals(9, packets.size(), packets::toString);
    assertEquals(Set.of(2L), Set.copyOf(packets.values()));
    assertTrue(inspect.lastLine().endsWith(" 0 icrc bad, 0 malformed"), inspect.lastLine());
  }

  @Test
  void tellsThatAMessageIsOverTheLimit() {
    CommandRun run = CommandRun.of("pingpong --transport fabric --size -1");
    assertEquals(2, run.status());
    assertEquals(1, run.err().lines().count());
  }
}
