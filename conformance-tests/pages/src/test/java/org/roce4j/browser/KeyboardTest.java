package org.roce4j.browser;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The page of {@code ./roce4j view} without a mouse. */
class KeyboardTest extends BrowserTest {
  private static Path page;

  @BeforeAll
  static void draw() {
    Path capture = directory.resolve("keys.pcapng");
    page = directory.resolve("keys.html");
    roce4j(
        "pingpong",
        "--transport=fabric",
        "--faults=seed=3; loss=5%",
        "--iters=20",
        "--capture=" + capture);
    roce4j("view", capture.toString(), "--html=" + page);
  }

  @ParameterizedTest
  @ValueSource(strings = {"p=8", "p=8&v=sequence", "p=8&v=table", ""})
  void tabReachesEveryControlWhichHasANameAndShowsTheFocus(String fragment) {
    tab.show(page, fragment);
    assertEquals(List.of(), Focus.unreached(tab));
    assertEquals(List.of(), tab.unnamed());
  }

  /** What a control does often draws it anew, or hides it. */
  @ParameterizedTest
  @ValueSource(strings = {"p=8", "p=8&v=sequence"})
  void whatIsPressedKeepsTheFocusOrHandsItOn(String fragment) {
    tab.show(page, fragment);
    for (String control : Focus.tour(tab)) {
      tab.show(page, fragment);
      Focus.on(tab, control);
      tab.key("Enter").ask("new Promise((done) => requestAnimationFrame(done))");
      assertNotEquals("body", tab.text("document.activeElement.localName"), control);
    }
  }

  @Test
  void escapeLeavesAFieldThenThePacket() {
    tab.show(page, "p=8");
    tab.key("f").type("mark=nak").until("ui.filter === 'mark=nak'").key("Escape");
    assertEquals("scroll mark=nak mark=nak", tab.text(WHERE));
    tab.key("j").until("ui.packet > 7").ask("el('close').focus()");
    tab.key("Escape");
    assertEquals("scroll true", tab.text("`${document.activeElement.id} ${el('detail').hidden}`"));
    tab.key("?").until("el('keys').open").key("Escape").until("!el('keys').open");
  }

  private static final String WHERE =
      "`${document.activeElement.id} ${el('filter').value} ${ui.filter}`";

  @Test
  void aPageThatWasJustOpenedScrolls() {
    tab.show(page, "").key("PageDown").until("el('scroll').scrollTop > 100");
    tab.show(page, "v=table").key("End").until("el('table').scrollTop > 1000");
  }

  @Test
  void arrowsLeadToTheViewBesideAndAlongTheTime() {
    tab.show(page, "").ask("el('tab-ladder').focus()");
    List<String> views = new ArrayList<>();
    for (String key : List.of("ArrowRight", "ArrowRight", "ArrowRight", "ArrowLeft", "ArrowLeft")) {
      views.add(tab.key(key).text("document.activeElement.dataset.view + ' ' + ui.view"));
    }
    List<String> ways = List.of("sequence", "table", "ladder", "table", "sequence");
    assertEquals(ways.stream().map(view -> view + " " + view).toList(), views);
    tab.key("+").key("+").ask("el('points').focus()");
    long before = tab.number("plot.x[0]");
    tab.key("ArrowRight");
    assertTrue(tab.number("plot.x[0]") > before);
    tab.key("ArrowLeft");
    assertEquals(before, tab.number("Math.round(plot.x[0])"), 10);
  }
}
