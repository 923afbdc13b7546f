package org.roce4j.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.documents.ConsoleSession.Step;
import org.roce4j.lab.LabSession;
import org.roce4j.tools.Roce4j;
import org.roce4j.tools.lab.ScenarioFile;
import org.roce4j.wire.capture.Dissection;
import org.roce4j.wire.capture.Dissector;
import org.roce4j.wire.inspect.CaptureInspector;

/** Each lesson has its scenario, its text and its picture. */
class LessonsTest {
  static final Path LESSONS = Document.ROOT.resolve("docs/lessons");
  @TempDir private Path directory;

  static List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(LESSONS)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> name.endsWith(".yaml"))
          .map(name -> name.replace(".yaml", ""))
          .sorted()
          .toList();
    }
  }

  @Test
  void thereAreThirteenAndAllAreListed() throws IOException {
    String list = Files.readString(LESSONS.resolve("README.md"));
    for (String name : names()) {
      assertTrue(list.contains("| [" + name + "](" + name + ".md) |"), name);
    }
    assertEquals(13, names().size());
  }

  @ParameterizedTest
  @MethodSource("names")
  void theTextPrintsWhatHappens(String name) throws IOException {
    Document lesson = Document.read(LESSONS.resolve(name + ".md"));
    String text = Files.readString(LESSONS.resolve(name + ".md"));
    assertTrue(text.contains("](" + name + ".svg)"), "its picture");
    List<Step> steps =
        lesson.blocks().stream()
            .filter(block -> block.language().equals("console"))
            .flatMap(block -> ConsoleSession.steps(block.text()).stream())
            .toList();
    assertEquals(
        List.of("./roce4j lab --play docs/lessons/" + name + ".yaml"),
        steps.stream().map(Step::command).toList());
    String printed = run(0, "lab", "--play", file(name));
    assertTrue(steps.getFirst().pattern().matcher(printed).matches(), printed);
  }

  @ParameterizedTest
  @MethodSource("names")
  void viewDrawsItsPackets(String name) throws IOException {
    Path page = directory.resolve("page.html");
    String said = run(0, "view", file(name), "--html", page.toString());
    assertTrue(said.startsWith(page + ": "), said);
    assertTrue(Files.size(page) > 10_000);
  }

  /** Compared without the numbers of queue pairs, first PSNs, and times. */
  @Test
  void softRoceSendsTheSamePackets() throws IOException {
    List<String> theirs = new ArrayList<>();
    CaptureInspector.inspect(
        Document.ROOT.resolve("wire-rocev2/src/test/resources/pcaps/rc_send_multi.pcap"),
        packet -> theirs.add(plain(packet.dissection())));
    List<String> ours;
    try (LabSession lab = LabSession.of(ScenarioFile.read(Path.of(file("soft-roce"))).scenario())) {
      ours =
          lab.packets().stream()
              .map(packet -> plain(Dissector.dissectIp(packet.bytes().buffer()).getFirst()))
              .toList();
    }
    assertEquals(theirs, ours);
  }

  private static String plain(Dissection packet) {
    return packet.toString().replaceAll(" QP 0x[0-9a-f]+ PSN \\d+", "");
  }

  private static String file(String name) {
    return LESSONS.resolve(name + ".yaml").toString();
  }

  private static String run(int status, String... arguments) {
    StringWriter said = new StringWriter();
    PrintWriter out = new PrintWriter(said, true);
    assertEquals(status, Roce4j.run(out, out, false, arguments), said::toString);
    return said.toString();
  }
}
