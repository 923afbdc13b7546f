package org.roce4j.browser;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The page of {@code roce4j lab}, played in a browser. */
class LabPageTest extends BrowserTest {
  private ServedLab lab;

  @BeforeEach
  void openTheLab() throws Exception {
    lab = ServedLab.open();
    replaceTab();
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

  @Test
  void fromConnectToRnrToRepaired() throws Exception {
    assertTrue(text("#flying").startsWith("Nothing was sent yet. Connect two"), text("#flying"));
    playRnr();
    assertTrue(text("#flying").startsWith("No packet is under way."), text("#flying"));
    tab.picture(PICTURES.resolve("lab-rnr.png"));
    assertTrue(text("[data-qp=a1]").contains("RNR timer at 650.800"), text("[data-qp=a1]"));
    assertEquals(1, tab.number("inside().querySelectorAll('.k-rnr.packet[data-packet]').length"));
    click("[data-qp=b1] [data-act='receive b1']");
    click("#run");
    assertTrue(text("#happenings").contains("b1: receive b1 bytes=64 completes, 5 bytes"));
    assertTrue(text("#happenings").contains("a1: send a1 text=hello completes, 5 bytes"));
    assertTrue(text("[data-device=b] .memory").contains("68 65 6c 6c 6f"));
    assertTrue(text("[data-qp=a1]").contains("timers\nnone runs"), text("[data-qp=a1]"));
    assertEquals(2, tab.number("inside().querySelectorAll('.event.e-posted').length"));
    assertEquals(2, tab.number("inside().querySelectorAll('.event.e-completed').length"));
    SavedLab.passes(lab.get("test.java"), directory);
    String scenario = lab.get("scenario.yaml");
    assertTrue(scenario.contains("- send a1 text=hello\n"), scenario);
  }

  private void playRnr() {
    click("[data-act='connect a b service=RC']");
    assertTrue(text("[data-qp=a1] .tag").startsWith("RTS"));
    click("[data-qp=a1] [data-act='send a1 text=hello']");
    assertEquals("1", tab.text("document.querySelector('.flyer').dataset.flyer"));
    click("#step");
    click("#step");
  }

  /** A sender that waits for a receive without end: 200 steps take a tenth of a second. */
  @Test
  void longTimesStandInOneLineBesideTheirEvents() {
    click("[data-act='connect a b service=RC']");
    click("[data-qp=a1] [data-act='send a1 text=hello']");
    click("#run");
    assertTrue(tab.number("state.nowNs") > 10_000_000, "five digits of microseconds");
    assertEquals(
        List.of(),
        tab.ask(
            """
            [...document.querySelectorAll('#happenings time')].filter((time) => {
              const text = document.createRange();
              text.selectNodeContents(time);
              return text.getClientRects().length > 1 || time.scrollWidth > time.clientWidth;
            }).map((time) => time.textContent)\
            """));
  }

  /**
   * From connect to RNR to repaired; a pressed control keeps the focus although it is drawn again.
   */
  @Test
  void theKeyboardAlonePlaysIt() {
    press("connect a b service=RC");
    press("send a1 text=hello");
    press("step");
    assertEquals("button", tab.text("document.activeElement.localName"));
    assertEquals("packet 1: arrives at b", text("#said").replaceFirst(";.*", ""));
    tab.key(" ").until("state.actions === 4");
    press("receive b1");
    assertEquals("receive b1", tab.text("document.activeElement.dataset.act"));
    assertEquals(List.of(), Focus.unreached(tab));
    assertEquals(List.of(), tab.unnamed());
    press("run");
    assertTrue(text("#said").contains("a1: send a1 text=hello completes"), text("#said"));
    tab.key(" ").key("Enter").key("r").ask("ask(() => 'state')");
    assertEquals("run 6", tab.text("document.activeElement.id + ' ' + state.actions"));
    tab.ask("el('line').focus()");
    tab.type("connect").key("Escape").key("b").until("state.actions === 5");
  }

  /** Goes to a button with Tab and presses it. */
  private void press(String action) {
    long before = tab.number("state.actions");
    String there = "document.activeElement.dataset.act === '" + action + "'";
    for (int i = 0; tab.ask(there).equals(false); i++) {
      assertTrue(i < 100, "Tab does not lead to " + action);
      tab.key("Tab");
    }
    tab.key("Enter").until("state.actions !== " + before);
    settled();
  }

  /** Each page shows the other's actions, and adds no action before it has shown them. */
  @Test
  void twoPagesPlayOneLab() throws Exception {
    try (BrowserTab other = anotherTab().visit(lab.address()).until("state && !!shown()")) {
      other.ask("act('connect a b service=RC')");
      tab.front().until("document.querySelector('[data-qp=a1]')");
      other.ask("act('send a1 text=hello')");
      tab.until("state.actions === 2").ask("clearInterval(looking)");
      other.ask("act('receive b1')");
      tab.click("#line").type("port b down").key("Enter").until("state.problem");
      assertEquals(
          "another page has played this lab meanwhile, nothing was done: this is how it stands now",
          text("#problem"));
      assertEquals("3 port b down", tab.text("`${state.actions} ${el('line').value}`"));
      tab.key("Enter").until("state.actions === 4");
      assertEquals(4, other.number("back().then(() => state.actions)"), "it has not seen the port");
      assertEquals(3, other.number("back().then(() => state.actions)"));
      tab.ask("ask(() => 'state')");
      assertEquals(other.text("JSON.stringify(state)"), tab.text("JSON.stringify(state)"));
      assertEquals(List.of(), other.problems());
    }
  }

  @Test
  void backIsAsIfTheLastActionHadNotBeen() {
    playRnr();
    String before = text("#devices");
    click("#run");
    click("#back");
    assertEquals(before.replace("●", ""), text("#devices").replace("●", ""));
    for (int left = 3; left >= 0; left--) {
      tab.key("b").until("state.actions === " + left);
    }
    settled();
    assertEquals("", text("#happenings"));
    assertEquals("true", tab.text("el('back').ariaDisabled"));
  }

  @Test
  void thePacketUnderTheMouseIsDropped() {
    click("[data-act='connect a b service=RC']");
    click("[data-qp=b1] [data-act='receive b1']");
    click("[data-qp=a1] [data-act='send a1 text=hello']");
    tab.ask(
        "inside().querySelector('[data-packet=\"1\"] .row').dispatchEvent(new"
            + " PointerEvent('pointerover', { bubbles: true, clientX: 200, clientY: 120 }))");
    assertEquals("false", tab.text("document.querySelector('#menu').hidden"));
    click("#menu [data-act='packet 1 drop']");
    assertEquals(1, tab.number("inside().querySelectorAll('.packet.lost').length"));
    click("#run");
    assertEquals(3, tab.number("inside().querySelectorAll('[data-packet]').length"));
    assertTrue(text("#happenings").contains("goes back to PSN 0 (ack_timeout)"));
  }

  @Test
  void whatIsNotUnderstoodIsSaidAndTypedActionsArePlayed() {
    tab.click("#line").type("sned a1").key("Enter");
    tab.until("!document.querySelector('#problem').hidden");
    assertTrue(text("#problem").contains("'sned' is no action"));
    assertEquals("sned a1", tab.text("document.querySelector('#line').value"));
    tab.ask("document.querySelector('#line').value = ''");
    tab.click("#line").type("create a service=UD").key("Enter");
    tab.until("document.querySelector('[data-qp=a1]')");
    assertEquals("", tab.text("document.querySelector('#line').value"));
  }

  @ParameterizedTest
  @CsvSource({"360,740", "768,1024", "1440,900", "2560,1300"})
  void itFitsScreensOfAnyWidthLightAndDark(int width, int height) throws IOException {
    playRnr();
    for (boolean dark : new boolean[] {false, true}) {
      tab.look(width, height, dark);
      tab.until("innerWidth === " + width);
      tab.picture(PICTURES.resolve("lab-" + width + (dark ? "-dark" : "-light") + ".png"));
      assertTrue(tab.number("document.documentElement.scrollWidth") <= width, "too wide");
    }
  }

  /** Ladder, devices and events, without the controls of the screen. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void itIsPrintedAsAWhole(boolean landscape) throws IOException {
    playRnr();
    click("[data-qp=b1] [data-act='receive b1']");
    for (int i = 0; i < 30; i++) {
      tab.ask("act('send a1 text=again')");
    }
    tab.ask("act('run')");
    settled();
    tab.ask("addEventListener('afterprint', () => (window.printed = true))");
    tab.ask(
        "addEventListener('beforeprint', () => (window.rows = new"
            + " Set([...document.querySelectorAll('#paper [data-packet]')].map((row) =>"
            + " row.dataset.packet)).size))");
    byte[] pdf = tab.print(landscape);
    Files.write(PICTURES.resolve(landscape ? "lab-printed-landscape.pdf" : "lab-printed.pdf"), pdf);
    tab.until("window.printed");
    assertEquals(
        tab.number(
            "Math.max(...[...el('happenings').innerText.matchAll(/packet (\\d+):/g)].map((m) =>"
                + " +m[1]))"),
        tab.number("window.rows"));
    assertEquals(0, tab.number("el('paper').children.length"));
  }

  private void click(String selector) {
    long before = tab.number("state.actions");
    tab.ask("document.querySelector(`" + selector + "`).scrollIntoView({ block: 'center' })");
    tab.click(selector.replace("'", "\\'"));
    tab.until("state.actions !== " + before);
    settled();
  }

  private void settled() {
    tab.until("!document.querySelector('.coming') && !!shown()");
  }

  private String text(String selector) {
    return tab.text("document.querySelector(`" + selector + "`).innerText");
  }
}
