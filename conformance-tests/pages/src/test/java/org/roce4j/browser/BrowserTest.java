package org.roce4j.browser;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.tools.Roce4j;

/**
 * A browser and a tab for the tests of a class: a new tab for each test would take longer than most
 * tests. A picture of the tab at the end is kept; a page that has reported a problem on its console
 * fails the test.
 */
abstract class BrowserTest {
  static final Path PICTURES = Path.of("target/pages");

  @TempDir static Path directory;
  private static Chromium browser;
  static BrowserTab tab;

  @BeforeAll
  static void startBrowser() throws IOException, InterruptedException {
    browser = Chromium.open();
    tab = anotherTab();
  }

  @AfterAll
  static void stopBrowser() throws IOException {
    if (browser != null) {
      browser.close();
    }
  }

  @BeforeEach
  void asAnyTestFindsIt() {
    tab.look(1440, 900, false).visit("about:blank").forget();
  }

  /** A tab that no test has used: one remembers the places of the focus beyond its page. */
  static void replaceTab() throws IOException, InterruptedException {
    tab.close();
    tab = anotherTab();
  }

  static BrowserTab anotherTab() throws IOException, InterruptedException {
    return browser.tab().look(1440, 900, false);
  }

  @AfterEach
  void nothingWasWrong(TestInfo test) throws IOException {
    String name = getClass().getSimpleName() + " " + test.getDisplayName();
    tab.picture(PICTURES.resolve(name.replaceAll("\\W+", "-") + ".png"));
    assertEquals(List.of(), tab.problems());
  }

  /** Runs a command, which succeeds. */
  static String roce4j(String... words) {
    StringWriter out = new StringWriter();
    PrintWriter printer = new PrintWriter(out);
    assertEquals(0, Roce4j.run(printer, printer, false, words), out::toString);
    return out.toString();
  }

  /** Captures a ping-pong that loses packets. */
  static Path lossyCapture() {
    Path lossy = directory.resolve("lossy.pcapng");
    roce4j(
        "pingpong",
        "--transport=fabric",
        "--faults=seed=3; loss=5%",
        "--iters=100",
        "--capture=" + lossy);
    return lossy;
  }
}
