package org.roce4j.tools.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.tools.CommandRun;
import org.roce4j.tools.OwnNetwork;
import org.roce4j.wire.capture.Dissection;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.inspect.CaptureInspector;

/** Every line that both ends print equals that of the programs of librdmacm. */
@EnabledOnOs(OS.LINUX) // only there is every 127.0.0.0/8 address of this host
@Timeout(60)
class CmTranscriptsTest {
  private static final String HERE = OwnNetwork.address(71);
  private static final String THERE = OwnNetwork.address(72);
  private static final String GROUP = OwnNetwork.group();

  @TempDir private Path directory;

  /** One run of both ends, in the form that transcripts.txt explains. */
  private record Transcript(List<String> lines) {
    String command(String end) {
      return each(end + "$", lines).getFirst();
    }

    String out(String end) {
      return text(each(end + " ", lines));
    }

    String err(String end) {
      return text(each(end + "!", lines));
    }

    /** The lines of the server before the client is started. */
    String ready() {
      return each("< ", lines.subList(0, lines.indexOf(">$ " + command(">")))).getLast();
    }

    private static List<String> each(String mark, List<String> lines) {
      return lines.stream()
          .filter(line -> line.startsWith(mark))
          .map(line -> line.substring(2).strip())
          .toList();
    }

    private static String text(List<String> lines) {
      return lines.stream().map(line -> line + "\n").collect(Collectors.joining());
    }
  }

  static Stream<Arguments> transcripts() throws Exception {
    Path file = Path.of(CmTranscriptsTest.class.getResource("transcripts.txt").toURI());
    return Stream.of(Files.readString(file).split("\n\n"))
        .map(text -> new Transcript(text.lines().filter(line -> !line.startsWith("#")).toList()))
        .map(each -> Arguments.of(each.command(">"), each));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("transcripts")
  void bothEndsPrintWhatTheCProgramsDo(String name, Transcript transcript) {
    StringWriter heard = new StringWriter();
    CompletableFuture<CommandRun> serving = start(words(transcript.command("<")), heard);
    awaitWords(heard, serving, words(transcript.ready()));
    CommandRun client = ended(start(words(transcript.command(">")), new StringWriter()));
    CommandRun server = ended(serving);
    // Another thread prints the events.
    assertAlike(transcript.out("<"), server.out().replaceAll("(?m)^cma_event.*\n", ""));
    assertAlike(transcript.err("<"), server.err());
    assertAlike(transcript.out(">"), client.out());
    assertAlike(transcript.err(">"), client.err());
    assertEquals(0, server.status());
    assertEquals(0, client.status());
  }

  @ParameterizedTest
  @CsvSource({
    "ucmatose -b HERE, starting server, ucmatose -s HERE -b THERE",
    "udaddy -b HERE, starting server, udaddy -s HERE -b THERE",
    "mckey -m GROUP -b HERE, receiving, mckey -m GROUP -b THERE -s",
  })
  void theTypeOfServiceIsInEveryDatagram(String server, String ready, String client)
      throws IOException {
    StringWriter heard = new StringWriter();
    CompletableFuture<CommandRun> serving = start(words(server), heard);
    awaitWords(heard, serving, ready);
    String line = words(client) + " -t 96 --set capture=" + directory + "/{device}.pcapng";
    CommandRun called = ended(start(line, new StringWriter()));
    assertEquals(0, called.status(), called::toString);
    assertEquals(0, ended(serving).status());
    Set<Integer> found = new HashSet<>();
    CaptureInspector.inspect(
        directory.resolve("roce0.pcapng"),
        packet -> {
          if (packet.dissection() instanceof Dissection.Roce(RocePacket roce)
              && roce.ip() instanceof Ipv4Header ip
              && ip.sourceText().equals(THERE)) {
            found.add(ip.tos());
          }
        });
    assertEquals(Set.of(96), found);
  }

  /** The second column is a thousand times the first, by connection. */
  @Test
  void eachStepOfCmtimeIsToldForOneConnectionToo() {
    StringWriter heard = new StringWriter();
    CompletableFuture<CommandRun> serving = start(words("cmtime -b HERE -p 7472 -c 4"), heard);
    awaitWords(heard, serving, "listening");
    CommandRun run =
        ended(start(words("cmtime -s HERE -b THERE -p 7472 -c 4"), new StringWriter()));
    for (String line : run.out().lines().skip(1).toList()) {
      String[] cells = line.strip().split(" {2,}");
      double totalMs = Double.parseDouble(cells[1]);
      double us = Double.parseDouble(cells[2]);
      assertEquals(totalMs * 1000 / 4, us, 1.3, line); // each with two decimals
    }
    ended(serving);
  }

  private static void assertAlike(String wanted, String found) {
    String pattern =
        Stream.of(words(wanted).split("\\bN\\b", -1))
            .map(Pattern::quote)
            .collect(Collectors.joining(" *[0-9.]+"));
    assertTrue(found.matches(pattern), () -> "not " + wanted + "but\n" + found);
  }

  private static CompletableFuture<CommandRun> start(String line, StringWriter out) {
    return CompletableFuture.supplyAsync(
        () -> CommandRun.of(line, out), command -> Thread.ofPlatform().daemon().start(command));
  }

  private static CommandRun ended(CompletableFuture<CommandRun> running) {
    return running.orTimeout(50, TimeUnit.SECONDS).join();
  }

  private static void awaitWords(
      StringWriter heard, CompletableFuture<CommandRun> running, String words) {
    while (!heard.toString().contains(words) && !running.isDone()) {
      assertFalse(Thread.currentThread().isInterrupted(), "not " + words + " but " + heard);
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
    }
  }

  private static String words(String line) {
    return line.replace("THERE", THERE).replace("HERE", HERE).replace("GROUP", GROUP);
  }
}
