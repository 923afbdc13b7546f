package org.roce4j.browser;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import jdk.jfr.Recording;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.CaptureReader;
import org.roce4j.wire.capture.CaptureWriter;
import org.roce4j.wire.capture.CapturedFrame;
import org.roce4j.wire.capture.Extension;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.LinkType;
import org.roce4j.wire.capture.RocePacket;
import org.roce4j.wire.inspect.CaptureInspector;
import org.roce4j.wire.inspect.InspectedPacket;
import org.roce4j.wire.view.View;

/** The page of {@code ./roce4j view} in a browser. */
class ViewPageTest extends BrowserTest {
  private static Path lossy;

  @BeforeAll
  static void start() throws IOException {
    lossy = lossyCapture();
  }

  @Test
  void requestsAndCompletionsOfARecordingStandBesideThePackets() throws IOException {
    Path capture = directory.resolve("recorded.pcapng");
    Path requests = directory.resolve("recorded.jfr");
    Path page = directory.resolve("recorded.html");
    try (Recording recording = new Recording()) {
      recording.enable("org.roce4j.QueuePairState");
      recording.enable("org.roce4j.WorkRequest");
      recording.enable("org.roce4j.WorkCompletion");
      recording.start();
      roce4j("pingpong", "--transport=fabric", "--iters=2", "--capture=" + capture);
      recording.stop();
      recording.dump(requests);
    }
    roce4j("view", capture.toString(), requests.toString(), "--html=" + page);
    tab.show(page, "");
    assertEquals(
        List.of(
            "INIT",
            "▸ 500x RECV",
            "INIT",
            "▸ 500x RECV",
            "RTR, RTS",
            "RTR, RTS",
            "▸ SEND wr 2",
            "✓ RECV wr 1"),
        tab.ask(
            "[...document.querySelectorAll('#drawing .event text')].slice(0, 8).map((t) =>"
                + " t.textContent)"));
    String note = tab.text("document.querySelector('#notes li').textContent");
    assertTrue(note.startsWith("recorded.jfr: 1,0"), note);
    assertTrue(note.contains("the packets allow all of them to be up to"), note);
    assertEquals(
        "posted SEND, 4,096 bytes, wr_id 2",
        tab.text("document.querySelectorAll('#drawing .event title')[6].textContent"));
  }

  @Test
  void aPacketIsReachedByItsAddressAndShowsEveryField() throws IOException {
    show("p=97", lossy);
    assertEquals("97 RC Acknowledge", tab.text("document.querySelector('#detail h2').innerText"));
    String detail = tab.text("document.querySelector('#detail').innerText");
    assertTrue(detail.contains("A sequence NAK bears the PSN that the responder expects"), detail);
    assertTrue(detail.contains("rc-transport 3.1"), detail);
    assertTrue(detail.contains("0x60 NAK PSN sequence error"), detail);
    assertTrue(detail.contains("0xffff"), "the partition key: " + detail);
    assertEquals("97", tab.text("document.querySelector('#drawing .chosen').dataset.packet"));
  }

  @Test
  void keysLeadFromPacketToPacketAndTheAddressFollows() throws IOException {
    show("p=86", lossy);
    tab.key("j");
    assertEquals("#p=87", tab.text("location.hash"));
    tab.key("n");
    assertEquals("#p=88", tab.text("location.hash"));
    tab.key("N");
    assertEquals("#p=86", tab.text("location.hash"));
    tab.key("2");
    assertEquals("#p=86&v=sequence", tab.text("location.hash"));
    tab.key("1").key("f").type("mark=nak").until("location.hash.includes('f=mark%3Dnak')");
    assertEquals("29 of 1,196 packets", tab.text("document.querySelector('#count').textContent"));
    tab.key("Escape").key("Escape");
    assertEquals("true", tab.text("document.querySelector('#detail').hidden"));
  }

  @Test
  void theMouseChoosesAPacketAndAKind() throws IOException {
    show("", lossy);
    tab.click("#drawing [data-packet=\"5\"] .row").until("location.hash === '#p=5'");
    tab.click("[data-kind=lost]").until("ui.filter === 'fate=lost'");
    long lost = lossyPackets().stream().filter(p -> p.comment().startsWith("lost")).count();
    assertEquals(
        lost + " of 1,196 packets", tab.text("document.querySelector('#count').textContent"));
    assertEquals(0L, tab.number("document.querySelectorAll('#drawing .packet:not(.lost)').length"));
    assertTrue(tab.number("document.querySelectorAll('#drawing .cross').length") > 10);
  }

  @Test
  void everyKindHasItsColourItsDashAndItsHead() throws IOException {
    show("p=10", ofEveryKind());
    List<String> none =
        ((List<?>)
                tab.ask("[...document.querySelectorAll('#legend .none')].map((b) => b.innerText)"))
            .stream().map(Object::toString).toList();
    assertEquals(List.of("cut by the capture 0"), none);
    String looks =
        """
        new Set([...document.querySelectorAll('#legend svg')].map((s) => {
          const way = getComputedStyle(s.querySelector('.way'));
          return [way.strokeDasharray, way.strokeWidth, s.querySelector('path').getAttribute('d')].join();
        })).size\
        """;
    assertEquals(tab.number("LEGEND.length"), tab.number(looks), "told apart without colour");
    assertTrue(
        tab.text("document.querySelector('#detail').innerText").contains("No receive is posted"));
  }

  /** A request, then every loss and fault that a request can meet. */
  private static Path ofEveryKind() throws IOException {
    BaseHeader slower = BaseHeader.of(Opcode.CNP, 0x11, false, 0);
    List<RocePacket> sent =
        List.of(
            send(0),
            answer(0, Aeth.ACK),
            send(2),
            answer(1, Aeth.NAK_SEQUENCE),
            send(1),
            send(2),
            answer(2, Aeth.ACK),
            answer(2, Aeth.ACK),
            send(3),
            answer(3, Aeth.rnrNak(5)),
            packet(false, slower, new Extension.CnpReserved(0, 0)),
            send(4).withIcrc(5));
    Path file = directory.resolve("kinds.pcapng");
    try (CaptureWriter writer =
        CaptureWriter.create(file, LinkType.RAW, CaptureWriter.WHOLE_FRAMES)) {
      for (int i = 0; i < sent.size(); i++) {
        ByteBuffer bytes = sent.get(i).emit().buffer();
        String comment = i == 8 ? "lost: full queue" : "";
        writer.write(i * 1000L, bytes, 0, bytes.limit(), comment);
      }
    }
    return file;
  }

  private static RocePacket send(int psn) {
    return packet(true, BaseHeader.of(Opcode.RC_SEND_ONLY, 0x22, true, psn));
  }

  private static RocePacket answer(int psn, int syndrome) {
    BaseHeader bth = BaseHeader.of(Opcode.RC_ACKNOWLEDGE, 0x11, false, psn);
    return packet(false, bth, new Extension.Acknowledge(syndrome, 1));
  }

  private static RocePacket packet(boolean forth, BaseHeader bth, Extension... extensions) {
    Ipv4Header ip = Ipv4Header.of(0x0A000001 + (forth ? 0 : 1), 0x0A000002 - (forth ? 0 : 1), 0);
    return RocePacket.of(ip, 49152, bth, List.of(extensions), Bytes.NONE);
  }

  @Test
  void thePlotShowsTheRequestsOfEitherEnd() throws IOException {
    show("v=sequence&p=97", lossy);
    assertEquals("0", tab.text("plot.side"));
    long ofLeft = tab.number("plot.points.length");
    tab.click("#sides [data-side=\"1\"]").until("plot.side === 1");
    assertEquals(1_196, ofLeft + tab.number("plot.points.length"));
    tab.click("#order").until("plot.order");
    assertEquals(0, tab.number("plot.from"));
    tab.key("+").key("+").key("+").until("plot.from > 0");
    tab.key("0").until("plot.from === 0");
    for (String steps : new String[] {"true", "false"}) {
      tab.ask("plot.order = %s, draw(), plotReset()".formatted(steps));
      tab.ask("for (let n = 0; n < 400; n++) plotZoom(1.25)"); // as a pinch on a touch pad does
      assertTrue(tab.number("plot.x[1] - plot.x[0]") >= 2, "no further than there are numbers");
      tab.ask("for (let n = 0; n < 400; n++) plotZoom(0.8)");
      assertEquals(0, tab.number("plot.from"), "out again");
    }
    tab.key("0").until("plot.from === 0");
    assertTrue(tab.number("nearest(plot.X(plotX(50)), plot.Y(data.psn[plot.points[50]]))") > 0);
  }

  /** Also where the ladder was never on the screen, or with another filter. */
  @Test
  void thePictureHasWhatIsChosenInAnyView() throws IOException {
    show("v=table&f=mark%3Dnak", lossy);
    tab.ask("URL.createObjectURL = (made) => ((window.made = made), 'data:,')");
    assertEquals(29, tab.click("#picture").number(PACKETS_OF_PICTURE));
    tab.ask("setView('ladder'); setView('sequence'); setFilter('fate=lost')");
    assertEquals(54, tab.click("#picture").number(PACKETS_OF_PICTURE));
  }

  private static final String PACKETS_OF_PICTURE =
      "made.text().then((svg) => [...svg.matchAll(/data-packet/g)].length)";

  @Test
  void helpNamesTheKeys() throws IOException {
    show("", lossy);
    tab.key("?").until("document.querySelector('#keys').open");
    assertTrue(
        tab.text("document.querySelector('#keys').innerText").contains("next, previous packet"));
  }

  @Test
  void whatATestSaysStandsAboveItsPackets() throws IOException {
    Path page = directory.resolve("noted.html");
    List<String> notes = List.of("test      FirstTest.aMessageArrives", "seed      7");
    View.read(List.of(lossy), notes).writePage(page);
    tab.show(page, "");
    assertEquals("seed 7", tab.text("document.querySelectorAll('#notes li')[1].textContent"));
    assertEquals("seed", tab.text("document.querySelectorAll('#notes li b')[1].textContent"));
  }

  @Test
  void whatOneEndSentAndTheOtherNeverSawEndsInTheAir() throws IOException {
    Path near = directory.resolve("near.pcapng");
    Path far = directory.resolve("far.pcapng");
    split(near, far);
    show("", near, far);
    long lost = lossyPackets().stream().filter(p -> p.comment().startsWith("lost")).count();
    assertEquals(
        lost, tab.number("Number(document.querySelector('[data-kind=lost] b').textContent)"));
    assertTrue(
        tab.number("data.flight[0]") == 1500
            && tab.number("Object.keys(data.flight).length") > 1000,
        "the others show how long they were under way");
  }

  @ParameterizedTest
  @CsvSource({"360,640", "768,1024", "1440,900", "2560,1300"})
  void itFitsScreensOfAnyWidthLightAndDark(int width, int height) throws IOException {
    for (boolean dark : new boolean[] {false, true}) {
      for (String view : List.of("ladder", "sequence", "table")) {
        tab.look(width, height, dark);
        show("p=97&v=" + view, lossy);
        tab.picture(PICTURES.resolve(view + "-" + width + (dark ? "-dark" : "-light") + ".png"));
        assertTrue(
            tab.number("document.documentElement.scrollWidth") <= width, "wider than the screen");
        assertEquals(
            dark ? "rgb(18, 22, 28)" : "rgb(255, 255, 255)",
            tab.text("getComputedStyle(document.body).backgroundColor"));
      }
    }
  }

  /** Two connections, so that there is a choice: no button falls into a row of its own. */
  @Test
  void theControlsAreOneRowOnASmallLaptop() throws IOException {
    tab.look(1280, 800, false);
    show("c=all", Path.of("../../wire-rocev2/src/test/resources/pcaps/cm_rping.pcap"));
    assertEquals(
        tab.number("Math.round(el('connection').getBoundingClientRect().top)"),
        tab.number("Math.round(el('help').getBoundingClientRect().top)"));
  }

  /** The controls for mouse and finger are on the smallest screen, too. */
  @Test
  void everyControlIsOnANarrowScreen() throws IOException {
    tab.look(390, 844, false);
    show("", lossy);
    assertEquals(
        List.of(),
        tab.ask(
            """
            [...document.querySelectorAll('#bar input, #bar button, #bar select')].filter((c) => {
              const box = c.getBoundingClientRect();
              return box.width < 28 || box.height < 28 || box.left < 0 || box.right > innerWidth;
            }).map((c) => c.id)\
            """));
    long before = tab.number("ladder.rowHeight * 100");
    tab.click("#larger").until("ladder.rowHeight * 100 > " + before);
    tab.click("#find").type("NAK").key("Enter").until("ui.packet >= 0");
    assertTrue(tab.text("labelOf(ui.packet)").contains("NAK"));
  }

  /** The screen draws the visible packets only; paper has no scroll bar. */
  @ParameterizedTest
  @CsvSource({"ladder, false", "ladder, true", "table, false", "table, true"})
  void allPacketsArePrinted(String view, boolean landscape) throws IOException {
    show("v=" + view, lossy);
    tab.ask("addEventListener('afterprint', () => (window.printed = true))");
    tab.ask("addEventListener('beforeprint', () => (window.rows = rowsOf('#paper')))");
    tab.ask(
        "window.rowsOf = (box) => new Set([...document.querySelectorAll(box + '"
            + " [data-packet]')].map((row) => row.dataset.packet)).size");
    byte[] pdf = tab.print(landscape);
    String name = "printed-" + view + (landscape ? "-landscape.pdf" : ".pdf");
    Files.write(PICTURES.resolve(name), pdf);
    tab.until("window.printed");
    assertEquals(1_196, tab.number("window.rows"));
    assertEquals(0, tab.number("rowsOf('#paper')"), "the screen keeps what it had");
    long pages =
        Pattern.compile("/Type\\s*/Page\\b").matcher(new String(pdf, ISO_8859_1)).results().count();
    assertTrue(pages > 10 && pages < 60, pages + " pages");
  }

  /** Nobody opens a header on paper, and a browser prints no background unless it is asked to. */
  @Test
  void thePrintedPacketHasAllItsFieldsAndTheLegendItsColours() throws IOException {
    show("p=88", lossy);
    String closed = "document.querySelectorAll('details:not([open])').length";
    long before = tab.number(closed);
    assertTrue(before > 0, "headers that are closed");
    tab.ask("addEventListener('beforeprint', () => (window.closed_ = " + closed + "))");
    tab.ask("addEventListener('afterprint', () => (window.printed = true))");
    tab.print();
    tab.until("window.printed");
    assertEquals(0, tab.number("window.closed_"));
    assertEquals(before, tab.number(closed), "the screen keeps what it had");
    assertEquals(
        "exact", tab.text("getComputedStyle(document.querySelector('.bars i')).printColorAdjust"));
  }

  /** Each state that an end can have has its own colour in the bars and in their legend. */
  @Test
  void everyStateHasItsColour() throws IOException {
    show("", lossy);
    String colours =
        """
        new Set(data.states.map((_, s) => {
          el("legend").innerHTML = `<span class="bars"><span class="state s${s}"><i></i></span></span>`;
          return getComputedStyle(document.querySelector(".bars i")).backgroundColor;
        })).size\
        """;
    assertEquals(tab.number("data.states.length"), tab.number(colours));
  }

  /** Paper is light, whatever the screen is. */
  @Test
  void thePlotIsPrintedInLightColours() throws IOException {
    tab.look(1440, 900, true);
    show("v=sequence", lossy);
    tab.ask(
        """
        window.corner = () => {
          const copy = document.createElement("canvas").getContext("2d");
          copy.drawImage(el("points"), 0, 0);
          return String(copy.getImageData(1, 1, 1, 1).data);
        };
        addEventListener("beforeprint", () => (window.printed = corner()));\
        """);
    tab.print();
    assertEquals("255,255,255,255", tab.until("window.printed").text("window.printed"));
    assertEquals("18,22,28,255", tab.text("corner()"));
  }

  /** A screen reader announces the packet that a key chooses. */
  @Test
  void thePacketThatAKeyChoosesIsSpoken() throws IOException {
    show("", lossy);
    tab.key("j").key("j");
    assertEquals(
        "2: 127.0.0.1 to 127.0.0.2, SEND Middle · PSN +1 · 1,024 B",
        tab.text("document.querySelector('output[aria-live]#said').textContent"));
    tab.key("3");
    assertEquals("2", tab.text("document.querySelector('[aria-current]').dataset.packet"));
  }

  /** The total of damaged packets may count another connection than the shown one. */
  @Test
  void theTotalOfDamagedPacketsLeadsToThem() throws IOException {
    Path file = directory.resolve("damaged.pcapng");
    List<CapturedFrame> frames = new ArrayList<>();
    try (CaptureReader reader = CaptureReader.open(lossy)) {
      frames.add(reader.next());
    }
    try (CaptureWriter writer =
        CaptureWriter.create(file, LinkType.RAW, CaptureWriter.WHOLE_FRAMES)) {
      ByteBuffer whole = frames.getFirst().bytes().buffer();
      for (int i = 0; i < 3; i++) {
        writer.write(i * 1000L, whole, 0, whole.limit());
      }
      ByteBuffer unknown = ByteBuffer.allocate(whole.limit()).put(0, whole, 0, whole.limit());
      unknown.put(28, (byte) 0x3f); // an opcode that is not assigned
      writer.write(4000, unknown, 0, unknown.limit());
    }
    show("", file);
    assertEquals("3 packets", tab.text("el('count').innerText"));
    tab.click("#totals a").until("ui.filter === 'kind=damaged'");
    assertEquals("1 of 4 packets", tab.text("el('count').innerText"));
  }

  @Test
  void aCaptureWithoutPacketsSaysSo() throws IOException {
    Path file = directory.resolve("none.pcapng");
    CaptureWriter.create(file, LinkType.RAW, CaptureWriter.WHOLE_FRAMES).close();
    show("", file);
    assertEquals("There are no packets.", tab.text("el('nothing').innerText"));
    tab.key("2").key("3").key("j").key("n");
  }

  private void show(String fragment, Path... files) throws IOException {
    Path page = directory.resolve("page.html");
    View.read(List.of(files), List.of()).writePage(page);
    tab.show(page, fragment);
  }

  private static List<InspectedPacket> lossyPackets() throws IOException {
    List<InspectedPacket> packets = new ArrayList<>();
    CaptureInspector.inspect(lossy, packets::add);
    return packets;
  }

  /** The captures of both ends, with the packets that each sent or that arrived 1.5 us later. */
  private static void split(Path near, Path far) throws IOException {
    try (CaptureReader reader = CaptureReader.open(lossy);
        CaptureWriter atNear =
            CaptureWriter.create(near, LinkType.RAW, CaptureWriter.WHOLE_FRAMES);
        CaptureWriter atFar = CaptureWriter.create(far, LinkType.RAW, CaptureWriter.WHOLE_FRAMES)) {
      for (CapturedFrame frame = reader.next(); frame != null; frame = reader.next()) {
        ByteBuffer bytes = frame.bytes().buffer();
        boolean fromNear = bytes.get(15) == 1;
        long ns = frame.timestampNs();
        (fromNear ? atNear : atFar).write(ns, bytes, 0, bytes.limit());
        if (!frame.comment().startsWith("lost")) {
          (fromNear ? atFar : atNear).write(ns + 1500, bytes, 0, bytes.limit());
        }
      }
    }
  }
}
