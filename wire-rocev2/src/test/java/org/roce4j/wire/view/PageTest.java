package org.roce4j.wire.view;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.wire.inspect.CaptureInspector;
import org.roce4j.wire.inspect.InspectedPacket;

class PageTest {
  @TempDir private Path directory;

  /** What Linux's soft-RoCE has sent, one file a case. */
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
    int packets = 0;
    for (JsonNode connection : data.get("connections")) {
      packets += connection.get("packets").asInt();
    }
    assertEquals(inspected.size(), packets);
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
    Path log = directory.resolve("events.json");
    view.writeLog(log);
    JsonNode json = new ObjectMapper().readTree(log.toFile());
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

  private static JsonNode data(View view) throws IOException {
    return new ObjectMapper().readTree(PageData.json(view));
  }
}
