package org.roce4j.wire.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Bth;
import org.roce4j.wire.ExtensionHeader;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.CaptureWriter;
import org.roce4j.wire.capture.Dissection;
import org.roce4j.wire.capture.LinkType;
import org.roce4j.wire.inspect.CaptureInspector;
import org.roce4j.wire.inspect.InspectedPacket;
import org.roce4j.wire.mad.Mad;

class PageTest {
  @TempDir private Path directory;

  /** The recordings of Linux's soft-RoCE. */
  static List<Path> captures() throws IOException, URISyntaxException {
    try (Stream<Path> files = Files.list(Path.of(PageTest.class.getResource("/pcaps").toURI()))) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("captures")
  void thePageHoldsWhatInspectPrints(Path file) throws IOException {
    List<InspectedPacket> inspected = new ArrayList<>();
    CaptureInspector.Totals totals = CaptureInspector.inspect(file, inspected::add);
    JsonNode data = data(View.read(List.of(file), List.of()));
    assertEquals(totals.packets(), data.at("/files/0/packets").asLong());
    assertEquals(totals.icrcOk(), data.at("/files/0/icrcOk").asLong());
    assertEquals(totals.packets(), data.get("size").asLong());
    for (int i = 0; i < inspected.size(); i++) {
      assertEquals(
          inspected.get(i).position().mark().ordinal(), data.get("mark").asText().charAt(i) - '0');
    }
    assertFalse(data.get("judgements").toString().contains("breaks"), "soft-RoCE keeps the rules");
    assertEquals(inspected.stream().map(PageTest::numbers).toList(), numbers(inspected, data));
    int packets = 0;
    for (JsonNode connection : data.get("connections")) {
      packets += connection.get("packets").asInt();
    }
    assertEquals(inspected.size(), packets);
  }

  private static String numbers(InspectedPacket packet) {
    return packet.dissection() instanceof Dissection.Roce roce
        ? roce.packet().bth().opcode() + " " + roce.packet().bth().psn()
        : "";
  }

  /**
   * Of the bytes that the page holds: headers, ICRC and management datagram, one packet behind the
   * other.
   */
  private static List<String> numbers(List<InspectedPacket> inspected, JsonNode data)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap(data.get("bytes").binaryValue());
    List<String> found = new ArrayList<>();
    int at = 0;
    for (int i = 0; i < inspected.size(); i++) {
      if (!(inspected.get(i).dissection() instanceof Dissection.Roce)) {
        found.add("");
        continue;
      }
      int bth = at + (bytes.get(at) >>> 4 == 4 ? 20 : 40) + 8;
      Opcode opcode = Opcode.of(Bth.opcode(bytes, bth));
      found.add(opcode + " " + Bth.psn(bytes, bth));
      int extensions = opcode.headers().stream().mapToInt(ExtensionHeader::size).sum();
      at =
          bth + Bth.SIZE + extensions + Icrc.SIZE + (inspected.get(i).mad() == null ? 0 : Mad.SIZE);
    }
    assertEquals(at, bytes.capacity());
    return found;
  }

  @Test
  void whatBothEndsSawAndRecordedStandsInTheirTimes() throws IOException {
    try (BothEnds ends = new BothEnds(directory)) {
      ends.passes(0, 1_000, BothEnds.send(5));
      ends.lost(2_000, BothEnds.send(6));
      ends.passes(3_000, 4_000, BothEnds.answer(5, Aeth.ack(0)));
      ends.passes(5_000, 6_000, BothEnds.send(6));
      ends.passes(7_000, 8_000, BothEnds.answer(6, Aeth.ack(0)));
    }
    View view =
        View.read(
            List.of(directory.resolve("client.pcapng"), directory.resolve("server.pcapng")),
            List.of());
    Recording.Request polled =
        new Recording.Request(view.firstNs() + 9_000, BothEnds.CLIENT_QP, 1, "SEND", "SUCCESS", 0);
    View recorded = view.with(new Recording("p.jfr", List.of(polled), Set.of()));
    assertEquals(9_000, data(recorded).at("/events/0/0").asLong());
    List<String> told = new ArrayList<>();
    Map<String, Set<Long>> times = new HashMap<>();
    for (JsonNode event : log(view).at("/traces/0/events")) {
      String packet = event.at("/data/packet").asText();
      if (event.get("name").asText().equals("transport:state_told")) {
        assertTrue(times.get(packet).contains(event.get("time").asLong()), event::toString);
      } else {
        times.computeIfAbsent(packet, _ -> new HashSet<>()).add(event.get("time").asLong());
        told.add(event.get("name").asText().replace("wire:packet_", "") + " " + packet);
      }
    }
    assertEquals(
        "sent 1, arrived 1, seen 2, lost 2, sent 3, arrived 3, sent 4, arrived 4, sent 5, arrived"
            + " 5",
        String.join(", ", told));
  }

  private JsonNode log(View view) throws IOException {
    Path log = directory.resolve("events.json");
    view.writeLog(log);
    return new ObjectMapper().readTree(log.toFile());
  }

  @Test
  void thePageNeedsNothingElse() throws IOException, URISyntaxException {
    String page = View.read(List.of(captures().getFirst()), List.of()).page();
    String shell = page.replaceAll("(?s)<script type=\"application/json\".*?</script>", "");
    assertFalse(shell.matches("(?s).*(https?:)?//[a-z0-9.-]+\\.[a-z]{2,}.*"), "an address");
    assertFalse(shell.contains(" src="), "a file");
    assertTrue(shell.contains("default-src 'none'"));
    assertFalse(shell.contains("/* style */") || shell.contains("/* script */"));
  }

  @Test
  void whatIsNotOursCannotEndTheScript() throws IOException {
    try (BothEnds ends = new BothEnds(directory)) {
      ends.passes(0, 100, BothEnds.send(5));
    }
    String note = "</script><script>alert(1)</script>";
    Path file = directory.resolve("client.pcapng");
    String page = View.read(List.of(file), List.of(note)).page();
    assertFalse(page.contains(note));
    assertEquals(note, data(View.read(List.of(file), List.of(note))).at("/notes/0").asText());
  }

  @ParameterizedTest
  @MethodSource("captures")
  void everyEventOfTheLogBearsQueuePairAndEpoch(Path file) throws IOException {
    View view = View.read(List.of(file), List.of());
    JsonNode json = log(view);
    assertEquals("roce4j-events", json.get("log_format").asText());
    int seen = 0;
    for (JsonNode trace : json.get("traces")) {
      long last = 0;
      for (JsonNode event : trace.get("events")) {
        assertTrue(event.get("time").asLong() >= last, "in the order of time");
        last = event.get("time").asLong();
        assertNotNull(event.get("data").get("qpn"), event.toString());
        assertNotNull(event.get("data").get("psn_epoch"), event.toString());
        seen += event.get("name").asText().equals("wire:packet_seen") ? 1 : 0;
      }
    }
    assertEquals(view.size(), seen);
  }

  @Test
  void thePageSaysWhatAFileLacksAndWhereEachFieldLies() throws IOException {
    Path file = directory.resolve("cut.pcap");
    ByteBuffer bytes = BothEnds.send(5).emit().buffer();
    try (CaptureWriter writer = CaptureWriter.create(file, LinkType.RAW, 44)) {
      writer.write(0, bytes, 0, bytes.limit());
    }
    Files.write(file, new byte[] {1, 2, 3}, StandardOpenOption.APPEND);
    JsonNode data = data(View.read(List.of(file), List.of()));
    JsonNode told = data.at("/files/0");
    assertEquals(1, told.get("truncated").asInt());
    assertEquals(0, told.get("skippedFrames").asInt());
    assertEquals("", told.get("unread").asText());
    assertFalse(told.get("damage").asText().isEmpty());
    HeaderLayout.all()
        .forEach(
            (name, layout) -> {
              for (int i = 0; i < layout.fields().size(); i++) {
                HeaderLayout.Field field = layout.fields().get(i);
                JsonNode row = data.at("/headers/" + name + "/fields/" + i);
                List<String> columns = new ArrayList<>();
                row.forEach(column -> columns.add(column.asText()));
                assertEquals(
                    List.of(
                        field.key(),
                        field.name(),
                        Integer.toString(field.firstBit()),
                        Integer.toString(field.bits()),
                        field.format(),
                        field.says()),
                    columns);
              }
            });
  }

  /** A script may hold it. */
  @Test
  void everyTextComesBackFromThePageAndEndsNoScript() throws IOException {
    String text = "a\\b\"c</script>\u2028\u2029\n\u0001\u00e9";
    String json = JsonText.of(Map.of("text", text));
    assertEquals(text, new ObjectMapper().readTree(json).get("text").asText());
    for (String never : List.of("</", "\u2028", "\u2029", "\n")) {
      assertFalse(json.contains(never), json);
    }
  }

  private static JsonNode data(View view) throws IOException {
    return new ObjectMapper().readTree(PageData.json(view));
  }
}
