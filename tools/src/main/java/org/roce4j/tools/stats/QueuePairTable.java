package org.roce4j.tools.stats;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.emulator.statistics.QueuePairStatistics;
import org.roce4j.tools.stats.AttachedProcess.DeviceStatistics;
import org.roce4j.verbs.text.Wording;

/**
 * Devices and their queue pairs as lines of at most 80 columns, the busiest queue pairs first.
 * Rates are computed from the previous sample; without one they are left out. Not thread-safe.
 */
public final class QueuePairTable {
  private static final String HEADS =
      " QP       SVC STATE PEER                      SENDS/s QUEUED  RECVS/s POSTED RNR";

  /** As wide as the number of a queue pair and an IPv4 address. */
  private static final int PEER_COLUMNS = 24;

  private final int mostRows;
  private Map<String, Long> before = Map.of();
  private Map<String, Long> now = new HashMap<>();
  private Long lookedNs;
  private double seconds;

  /** A table with at most {@code mostRows} queue pairs of a device. */
  public QueuePairTable(int mostRows) {
    this.mostRows = mostRows;
  }

  /**
   * Begins the next sample.
   *
   * @param nowNs when, in nanoseconds of any clock
   */
  public void look(long nowNs) {
    before = now;
    now = new HashMap<>();
    seconds = lookedNs == null ? 0 : (nowNs - lookedNs) / 1e9;
    lookedNs = nowNs;
  }

  private record Row(QueuePairStatistics qp, double sends, double receives) {
    double busy() {
      return (sends > 0 ? sends : 0) + (receives > 0 ? receives : 0);
    }
  }

  /** A device and its queue pairs. */
  public List<String> lines(long pid, DeviceStatistics device) {
    String key = pid + " " + device.device() + " ";
    List<String> lines = new ArrayList<>();
    lines.add(
        Wording.of(
                "%s  %s  %s",
                device.device(), String.join(", ", device.addresses()), traffic(key, device))
            .stripTrailing());
    List<Row> rows = new ArrayList<>();
    for (QueuePairStatistics qp : device.queuePairs()) {
      String of = key + qp.number();
      rows.add(new Row(qp, rate(of + " s", qp.sends()), rate(of + " r", qp.receives())));
    }
    rows.sort(
        Comparator.comparingDouble(Row::busy).reversed().thenComparingInt(row -> row.qp.number()));
    if (!rows.isEmpty()) {
      lines.add(HEADS);
    }
    rows.stream().limit(mostRows).forEach(row -> lines.add(line(row)));
    if (rows.size() > mostRows) {
      lines.add(Wording.of(" and %,d more", rows.size() - mostRows));
    }
    return lines;
  }

  private String traffic(String key, DeviceStatistics device) {
    List<String> parts = new ArrayList<>();
    device
        .counters()
        .forEach(
            (name, value) -> {
              double rate = rate(key + name, value);
              if (rate > 0 && name.matches("sent_pkts|rcvd_pkts|retransmitted_pkts|dropped.*")) {
                parts.add(Wording.of("%s %,.0f/s", name, rate));
              }
            });
    return String.join(", ", parts);
  }

  /** Growth per second; NaN without a previous sample. */
  private double rate(String key, long value) {
    now.put(key, value);
    Long last = before.get(key);
    return last == null || seconds == 0 ? Double.NaN : Math.max(0, value - last) / seconds;
  }

  private static String line(Row row) {
    QueuePairStatistics qp = row.qp;
    return Wording.of(
            " 0x%-6x %-3s %-5s %-" + PEER_COLUMNS + "s %8s %6d %8s %6s %s",
            qp.number(),
            qp.service().replaceFirst("_.*", ""),
            qp.state(),
            shortened(qp.peer()),
            number(row.sends),
            qp.sendsOutstanding(),
            number(row.receives),
            qp.receivesPosted() + (qp.sharedReceives() ? "*" : ""),
            qp.rnrNaks() == 0 ? "" : Long.toString(qp.rnrNaks()))
        .stripTrailing();
  }

  /** The end of a long address is shown, because addresses of one network differ there. */
  private static String shortened(String peer) {
    String words = peer.replace(" at ", " ");
    int cut = words.length() - PEER_COLUMNS;
    if (cut <= 0) {
      return words;
    }
    String start = words.substring(0, words.indexOf(' ') + 1) + "...";
    return start + words.substring(start.length() + cut);
  }

  private static String number(double rate) {
    return Double.isNaN(rate) ? "-" : Wording.of("%,.0f", rate);
  }
}
