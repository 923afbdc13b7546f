package org.roce4j.browser;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The page of {@code ./roce4j view} without a mouse. */
class KeyboardTest extends BrowserTest {
  private static Path page;

  /** Two connections. */
  private static Path two;

  @BeforeAll
  static void draw() throws IOException {
    Path capture = directory.resolve("keys.pcapng");
    page = directory.resolve("keys.html");
    roce4j(
        "pingpong",
        "--transport=fabric",
        "--faults=seed=3; loss=5%",
        "--iters=20",
        "--capture=" + capture);
    roce4j("view", capture.toString(), "--html=" + page);
    two = directory.resolve("two.html");
    Path scenario = directory.resolve("two.yaml");
    Files.writeString(
        scenario,
        "actions: [connect a b, connect a b, receive b1, receive b2, send a1 text=one,"
            + " send a2 text=two, run]");
    roce4j("view", scenario.toString(), "--html=" + two);
  }

  /**
   * The list of keys names a page and its address, the keys to press, and the effect of the last
   * key; its value may be left out.
   */
  private static final String ROWS =
      """
      j k, ↓ ↑   | one | p=60         | j                  | ui.packet | 60
      j k, ↓ ↑   | one | p=60         | k                  | ui.packet | 58
      j k, ↓ ↑   | one | p=60         | ArrowDown          | ui.packet | 60
      j k, ↓ ↑   | one | p=60         | ArrowUp            | ui.packet | 58
      n, N       | one | p=60         | n                  | ui.packet > 59 && special(ui.packet) | true
      n, N       | one | p=60         | N                  | ui.packet < 59 && special(ui.packet) | true
      g, G       | one | p=60         | g                  | ui.packet | 0
      g, G       | one | p=60         | G                  | ui.packet === size - 1 | true
      1 2 3      | one | v=table      | 1                  | ui.view | ladder
      1 2 3      | one |              | 2                  | ui.view | sequence
      1 2 3      | one |              | 3                  | ui.view | table
      [ ]        | two | c=all        | ]                  | ui.connection | 0
      [ ]        | two | c=all        | [                  | ui.connection === data.connections.length - 1 | true
      [ ]        | two | c=all        | ] ]                | ui.connection | 1
      [ ]        | two | c=all        | ] [                | ui.connection === data.connections.length - 1 | true
      [ ]        | two | c=all        | ] a                | ui.connection | -1
      ← →        | one | v=sequence   | + + ArrowRight     | plot.x[0] |
      ← →        | one | v=sequence   | + + ArrowLeft      | plot.x[0] |
      f          | one |              | f                  | document.activeElement.id | filter
      /, Enter   | one |              | /                  | document.activeElement.id | find
      /, Enter   | one |              | / N A K Enter      | ui.packet |
      /, Enter   | one |              | / N A K Enter Enter | ui.packet |
      /, Enter   | one |              | / N A K Enter Enter Shift-Enter | ui.packet |
      + −        | one |              | +                  | ladder.rowHeight |
      + −        | one |              | -                  | ladder.rowHeight |
      + −        | one | v=sequence   | +                  | plot.from > 0 | true
      + −        | one | v=sequence   | + 0                | plot.from | 0
      r          | one |              | r                  | relativePsn |
      Esc        | one | p=60         | Escape             | el('detail').hidden | true
      Esc        | one |              | f Escape           | document.activeElement.id | scroll
      Esc        | one |              | ? Escape           | el('keys').open | false
      ?          | one |              | ?                  | el('keys').open | true
      """;

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = ROWS)
  void aKeyDoesWhatTheListSays(
      String list, String capture, String at, String keys, String what, String then) {
    tab.show(capture.equals("one") ? page : two, at == null ? "" : at);
    String before = "";
    for (String key : keys.split(" ")) {
      before = tab.text(what);
      tab.key(key).ask("new Promise((done) => requestAnimationFrame(done))");
    }
    assertNotEquals(before, tab.text(what));
    assertEquals(then == null ? tab.text(what) : then, tab.text(what));
  }

  /** A key that is new needs a row. */
  @Test
  void eachKeyOfTheListIsPressed() {
    tab.show(page, "");
    Set<String> listed = new TreeSet<>(List.of("?"));
    ((List<?>) tab.ask("KEYS.map(([key]) => key)")).forEach(key -> listed.add(key.toString()));
    Set<String> pressed = new TreeSet<>();
    ROWS.lines().forEach(row -> pressed.add(row.split("\\|")[0].strip()));
    assertEquals(listed, pressed);
    Set<String> last = new TreeSet<>();
    ROWS.lines().forEach(row -> last.addAll(List.of(row.split("\\|")[3].strip().split(" "))));
    last.addAll(List.of("=")); // the character of a keyboard on which + needs Shift
    assertTrue(
        last.containsAll((List<?>) tab.ask("Object.keys(keyActions)")),
        () -> tab.text("Object.keys(keyActions)") + " has one that is not in " + last);
  }

  @ParameterizedTest
  @ValueSource(strings = {"p=8", "p=8&v=sequence", "p=8&v=table", ""})
  void tabReachesEveryControlWhichHasANameAndShowsTheFocus(String fragment) {
    tab.show(page, fragment);
    assertEquals(List.of(), Focus.unreached(tab));
    assertEquals(List.of(), tab.unnamed());
  }

  /** The action of a control often draws it again, or hides it. */
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
