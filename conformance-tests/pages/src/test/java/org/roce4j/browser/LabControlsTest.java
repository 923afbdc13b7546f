package org.roce4j.browser;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each control of the lab's page, pressed where it does something. */
class LabControlsTest extends BrowserTest {
  /** The actions before, the control, and the part of the page that has a text only afterwards. */
  private static final String ROWS =
      """
                                                     | create a                          | devices    | a1 RESET RC
                                                     | create b                          | devices    | b1 RESET RC
                                                     | connect a b service=RC            | devices    | a1 RTS RC
                                                     | connect a b service=UC            | devices    | a1 RTS UC
                                                     | connect a b service=UD            | devices    | a1 RTS UD
                                                     | connect a b service=XRC           | devices    | a1 RTS XRC_SEND
      connect a b                                    | receive a1                        | devices    | receive a1 bytes=64
      connect a b                                    | send a1 text=hello                | flying     | RC SEND Only
      connect a b                                    | send a1 bytes=1024                | flying     | RC SEND Last
      connect a b                                    | write a1 text=hello at=64         | flying     | RC RDMA WRITE Only
      connect a b                                    | read a1 at=64 into=512 bytes=8    | flying     | RC RDMA READ Request
      connect a b                                    | fetch_add a1 at=8 into=520 add=1  | flying     | RC Fetch Add
      connect a b                                    | key a1 value=0x1234               | devices    | peer's key 0x1234
      connect a b; key a1 value=0x1234; key b1 value=0x1234 | key a1                     | devices    | peer's key 0xd14205d1
      connect a b; send a1 text=hello                | packet 1 drop                     | happenings | packet 1: lost
      connect a b; send a1 text=hello                | packet 1 delay=1ms                | flying     | arrives at 1005.416
      connect a b; send a1 text=hello                | packet 1 duplicate                | flying     | 2 a → b RC SEND Only
      connect a b; send a1 text=hello                | packet 1 corrupt-payload          | flying     | ICRC bad
      connect a b; send a1 text=hello                | packet 1 mark-ecn                 | flying     | marked CE
      connect a b; send a1 text=hello                | #step                             | happenings | packet 1: arrives at b
      connect a b; receive b1; send a1 text=hello    | #run                              | happenings | a1: send a1 text=hello completes
      connect a b                                    | #back                             | devices    | connect to b: RC
      """;

  private ServedLab lab;

  @BeforeEach
  void openTheLab() throws Exception {
    lab = ServedLab.open();
    tab.visit(lab.address()).until("state && !!shown()");
  }

  @Override
  @AfterEach
  void nothingWasWrong(TestInfo test) throws IOException {
    try {
      super.nothingWasWrong(test);
    } finally {
      lab.close();
    }
  }

  @ParameterizedTest
  @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = ROWS)
  void whatIsPressedChangesThePage(String before, String control, String part, String then) {
    play(before);
    String there = text(part);
    assertFalse(there.contains(then), there);
    press(control);
    assertTrue(text(part).contains(then), text(part));
    assertEquals("", text("problem"));
  }

  private void play(String actions) {
    for (String action : actions == null ? new String[0] : actions.split("; ")) {
      tab.ask("act(`" + action + "`)");
    }
    settled();
  }

  private void press(String control) {
    long turn = tab.number("state.turn");
    String selector = control.startsWith("#") ? control : "[data-act=\"" + control + "\"]";
    tab.ask("document.querySelector('" + selector + "').scrollIntoView({ block: 'center' })");
    tab.click(selector).until("state.turn !== " + turn);
    settled();
  }

  private void settled() {
    tab.until("!document.querySelector('.coming') && !!shown()");
  }

  /** The text of a part, in one line. */
  private String text(String part) {
    return tab.text("el('" + part + "').innerText").replaceAll("\\s+", " ");
  }

  /** A control that is new needs a row: in no situation is there another than those above. */
  @Test
  void eachControlIsPressed() {
    Set<String> there = new TreeSet<>();
    for (String situation :
        List.of(
            "create c",
            "connect a b service=RC; send a1 text=hello",
            "connect a b service=UC; send a1 text=hello",
            "connect a b service=UD; send a1 text=hello",
            "connect a b service=XRC; send a1 text=hello; port b down; run")) {
      collect(there);
      play(situation.equals("create c") ? null : situation);
      collect(there);
      tab.ask("(async () => { while (state.actions) await back(); })()");
    }
    Set<String> rows = new TreeSet<>(List.of("#do", "#line", "#save", "#saveTest"));
    ROWS.lines().forEach(row -> rows.add(kind(row.split("\\|")[1].strip())));
    assertEquals(rows, there);
  }

  private void collect(Set<String> into) {
    List<?> all =
        (List<?>)
            tab.ask(
                "[...document.querySelectorAll('button, a, input, select')].map((c) => c.id ? '#' +"
                    + " c.id : c.dataset.act)");
    all.forEach(control -> into.add(kind(control.toString())));
  }

  /** Which packet and which end of a connection it is about makes no difference. */
  private static String kind(String control) {
    return control.replaceAll("\\b[ab]1\\b", "QP").replaceAll("packet \\d+", "packet N");
  }

  @Test
  void theLineTakesAnActionByItsButton() {
    tab.click("#line").type("create b service=UC");
    press("#do");
    assertTrue(text("devices").contains("b1 RESET UC"), text("devices"));
    assertEquals("", tab.text("el('line').value"));
  }

  @Test
  void theKeysAreTheButtons() {
    play("connect a b; receive b1; send a1 text=hello");
    tab.key("s").until("state.actions === 4");
    assertTrue(text("happenings").contains("packet 1: arrives at b"), text("happenings"));
    tab.key("b").until("state.actions === 3");
    assertFalse(text("happenings").contains("packet 1: arrives at b"), text("happenings"));
    tab.key("r").until("state.actions === 4");
    assertTrue(text("happenings").contains("send a1 text=hello completes"), text("happenings"));
  }

  @Test
  void whatIsSavedHasWhatWasPlayed() {
    play("connect a b; port b down");
    assertTrue(saved("save").endsWith("actions:\n- connect a b\n- port b down\n"), saved("save"));
    assertTrue(saved("saveTest").contains("\"port b down\""), saved("saveTest"));
  }

  private String saved(String link) {
    assertEquals("true", tab.text("el('" + link + "').hasAttribute('download')"));
    return tab.text("fetch(el('" + link + "').href).then((answer) => answer.text())");
  }

  /** The proposals for the line, each in a lab in which it has a meaning. */
  @Test
  void eachProposalForTheLineIsPlayed() {
    Set<String> verbs = new TreeSet<>(List.of("packet")); // by the buttons of packets
    for (Object proposal : (List<?>) tab.ask("EXAMPLES")) {
      String line = proposal.toString();
      String before =
          !line.startsWith("modify")
              ? line.startsWith("create") ? "" : "connect a b; send b1 text=hello"
              : line.contains("RTR") ? "create a; create b; modify a1 state=INIT" : "create a";
      play(before.isEmpty() ? null : before);
      long already = tab.number("state.happenings.length");
      play(line);
      String news =
          tab.text("state.happenings.slice(" + already + ").map((h) => h.what).join(' | ')");
      assertFalse(news.contains("refused"), line + ": " + news);
      assertEquals("", text("problem"), line);
      verbs.add(line.split(" ")[0]);
      tab.ask("(async () => { while (state.actions) await back(); })()");
    }
    play("nonsense");
    String[] known = text("problem").replaceFirst(".*there are: ", "").split(" ");
    assertEquals(new TreeSet<>(List.of(known)), verbs);
  }
}
