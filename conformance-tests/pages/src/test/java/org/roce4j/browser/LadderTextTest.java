package org.roce4j.browser;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The text along an arrow is readable where a packet is lost, on screens of any width. */
class LadderTextTest extends BrowserTest {
  /**
   * Texts under a cross of a lost packet, between the top of a capital letter and the foot of a
   * small one. The text along a sloping arrow slopes, too.
   */
  private static final String CROSSED =
      """
      (() => {
        const labels = [...document.querySelectorAll('#drawing .label')];
        const points = [...document.querySelectorAll('#drawing .cross')].flatMap((cross) => {
          const box = cross.getBBox();
          return [0.1, 0.3, 0.5, 0.7, 0.9].flatMap((part) => [part, 1 - part].map((down) =>
            new DOMPoint(box.x + part * box.width, box.y + down * box.height)));
        });
        return labels.filter((label) => {
          const inside = label.getCTM().inverse();
          const base = Number(label.getAttribute('y'));
          const from = label.getStartPositionOfChar(0).x;
          const to = from + label.getComputedTextLength();
          return points.some((point) => {
            const { x, y } = point.matrixTransform(inside);
            return x > from && x < to && y > base - 9 && y < base + 2.5;
          });
        }).map((label) => label.textContent);
      })()\
      """;

  @ParameterizedTest
  @ValueSource(ints = {400, 768, 1440})
  void noCrossStandsOnALabel(int width) throws IOException {
    tab.look(width, 900, false);
    tab.show(page(lossyCapture()), "");
    assertEquals(List.of(), tab.ask(CROSSED));
    tab.ask("setFilter('fate=lost')");
    assertTrue(tab.number("document.querySelectorAll('#drawing .cross').length") > 10);
    assertEquals(List.of(), tab.ask(CROSSED));
    tab.ask("zoom(18 / ladder.rowHeight)"); // where a row has room for one line of text alone
    assertEquals(List.of(), tab.ask(CROSSED));
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 1440})
  void noCrossStandsOnALabelOfALesson(int width) throws IOException {
    tab.look(width, 900, false);
    try (Stream<Path> files = Files.list(Path.of("../../docs/lessons"))) {
      for (Path lesson : files.filter(f -> f.toString().endsWith(".yaml")).sorted().toList()) {
        tab.show(page(lesson), "");
        assertEquals(List.of(), tab.ask(CROSSED), lesson.toString());
      }
    }
  }

  private static Path page(Path source) {
    Path page = directory.resolve("page.html");
    roce4j("view", source.toString(), "--html", page.toString());
    return page;
  }
}
