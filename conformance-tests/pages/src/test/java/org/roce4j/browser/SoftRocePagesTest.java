package org.roce4j.browser;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.wire.inspect.CaptureInspector;
import org.roce4j.wire.inspect.InspectedPacket;
import org.roce4j.wire.inspect.Mark;
import org.roce4j.wire.view.View;

/** Captures of Linux's soft-RoCE on the page have the numbers of inspect and of tshark. */
class SoftRocePagesTest extends BrowserTest {
  /** Attributes of the connection manager (InfiniBand volume 1, chapter 12). */
  private static final Map<String, String> CM_ATTRIBUTES =
      Map.of(
          "0x0010",
          "REQ",
          "0x0011",
          "MRA",
          "0x0012",
          "REJ",
          "0x0013",
          "REP",
          "0x0014",
          "RTU",
          "0x0015",
          "DREQ",
          "0x0016",
          "DREP",
          "0x0017",
          "SIDR_REQ",
          "0x0018",
          "SIDR_REP");

  /** Captures of Linux's soft-RoCE, one file a case. */
  static List<Path> captures() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("../../wire-rocev2/src/test/resources/pcaps"))) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("captures")
  void numbersAreThoseOfInspect(Path file) throws IOException {
    List<InspectedPacket> packets = new ArrayList<>();
    CaptureInspector.Totals totals = CaptureInspector.inspect(file, packets::add);
    show("c=all", file);
    assertEquals(
        totals.summary(),
        tab.text(
            "[...document.querySelectorAll('#totals span')].slice(0, 4).map((s) =>"
                + " s.textContent).join(', ')"));
    for (Mark mark : List.of(Mark.RETRANSMISSION, Mark.NAK, Mark.RNR, Mark.DUPLICATE, Mark.CNP)) {
      assertEquals(
          packets.stream().filter(p -> p.position().mark() == mark).count(),
          tab.number(
              "Number(document.querySelector('[data-kind=" + mark.word() + "] b').textContent)"),
          mark.word());
    }
    assertEquals(1, tab.number("document.querySelectorAll('#drawing [data-packet=\"1\"]').length"));
    tab.key("3").until("document.querySelector('#table tr[data-packet]')");
    assertEquals(
        packets.size() + 1, tab.number("Number(document.querySelector('table').ariaRowCount)"));
  }

  /** A field of {@code --filter} finds the same packets on the page. */
  @ParameterizedTest
  @MethodSource("captures")
  void fieldsAreThoseOfInspect(Path file) throws IOException {
    String packets = roce4j("inspect", "--json", file.toString()).strip().replace("\n", ",");
    show("c=all", file);
    assertEquals(
        List.of(),
        tab.ask(
            """
            [%s].slice(0, -1).flatMap((packet, i) => Object.entries(packet)
              .filter(([key, value]) => !filterTest(`${key}=${value}`)(i))
              .map(([key, value]) => `${i + 1}: ${key} is ${value} of inspect`))\
            """
                .formatted(packets.replaceAll("\":(-?[0-9.]+)", "\":\"$1\""))));
  }

  @Test
  void theCapturesAreThoseOfEveryCase() throws IOException {
    assertEquals(23, captures().size());
  }

  @Test
  void packetsAndMessagesOfConnectionManagersAreThoseOfTshark() throws Exception {
    int messages = 0;
    for (Path file : captures()) {
      List<String> theirs = new ArrayList<>();
      List<String> theirMessages = new ArrayList<>();
      for (String[] row : tshark(file, "bth.opcode", "bth.destqp", "bth.psn", "mad.attributeid")) {
        theirs.add(String.join(" ", row[1], row[2], row[3]));
        if (!row[4].isEmpty()) {
          theirMessages.add(row[0] + " " + CM_ATTRIBUTES.getOrDefault(row[4], row[4]));
        }
      }
      show("c=all", file);
      assertEquals(
          theirs,
          tab.ask(
              "Array.from({ length: size }, (_, i) => `${bytes[bthAt(i)]}"
                  + " 0x${destQpOf(i).toString(16).padStart(6, '0')} ${psnOf(i)}`)"),
          file.toString());
      assertEquals(
          theirMessages,
          tab.ask(
              "Array.from({ length: size }, (_, i) => i).filter((i) => data.message?.[i])"
                  + ".map((i) => `${i + 1} ${data.message[i].split(' ')[0]}`)"),
          file.toString());
      messages += theirMessages.size();
    }
    assertTrue(messages > 10, "messages: " + messages);
  }

  /**
   * The tshark fields by key of the page, without flow label and rate of a path, which tshark reads
   * from wrong bits.
   */
  private static final Map<String, String> REQ_FIELDS =
      Map.ofEntries(
          Map.entry("localId", "cm.req"),
          Map.entry("serviceId", "cm.req.serviceid"),
          Map.entry("caGuid", "cm.req.localcaguid"),
          Map.entry("qpn", "cm.req.localqpn"),
          Map.entry("responderResources", "cm.req.responderres"),
          Map.entry("remoteResponseTimeout", "cm.req.remoteresptout"),
          Map.entry("startingPsn", "cm.req.startpsn"),
          Map.entry("retryCount", "cm.req.retrcount"),
          Map.entry("pathMtu", "cm.req.pppmtu"),
          Map.entry("rnrRetryCount", "cm.req.rnrretrcount"),
          Map.entry("maxCmRetries", "cm.req.maxcmretr"),
          Map.entry("primary.hopLimit", "cm.req.prim_hoplim"),
          Map.entry("primary.ackTimeout", "cm.req.prim_localacktout"),
          Map.entry("sourcePort", "cm.req.ip_cm.sport"));

  @Test
  void fieldsOfARequestForCommunicationAreThoseOfTshark() throws Exception {
    Path file = Path.of("../../wire-rocev2/src/test/resources/pcaps/cm_rping.pcap");
    show("p=1", file);
    List<String> keys = List.copyOf(REQ_FIELDS.keySet());
    String[] theirs =
        tshark(file, keys.stream().map(REQ_FIELDS::get).toArray(String[]::new)).getFirst();
    for (int i = 0; i < keys.size(); i++) {
      String ours = tab.text("String(messageField('%s')(0))".formatted(keys.get(i)));
      assertEquals(Long.decode(theirs[i + 1]), Long.decode(ours), keys.get(i));
    }
    String text = tab.text("document.querySelector('#detail').innerText").replaceAll("\\s+", " ");
    assertTrue(text.contains("20 (4.295\u202fs) a0 bit 0–4"), text);
    assertTrue(text.contains("4932841 4b 44 e9"), text);
    assertTrue(text.contains("10.77.0.3 00 00 00 00"), text);
    tab.ask("setFilter('cm.message=REP,RTU cm.localId!=0')");
    assertEquals(2, tab.number("ui.shown.length"));
  }

  @Test
  void paperHoldsWhatArrowsHaveNoRoomFor() throws IOException {
    Path file = Path.of("../../wire-rocev2/src/test/resources/pcaps/cm_rping.pcap");
    show("p=1", file);
    tab.ask(
        "addEventListener('beforeprint', () => (window.notes ="
            + " document.querySelector('#paper ul').textContent))");
    tab.print();
    assertTrue(
        tab.text("window.notes").startsWith("1 CM " + tab.text("data.message[0]")),
        tab.text("window.notes"));
  }

  /**
   * The fields that tshark reads in the packets of InfiniBand: the number of a frame and the fields
   * below {@code infiniband}, empty if a packet lacks one.
   */
  private static List<String[]> tshark(Path file, String... fields) throws IOException {
    Assumptions.assumeTrue(
        Stream.of(System.getenv("PATH").split(":"))
            .anyMatch(p -> Files.isExecutable(Path.of(p, "tshark"))),
        "no tshark");
    List<String> command = new ArrayList<>(List.of("tshark", "-r", file.toString()));
    command.addAll(List.of("-Y", "infiniband", "-T", "fields", "-e", "frame.number"));
    Stream.of(fields).forEach(field -> command.addAll(List.of("-e", "infiniband." + field)));
    Process tshark =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    return tshark.inputReader().lines().map(line -> line.split("\t", -1)).toList();
  }

  private void show(String fragment, Path file) throws IOException {
    Path page = directory.resolve("page.html");
    View.read(List.of(file), List.of()).writePage(page);
    tab.show(page, fragment);
  }
}
