package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.connect.UdPair;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Emulator;
import org.roce4j.emulator.statistics.QueuePairStatistics;
import org.roce4j.tools.console.Json;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;

class StatsCommandTest extends CommandFixture {
  /** A program with an open device, which ends at the end of its input. */
  public static final class Holder {
    private Holder() {}

    /** Opens a device, prints a line, and waits. */
    public static void main(String[] arguments) throws IOException {
      DeviceOptions options =
          DeviceOptions.of("held", Gid.parse("127.0.0.1"))
              .withUdpPort(Integer.parseInt(arguments[0]));
      DeviceOptions peer =
          DeviceOptions.of("peer", Gid.parse("127.0.0.2")).withUdpPort(options.udpPort());
      try (Context context = Emulator.device(options).open();
          Context other = arguments.length > 1 ? Emulator.device(peer).open() : null) {
        if (other != null) {
          talk(context, other);
          context.allocPd().createQp(new QpInitAttr().qpType(QpType.UD).cq(context.createCq(1)));
        }
        context.allocPd().createQp(new QpInitAttr().qpType(QpType.RC).cq(context.createCq(1)));
        System.out.println(context.device().name());
        if (System.in.read() >= 0) {
          throw new IOException("nobody writes here");
        }
      }
    }

    /** Both send and receive. */
    private static void talk(Context one, Context other) {
      try (UdPair pair = UdPair.connect(one, other)) {
        pair.client().send("ping");
        pair.server().receiveString();
        pair.server().send("pong");
        pair.client().receiveString();
      }
    }
  }

  private static Process holder(String... properties) throws IOException {
    return holding(List.of(), properties);
  }

  private static Process holding(List<String> more, String... properties) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("--enable-native-access=ALL-UNNAMED");
    command.addAll(List.of(properties));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(Holder.class.getName());
    try (var probe = new DatagramSocket(0, InetAddress.ofLiteral("127.0.0.1"))) {
      command.add(Integer.toString(probe.getLocalPort()));
    }
    command.addAll(more);
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader said = process.inputReader();
    assertEquals("held", said.readLine());
    return process;
  }

  private int stats(Process process, String... options) {
    Stream<String> words = Stream.of("stats", Long.toString(process.pid()));
    return run(Stream.concat(words, Stream.of(options)).toArray(String[]::new));
  }

  @Test
  void countersOfAnotherProcessArePrinted() throws Exception {
    Process process = holder("-Droce4j.stats=on");
    try {
      assertEquals(0, stats(process, "--every", "0.01", "--times", "2"), err::toString);
      assertTrue(
          out.toString()
              .matches(
                  "(?s)" + process.pid() + "  StatsCommandTest\\$Holder \\d+\nheld  127.0.0.1\n.*"),
          out::toString);
      assertEquals(0, stats(process, "--json"), err::toString);
      assertTrue(
          out.toString()
              .contains(
                  "\"devices\":[{\"name\":\"held\",\"addresses\":[\"127.0.0.1\"],\"counters\":{"),
          out::toString);
      assertTrue(out.toString().contains("\"service\":\"RC\",\"state\":\"RESET\""), out::toString);
    } finally {
      process.getOutputStream().close();
      assertEquals(0, process.waitFor());
    }
  }

  /** Programs read them by name. */
  @Test
  void everyNumberOfAQueuePairHasItsName() {
    QueuePairStatistics qp =
        new QueuePairStatistics(17, "XRC_SEND", "RTS", "0x12 at 10.0.0.2", 3, 4, 5, 6, true, 7);
    assertEquals(
        "{\"qp_num\":17,\"service\":\"XRC_SEND\",\"state\":\"RTS\",\"peer\":\"0x12 at 10.0.0.2\","
            + "\"sends\":3,\"sends_outstanding\":4,\"receives\":5,\"receives_posted\":6,"
            + "\"shared_receives\":true,\"rnr_naks\":7}",
        Json.text(StatsCommand.describe(qp)));
  }

  /** The first table has no growth of any device. */
  @Test
  void countersOfSeveralDevicesGrowApartAndRowsAreAsManyAsAreAskedFor() throws Exception {
    Process process = holding(List.of("with a peer"), "-Droce4j.stats=on");
    try {
      assertEquals(0, stats(process), err::toString);
      assertTrue(out.toString().contains("\npeer  127.0.0.2\n"), out::toString);
      assertTrue(out.toString().contains("rcvd_pkts"), out::toString);
      assertFalse(out.toString().contains("/s"), out::toString);
      String[] top = {"top", process.pid() + "", "--once", "--every", "0.05", "--rows", "1"};
      assertEquals(0, run(top), err::toString);
      assertTrue(out.toString().contains("\n and 1 more\npeer  127.0.0.2\n"), out::toString);
    } finally {
      end(process);
    }
  }

  @Test
  void queuePairsOfAnotherProcessAreWatched() throws Exception {
    Process process = holder("-Droce4j.stats=on");
    try {
      String pid = Long.toString(process.pid());
      assertEquals(0, run("top", pid, "--once", "--every", "0.1"), err::toString);
      assertTrue(
          out.toString()
              .matches(
                  pid
                      + """
                      \\s+StatsCommandTest\\$Holder \\d+
                      held  127.0.0.1
                       QP .* SENDS/s QUEUED  RECVS/s POSTED RNR
                       0x[0-9a-f]+ +RC  RESET +0      0        0      0
                      """),
          out::toString);
    } finally {
      process.getOutputStream().close();
      assertEquals(0, process.waitFor());
    }
    assertEquals(1, run("top", Long.toString(process.pid()), "--once"));
    assertTrue(err.toString().contains("cannot ask process"), err::toString);
  }

  /** A shorter table erases the longer one before it, at the ends of lines and below. */
  @Test
  void aTableIsDrawnOverTheLast() {
    TopCommand.show(new PrintWriter(out), List.of("one", "two"), true);
    assertEquals("\033[?7l\033[1;1H\033[Kone\033[2;1H\033[Jtwo\033[?7h\033[3;1H", out.toString());
    out.getBuffer().setLength(0);
    TopCommand.show(new PrintWriter(out), List.of("one"), false);
    assertEquals("one" + System.lineSeparator(), out.toString());
  }

  @Test
  void withoutANumberThoseThatPublishAreWatched() throws Exception {
    Process published = holder("-Droce4j.stats=on");
    Process silent = holder();
    try {
      assertEquals(0, run("top", "--once", "--every", "0.05"), err::toString);
      assertTrue(out.toString().contains(published.pid() + "  StatsCommandTest$Holder"));
      assertFalse(out.toString().contains(silent.pid() + "  "), out::toString);
    } finally {
      end(published);
      end(silent);
    }
  }

  private static void end(Process process) throws Exception {
    process.getOutputStream().close();
    assertEquals(0, process.waitFor());
  }

  /** The command goes on with the other processes and ends with the last of them. */
  @Test
  @Timeout(60)
  void aProcessThatEndsIsWatchedNoMore() throws Exception {
    Process first = holder("-Droce4j.stats=on");
    Process last = holder("-Droce4j.stats=on");
    String[] line = {"top", first.pid() + "", last.pid() + "", "--every", "0.05"};
    AtomicInteger status = new AtomicInteger(-1);
    Thread watch = Thread.ofPlatform().start(() -> status.set(run(line)));
    try {
      awaitTables(last, 2);
      end(first);
      awaitTables(last, 2);
      int before = out.getBuffer().length();
      awaitTables(last, 2);
      assertFalse(out.toString().substring(before).contains(first.pid() + "  "));
    } finally {
      first.getOutputStream().close();
      end(last);
    }
    watch.join();
    assertEquals(1, status.get());
    assertTrue(err.toString().contains("process " + last.pid() + " "), err::toString);
  }

  private void awaitTables(Process process, int more) throws InterruptedException {
    int before = out.getBuffer().length();
    String head = "(?s).*" + (process.pid() + "  .*").repeat(more);
    while (!out.toString().substring(before).matches(head)) {
      Thread.sleep(5);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--every 0 | --every must be",
        "--rows 0 | --rows must be",
        "x | not understood: 'x'"
      })
  void whatTopCannotDoIsSaid(String options, String expected) {
    assertEquals(2, run(("top " + options).split(" ")), out::toString);
    assertTrue(err.toString().contains(expected), err::toString);
  }

  @Test
  void aProcessThatPublishesNothingIsToldHowTo() throws Exception {
    Process process = holder();
    try {
      assertEquals(1, stats(process));
      assertTrue(err.toString().contains("start it with ROCE4J_STATS=on"), err::toString);
    } finally {
      process.getOutputStream().close();
      assertEquals(0, process.waitFor());
    }
  }

  @Test
  void whatIsNoJavaProcessCannotBeAsked() {
    assertEquals(1, run("stats", "1"));
    assertTrue(err.toString().startsWith("roce4j stats: cannot ask process 1: "), err::toString);
  }
}
