package org.roce4j.tools.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.tools.Roce4j;

/**
 * Every character that the command prints of runs on the virtual network, where time is virtual and
 * the figures are the same each time: depths, lists, moderation and retries change them.
 */
@Timeout(60)
class PerfTranscriptsTest {
  private static final String MARK = "$ ";

  static Stream<String> lines() throws IOException, URISyntaxException {
    return transcripts()
        .lines()
        .filter(line -> line.startsWith(MARK))
        .map(PerfTranscriptsTest::words);
  }

  private static String words(String marked) {
    return marked.substring(MARK.length());
  }

  private static String transcripts() throws IOException, URISyntaxException {
    return Files.readString(
        Path.of(PerfTranscriptsTest.class.getResource("transcripts.txt").toURI()));
  }

  /**
   * The engine's timing is a part of it: after a change of that, target/perf-transcripts.txt is
   * read and copied.
   */
  @Test
  void everyCharacterIsAsWrittenDown() throws IOException, URISyntaxException {
    String wanted = transcripts();
    String comment =
        wanted.lines().filter(line -> line.startsWith("#")).collect(Collectors.joining("\n"));
    String found =
        lines()
            .map(PerfTranscriptsTest::transcript)
            .collect(Collectors.joining("\n", comment + "\n", ""));
    Files.writeString(Path.of("target", "perf-transcripts.txt"), found);
    assertEquals(wanted, found);
  }

  private static String transcript(String line) {
    return MARK + line + "\n" + printed(line) + printed(line + " --json");
  }

  /** Addresses in memory, numbers and keys are drawn. */
  private static String printed(String line) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    String command = "perf --transport fabric --patience 3600 " + line;
    int status =
        Roce4j.run(
            new PrintWriter(out, true), new PrintWriter(err, true), false, command.split(" "));
    assertEquals("0 ", status + " " + err, line);
    return out.toString()
        .replaceAll("(QPN|PSN|RKey|VAddr) 0x[0-9a-f]+", "$1 N")
        .replaceAll("(\"allocated_bytes_per_packet\":)[0-9.]+", "$1N")
        .replaceAll("(?m) +$", "");
  }

  @ParameterizedTest
  @MethodSource("lines")
  void figuresFollowFromEachOther(String line) {
    List<String> words = List.of(("--transport fabric --patience 3600 " + line).split(" "));
    PerfReport report = PerfCommand.run(PerfCommand.parse(words), said -> {}, Onlooker.nobody());
    if (report.figures().missing() == 0) {
      PrintedFigures.check(report);
      PrintedFigures.checkLatencies(report, true);
    }
  }
}
