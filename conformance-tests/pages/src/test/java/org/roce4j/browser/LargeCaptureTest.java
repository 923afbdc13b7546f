package org.roce4j.browser;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.CaptureWriter;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.LinkType;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.view.View;

/**
 * The page of a hundred thousand packets does not stall. The times are printed; a machine under
 * load may be slow.
 */
class LargeCaptureTest extends BrowserTest {
  private static Path page;

  @BeforeAll
  static void writePage() throws IOException {
    page = directory.resolve("page.html");
    View.read(List.of(capture(100_000)), List.of()).writePage(page);
  }

  /** Requests, every thousandth of them retransmitted. */
  private static Path capture(int size) throws IOException {
    Path file = directory.resolve("many.pcapng");
    try (CaptureWriter writer =
        CaptureWriter.create(file, LinkType.RAW, CaptureWriter.WHOLE_FRAMES)) {
      for (int i = 0; i < size; i++) {
        BaseHeader bth = BaseHeader.of(Opcode.RC_SEND_ONLY, 0x11, true, i % 1000 == 7 ? i - 3 : i);
        Ipv4Header ip = Ipv4Header.of(0x0A000001, 0x0A000002, 0);
        ByteBuffer packet =
            RocePacket.of(ip, 49152, bth, List.of(), Bytes.zeros(64)).emit().buffer();
        writer.write(i * 1000L, packet, 0, packet.limit());
      }
    }
    return file;
  }

  @BeforeEach
  void show() throws IOException {
    tab.show(page, "");
  }

  /** Only the visible packets are drawn. */
  @Test
  void theLadderScrollsAndFilters() throws IOException {
    long loadMs = tab.number("Math.round(performance.now())");
    long least =
        tab.number(
            """
            (async () => {
              const box = document.querySelector('#scroll');
              const steps = [];
              for (let k = 0; k < 50; k++) {
                box.scrollTop = box.scrollHeight * Math.random();
                const at = performance.now();
                ladderDraw();
                steps.push(performance.now() - at);
              }
              return Math.ceil(steps.sort((a, b) => a - b)[0]);
            })()\
            """);
    long filterMs =
        tab.number(
            "(() => { const at = performance.now(); setFilter('mark=retransmission'); return"
                + " Math.round(performance.now() - at); })()");
    assertEquals(100, tab.number("ui.shown.length"));
    System.out.printf(
        "a hundred thousand packets: script ready after %d ms, a step of scrolling %d ms, a filter"
            + " %d ms%n",
        loadMs, least, filterMs);
    assertTrue(loadMs < 60_000 && least < 250 && filterMs < 20_000, "it stalls");
    assertTrue(tab.number("document.querySelectorAll('[data-packet]').length") < 300);
  }

  /** A search makes the text of every packet, so it asks for no locale's rules in each. */
  @Test
  void aSearchMakesItsTextsWithoutAskingForALocaleEachTime() {
    long asked =
        tab.number(
            """
            (() => {
              let count = 0;
              const was = Number.prototype.toLocaleString;
              Number.prototype.toLocaleString = function (...given) { count++; return was.apply(this, given); };
              setFilter("send only");
              el("find").value = "in no packet";
              find(1);
              return count;
            })()\
            """);
    assertTrue(asked < 100, asked + " times");
    assertEquals(100_000, tab.number("ui.shown.length"));
  }

  /** Counts have commas everywhere; a PSN or the number of a packet names something. */
  @Test
  void eachCountIsWrittenAlike() {
    tab.ask("setView('sequence')");
    String counts =
        tab.text(
            """
            ['#totals', '#connection', '#count', '#legend', '#sequence', '#notes']
              .map((place) => document.querySelector(place).textContent).join(' | ')\
            """);
    assertEquals(5, counts.split("100,000", -1).length - 1, counts);
    assertFalse(counts.matches("(?s).*\\b[0-9]{4,}\\b.*"), counts);
  }

  /** A point is drawn only if there is no equal point yet. */
  @Test
  void theSequencePlotDrawsAsManyMarksAsItHasRoomFor() throws IOException {
    long marks =
        tab.number(
            """
            (() => {
              let count = 0;
              const counted = (type, name) => {
                const was = type.prototype[name];
                type.prototype[name] = function (...given) { count++; return was.apply(this, given); };
              };
              counted(CSSStyleDeclaration, "getPropertyValue");
              counted(CanvasRenderingContext2D, "fillRect");
              counted(CanvasRenderingContext2D, "arc");
              setView("sequence");
              return count;
            })()\
            """);
    assertTrue(marks > 100 && marks < 20_000, marks + " marks");
  }
}
