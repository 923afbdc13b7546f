package org.roce4j.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The drawing of a play: what its program did at each end, and what became of each packet. */
class DrawnLabTest {
  private static final Pattern OF_AN_END =
      Pattern.compile(
          "\"name\":\"(?:program|transport):(\\w+)\",\"data\":\\{\"end\":\"(\\w+)\".*\"text\":\"([^\"]*)\"");

  private static final Pattern IN_FULL =
      Pattern.compile(
          "\"name\":\"(?:program|transport):(\\w+)\",\"data\":\\{\"end\":\"(\\w+)\".*\"what\":\"([^\"]*)\"");

  private static final Pattern OF_A_PACKET =
      Pattern.compile(
          "\"name\":\"wire:(\\w+)\",\"data\":\\{\"packet\":(\\d+).*?(?:\"comment\":\"([^\"]*)\")?\\}\\}");

  private static final Pattern ON_THE_PAGE =
      Pattern.compile("\\[\\d+,(\\d+),\"[0-9.]+\",\\d+,\"(\\w+)\",\"([^\"]*)\"");

  @TempDir private Path directory;

  private List<String> drawn(Pattern pattern, String... play) throws IOException {
    Path log = directory.resolve("events.json");
    try (LabSession lab = LabSession.of(Scenario.of("test").then(play))) {
      lab.view().writeLog(log);
    }
    return pattern
        .matcher(Files.readString(log))
        .results()
        .map(e -> e.group(1) + " " + e.group(2) + (e.group(3) == null ? "" : ": " + e.group(3)))
        .toList();
  }

  @Test
  void whatEachEndDoesIsDrawn() throws IOException {
    assertEquals(
        List.of(
            "noted left: INIT, RTR, RTS",
            "noted right: INIT, RTR, RTS",
            "request_posted right: receive bytes=64",
            "request_posted left: send text=hello",
            "request_completed right: receive bytes=64",
            "request_completed left: send text=hello",
            "request_failed right: receive refused",
            "request_posted left: write text=x",
            "noted right: refuses",
            "noted right: ERR",
            "noted right: event QP_ACCESS_ERR",
            "noted left: gives up",
            "noted left: ERR",
            "request_failed left: write REM_ACCESS_ERR"),
        drawn(
            OF_AN_END,
            "connect a b",
            "receive b1",
            "send a1 text=hello",
            "modify a1 state=INIT", // refused, which is no failure of the SEND
            "run",
            "receive b1 queue=1",
            "register b",
            "write a1 text=x",
            "run"));
  }

  @Test
  void everyKindOfRequestIsDrawnWhereItIsPosted() throws IOException {
    List<String> requests =
        List.of("send text=x", "write text=x", "read", "compare_swap", "fetch_add", "receive");
    List<String> play = new ArrayList<>(List.of("connect a b"));
    requests.forEach(request -> play.add(request.replaceFirst("\\w+", "$0 a1")));
    assertEquals(
        requests.stream().map(request -> request.replaceFirst(" .*", "")).toList(),
        drawn(OF_AN_END, play.toArray(String[]::new)).stream()
            .filter(event -> event.startsWith("request_posted left: "))
            .map(event -> event.replaceFirst("[^:]*: (\\w+).*", "$1"))
            .toList());
  }

  @Test
  void anEventHasItsFullTextToo() throws IOException {
    assertEquals(
        List.of(
            "noted left: RTR to RTS",
            "noted right: RTR to RTS",
            "request_posted left: send a1 text=hello",
            "request_failed right: refused: EINVAL: b1 is RC: only XRC has a choice of queues"),
        drawn(IN_FULL, "connect a b", "send a1 text=hello", "receive b1 queue=1"));
  }

  @Test
  void anEventStandsBehindThePacketsThatWereSentBefore() {
    try (LabSession lab =
        LabSession.of(
            Scenario.of("test")
                .then(
                    "connect a b timeout=31",
                    "receive b1",
                    "send a1 text=hello",
                    "packet 1 duplicate",
                    "step times=4",
                    "send a1 text=late",
                    "receive b1 queue=1"))) {
      String page = lab.view().page();
      assertEquals(
          List.of(
              "0 state INIT, RTR, RTS",
              "0 state INIT, RTR, RTS",
              "0 posted receive bytes=64",
              "0 posted send text=hello",
              "3 completed receive bytes=64",
              "3 completed send text=hello",
              "3 posted send text=late",
              "4 failed receive refused"),
          ON_THE_PAGE
              .matcher(page)
              .results()
              .map(e -> e.group(1) + " " + e.group(2) + " " + e.group(3))
              .toList());
      // arrived, a copy that arrived, arrived, under way
      assertTrue(page.contains("\"fate\":\"1314\""));
    }
  }

  @Test
  void whatBecameOfEachPacketIsDrawn() throws IOException {
    assertEquals(
        List.of(
            "packet_sent 1: duplicated; duplicated",
            "packet_seen 2: a copy of packet 1; lost",
            "packet_lost 2: a copy of packet 1; lost",
            "packet_sent 3: a copy of packet 1",
            "packet_arrived 1: duplicated; duplicated",
            "packet_arrived 3: a copy of packet 1",
            "packet_sent 4",
            "packet_arrived 4",
            "packet_seen 5"),
        drawn(
            OF_A_PACKET,
            "connect a b timeout=31",
            "receive b1",
            "send a1 text=hello",
            "packet 1 duplicate",
            "packet 2 drop",
            "packet 1 duplicate",
            "step times=4",
            "send a1 text=late"));
  }
}
