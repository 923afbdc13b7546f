package org.roce4j.browser;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.wire.view.View;

/** Filter and find on the page of {@code ./roce4j view}. */
class PageFilterTest extends BrowserTest {
  private static Path lossy;
  private static Path page;

  @BeforeAll
  static void start() throws IOException {
    lossy = lossyCapture();
    page = directory.resolve("page.html");
    View.read(List.of(lossy), List.of()).writePage(page);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "qpn=0x732ca1",
        "opcode=RC_SEND_* relativePsn=5..15",
        "mark=nak,duplicate payload=0",
        "mark!=retransmission aeth.msn=5..9",
        "ackReq opcode=*_LAST",
        "time=0.00001..0.0005",
        "relativePsn=-5..3",
        "comment=*probability*"
      })
  void theFilterUnderstandsTheWordsOfInspect(String filter) throws IOException {
    String out = roce4j("inspect", "--filter=" + filter, lossy.toString());
    long chosen = out.lines().filter(line -> line.contains(" > ")).count();
    assertTrue(chosen > 0, out);
    tab.show(page, "c=all&f=" + URLEncoder.encode(filter, UTF_8));
    assertEquals(chosen, tab.number("ui.shown.length"));
  }

  /** As {@code inspect --filter}, the page refuses a filter that can never find anything. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          colour=red         | “colour” names no field
          psn=20..10         | psn=20..10: the range ends before it begins
          psn=first          | psn=first: give a number, or a range such as 10..20
          mark=retransmision | mark=retransmision is never so; there are: retransmission gap late
          fate=gone          | fate=gone is never so; there are: seen delivered lost appeared flying
          ackReq=yes         | ackReq=yes is never so; there are: true false
          """)
  void aFilterThatIsNotUnderstoodSaysWhy(String filter, String told) throws IOException {
    tab.show(page, "f=" + URLEncoder.encode(filter, UTF_8));
    String said = tab.text("document.querySelector('#count').textContent");
    assertTrue(said.startsWith(told), said);
  }

  @Test
  void aFilterThatLeavesNothingAndASearchThatFindsNothingSaySo() throws IOException {
    tab.show(page, "f=psn%3D3");
    assertEquals("No packet here matches the filter.", tab.text("el('nothing').innerText"));
    tab.ask("setFilter('')");
    assertEquals("", tab.text("el('nothing').innerText"));
    tab.key("/").type("nowhere").key("Enter");
    assertEquals("not found from here on", tab.text("el('count').innerText"));
  }
}
