package org.roce4j.tools.pingpong;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.roce4j.connect.ExchangedAddress;
import org.roce4j.verbs.text.Wording;

/**
 * The plan and result of a game, as text or JSON.
 *
 * @param players the sides in this process
 * @param transport the port in use, such as {@code linux}
 * @param transportReason why it is not the preferred one, or null
 * @param virtualTime whether seconds are those of the virtual network
 * @param elapsedNs from the first message to the last completion
 * @param roundTrips fewer than planned when the game was interrupted
 * @param halfRoundTrips as measured by the side that starts; empty at the other
 * @param counters what each device of this process counted, by device name, without zeros
 * @param verifiedBytes received and correct
 * @param peer what the peer proved to be
 * @param capture where the packets are, or null
 */
record PingPongReport(
    PingPongService service,
    PingPongPlan plan,
    List<PlayerLine> players,
    String transport,
    String transportReason,
    boolean virtualTime,
    long elapsedNs,
    long roundTrips,
    Latencies halfRoundTrips,
    Map<String, Map<String, Long>> counters,
    long verifiedBytes,
    PayloadCheck.PeerProgram peer,
    String capture) {
  /** After about this number of round trips the virtual machine has compiled their code. */
  private static final long STEADY_AFTER = 20_000;

  private static final String SENT = "sent_pkts";
  private static final String RETRANSMITTED = "retransmitted_pkts";

  /**
   * One side and its peer: queue pair {@code i} of {@code own} plays with {@code i} of the peer.
   */
  record PlayerLine(
      String role, String device, List<ExchangedAddress> own, List<ExchangedAddress> peer) {}

  /** The lines to print before the game: both sides and the transport. */
  static List<String> introduction(
      PingPongService service,
      PingPongPlan plan,
      List<PlayerLine> players,
      String transport,
      String transportReason) {
    List<String> lines = new ArrayList<>();
    for (PlayerLine player : players) {
      lines.add(
          Wording.of("%s: device %s, %s", player.role(), player.device(), text(player.own())));
    }
    if (players.size() == 1) {
      lines.add("peer:   " + text(players.get(0).peer()));
    }
    lines.add(
        "transport: " + transport + (transportReason == null ? "" : " (" + transportReason + ")"));
    lines.add(
        Wording.of(
            "%s, path MTU %d, %d messages of %d bytes each way, %s",
            service.label(),
            plan.mtu().bytes(),
            plan.iterations(),
            plan.size(),
            plan.events() ? "waiting for events" : "polling"));
    return lines;
  }

  private static String text(List<ExchangedAddress> addresses) {
    ExchangedAddress first = addresses.getFirst();
    return Wording.of(
        "address %s, QP 0x%06x, first PSN 0x%06x%s",
        first.gid().addressText(),
        first.qpn(),
        first.psn(),
        addresses.size() == 1 ? "" : ", and " + (addresses.size() - 1) + " more");
  }

  /** The lines to print after the game. */
  List<String> results() {
    List<String> lines = new ArrayList<>();
    double seconds = elapsedNs / 1e9;
    if (roundTrips < plan.iterations()) {
      lines.add(
          Wording.of("interrupted after %d of %d round trips", roundTrips, plan.iterations()));
    }
    lines.add(
        Wording.of(
            "%d round trips in %.3f s%s: %.0f a second, %.1f Mbit/s both ways together",
            roundTrips,
            seconds,
            virtualTime ? " of virtual time" : "",
            roundTripsPerSecond(),
            megabitsPerSecond()));
    if (halfRoundTrips.count() > 0) {
      lines.add(latency());
    }
    if (!virtualTime && plan.iterations() < STEADY_AFTER) {
      lines.add("  (Java compiles while it runs: --iters 100000 shows the steady state)");
    }
    if (counted(SENT) > 0) {
      lines.add(
          counted(SENT)
              + " packets sent by this process, "
              + counted(RETRANSMITTED)
              + " retransmitted");
    }
    if (capture != null) {
      lines.add(packetsKept());
    }
    lines.add(
        verifiedBytes
            + " bytes verified"
            + (peer == PayloadCheck.PeerProgram.C_PROGRAM
                ? " (the peer is " + service.program() + ", which sends back what it received)"
                : ""));
    return lines;
  }

  private String latency() {
    return Wording.of(
        "half a round trip: min %.1f us, median %.1f us, p99 %.1f us, max %.1f us",
        halfRoundTrips.min() / 1e3,
        halfRoundTrips.median() / 1e3,
        halfRoundTrips.p99() / 1e3,
        halfRoundTrips.max() / 1e3);
  }

  private String packetsKept() {
    boolean twice = players.size() == 2 && players.get(0).device().equals(players.get(1).device());
    return "packets kept in "
        + capture
        + (twice ? ", each twice: as it left the device and as it came back" : "")
        + "; roce4j inspect reads them";
  }

  /** One JSON object. */
  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("service", service.toString());
    json.put("transport", transport);
    json.put("transportReason", transportReason);
    json.put("iterations", plan.iterations());
    json.put("size", plan.size());
    json.put("mtu", plan.mtu().bytes());
    json.put("events", plan.events());
    json.put("virtualTime", virtualTime);
    json.put("roundTrips", roundTrips);
    json.put("ends", players.stream().map(PingPongReport::json).toList());
    json.put("peerKind", peer.name().toLowerCase(Locale.ROOT));
    json.put("seconds", elapsedNs / 1e9);
    json.put("roundTripsPerSecond", roundTripsPerSecond());
    json.put("megabitsPerSecond", megabitsPerSecond());
    json.put("halfRoundTripNs", halfRoundTrips.count() == 0 ? null : halfRoundTripJson());
    json.put("packets", counted(SENT));
    json.put("retransmitted", counted(RETRANSMITTED));
    json.put("counters", counters);
    json.put("verifiedBytes", verifiedBytes);
    json.put("capture", capture);
    return json;
  }

  private long counted(String counter) {
    return counters.values().stream().mapToLong(of -> of.getOrDefault(counter, 0L)).sum();
  }

  private double roundTripsPerSecond() {
    return roundTrips / (elapsedNs / 1e9);
  }

  private double megabitsPerSecond() {
    return 2.0 * roundTrips * plan.size() * 8 / (elapsedNs / 1e3);
  }

  private Map<String, Object> halfRoundTripJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("min", halfRoundTrips.min());
    json.put("median", halfRoundTrips.median());
    json.put("p99", halfRoundTrips.p99());
    json.put("max", halfRoundTrips.max());
    return json;
  }

  private static Map<String, Object> json(PlayerLine player) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("role", player.role());
    json.put("device", player.device());
    ExchangedAddress own = player.own().getFirst();
    ExchangedAddress peer = player.peer().getFirst();
    json.put("address", own.gid().addressText());
    json.put("queuePairs", player.own().size());
    json.put("qpn", own.qpn());
    json.put("psn", own.psn());
    json.put("peerAddress", peer.gid().addressText());
    json.put("peerQpn", peer.qpn());
    json.put("peerPsn", peer.psn());
    return json;
  }
}
