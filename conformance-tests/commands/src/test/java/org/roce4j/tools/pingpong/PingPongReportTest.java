package org.roce4j.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.roce4j.connect.ExchangedAddress;
import org.roce4j.tools.console.Json;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;

class PingPongReportTest {
  private static final PingPongPlan PLAN = new PingPongPlan(1000, 4096, Mtu.MTU_1024, false, 1, 14);
  private static final ExchangedAddress A =
      new ExchangedAddress(0, 0x12, 0xabc, Gid.parse("127.0.0.1"));
  private static final ExchangedAddress B =
      new ExchangedAddress(0, 0x13, 0xdef, Gid.parse("127.0.0.2"));

  @Test
  void saysWhoPlaysWithWhom() {
    assertEquals(
        List.of(
            "client: device roce0, address 127.0.0.1, QP 0x000012, first PSN 0x000abc",
            "server: device roce1, address 127.0.0.2, QP 0x000013, first PSN 0x000def",
            "transport: netty (linux does not work here: no UDP_SEGMENT)",
            "RC, path MTU 1024, 1000 messages of 4096 bytes each way, polling"),
        PingPongReport.introduction(
            PingPongService.RC,
            PLAN,
            List.of(
                new PingPongReport.PlayerLine("client", "roce0", List.of(A), List.of(B)),
                new PingPongReport.PlayerLine("server", "roce1", List.of(B), List.of(A))),
            "netty",
            "linux does not work here: no UDP_SEGMENT"));
  }

  @Test
  void saysHowItWent() {
    Latencies latencies = new Latencies();
    for (int i = 1; i <= 100; i++) {
      latencies.record(i * 1000L);
    }
    List<String> lines = report(latencies, PayloadCheck.PeerProgram.ROCE4J).results();

    assertEquals(
        "1000 round trips in 0.500 s: 2000 a second, 131.1 Mbit/s both ways together",
        lines.get(0));
    assertTrue(
        lines.get(1).startsWith("half a round trip: min 1.0 us, median 50.0 us, p99 99"),
        lines.get(1));
    assertEquals(
        "  (Java compiles while it runs: --iters 100000 shows the steady state)", lines.get(2));
    assertEquals("12000 packets sent by this process, 3 retransmitted", lines.get(3));
    assertEquals("8192000 bytes verified", lines.get(4));
  }

  @Test
  void saysWhatAForeignPeerSends() {
    List<String> lines = report(new Latencies(), PayloadCheck.PeerProgram.C_PROGRAM).results();
    assertEquals(
        "8192000 bytes verified (the peer is ibv_rc_pingpong, which sends back what it received)",
        lines.get(lines.size() - 1));
  }

  @Test
  void isOneJsonObject() {
    String json = Json.text(report(new Latencies(), PayloadCheck.PeerProgram.ROCE4J).json());
    assertTrue(json.startsWith("{\"service\":\"rc\",\"transport\":\"linux\""), json);
    assertTrue(
        json.contains("\"halfRoundTripNs\":null,\"packets\":12000,\"retransmitted\":3"), json);
    assertEquals(1, json.lines().count());
  }

  @Test
  void anInterruptedGameTellsWhatWasPlayed() {
    PingPongReport report = report(new Latencies(), PayloadCheck.PeerProgram.ROCE4J, 42);
    assertEquals(
        "interrupted after 42 of " + PLAN.iterations() + " round trips", report.results().get(0));
    assertTrue(report.results().get(1).startsWith("42 round trips in 0.500 s: 84 a second"));
    assertEquals(42L, report.json().get("roundTrips"));
  }

  private static PingPongReport report(Latencies latencies, PayloadCheck.PeerProgram peer) {
    return report(latencies, peer, PLAN.iterations());
  }

  private static PingPongReport report(
      Latencies latencies, PayloadCheck.PeerProgram peer, long roundTrips) {
    return new PingPongReport(
        PingPongService.RC,
        PLAN,
        List.of(new PingPongReport.PlayerLine("client", "roce0", List.of(A), List.of(B))),
        "linux",
        null,
        false,
        500_000_000L,
        roundTrips,
        latencies,
        Map.of(
            "roce0", Map.of("sent_pkts", 7_000L, "retransmitted_pkts", 3L),
            "roce1", Map.of("sent_pkts", 5_000L)),
        8_192_000,
        peer,
        null);
  }
}
