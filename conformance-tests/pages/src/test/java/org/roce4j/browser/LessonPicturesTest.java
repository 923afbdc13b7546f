package org.roce4j.browser;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The pictures of the lessons are those that the page of {@code view} draws now. {@code
 * -Droce4j.pictures=write} writes them again.
 */
class LessonPicturesTest extends BrowserTest {
  private static final Path LESSONS = Path.of("../../docs/lessons");

  /** Packets that were sent after another had arrived and are drawn above its arrival. */
  private static final String SENT_TOO_EARLY =
      """
      String([...ladder.rows.shown].flatMap((one, j) => [...ladder.rows.shown].slice(j + 1).filter((other, i) =>
        data.flight[one] !== undefined && times[one] + data.flight[one] <= times[other]
          && ladder.rows.arrivedAt[j] > ladder.rows.sentAt[j + 1 + i])))
      """;

  /** Lost packets whose arrow and text cross those of the packet before. */
  private static final String LOST_ACROSS =
      """
      String([...ladder.rows.shown].filter((one, k) => k > 0 && fates[one] === FATE.lost
        && sides[one] === sides[ladder.rows.shown[k - 1]]
        && ladder.rows.arrivedAt[k] < ladder.rows.arrivedAt[k - 1]).map((i) => i + 1))
      """;

  /** A file to draw, with its picture. */
  record Drawn(Path source, Path picture) {
    @Override
    public String toString() {
      return picture.getFileName().toString();
    }
  }

  static List<Drawn> pictures() throws IOException {
    List<Drawn> all = new ArrayList<>();
    try (Stream<Path> files = Files.list(LESSONS)) {
      files
          .filter(file -> file.toString().endsWith(".yaml"))
          .sorted()
          .map(file -> new Drawn(file, Path.of(file.toString().replace(".yaml", ".svg"))))
          .forEach(all::add);
    }
    Path linux = Path.of("../../wire-rocev2/src/test/resources/pcaps/rc_send_multi.pcap");
    all.add(new Drawn(linux, LESSONS.resolve("soft-roce-linux.svg")));
    return all;
  }

  @ParameterizedTest
  @MethodSource("pictures")
  void aPictureIsWhatThePageDraws(Drawn drawn) throws Exception {
    Path page = directory.resolve("page.html");
    roce4j("view", drawn.source.toString(), "--html", page.toString());
    tab.look(900, 700, false);
    String svg = tab.show(page, "").text("ladderPicture()");
    assertEquals("", tab.text(SENT_TOO_EARLY).strip(), "an answer is drawn above its request");
    assertEquals("", tab.text(LOST_ACROSS).strip(), "a lost packet stands across another");
    if ("write".equals(System.getProperty("roce4j.pictures"))) {
      Files.writeString(drawn.picture, svg);
    }
    assertEquals(Files.readString(drawn.picture), svg, "draw it anew with -Droce4j.pictures=write");
    for (boolean dark : new boolean[] {false, true}) {
      String name = drawn.toString().replace(".svg", dark ? "-dark.png" : "-light.png");
      tab.look(900, 640, dark)
          .show(drawn.picture.toAbsolutePath().normalize(), "")
          .picture(PICTURES.resolve("lesson-" + name));
    }
  }
}
