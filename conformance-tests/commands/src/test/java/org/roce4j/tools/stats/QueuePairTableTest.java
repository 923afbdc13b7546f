package org.roce4j.tools.stats;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.roce4j.emulator.statistics.QueuePairStatistics;
import org.roce4j.tools.stats.AttachedProcess.DeviceStatistics;

class QueuePairTableTest {
  private static DeviceStatistics device(long packets, QueuePairStatistics... qps) {
    return new DeviceStatistics(
        "roce0", List.of("10.0.0.1"), Map.of("sent_pkts", packets, "rdma_sends", 1L), List.of(qps));
  }

  private static QueuePairStatistics qp(int number, long sends, long rnrNaks) {
    return new QueuePairStatistics(
        number, "RC", "RTS", "0x12 at fd00:0:0:0:0:0:0:12345", sends, 3, 70, 16, true, rnrNaks);
  }

  @Test
  void ratesAreOfTheTimeSinceTheLastLookAndTheBusiestComeFirst() {
    QueuePairTable table = new QueuePairTable(2);
    table.look(7);
    table.lines(1, device(10, qp(0x11, 5, 0), qp(0x22, 5, 0), qp(0x33, 0, 0)));
    table.look(500_000_007);
    List<String> lines =
        table.lines(1, device(60, qp(0x11, 5, 0), qp(0x22, 5005, 0), qp(0x33, 10, 123_456_789)));
    assertEquals(
        """
        roce0  10.0.0.1  sent_pkts 100/s
         QP       SVC STATE PEER                      SENDS/s QUEUED  RECVS/s POSTED RNR
         0x22     RC  RTS   0x12 ...:0:0:0:0:0:12345   10,000      3        0    16*
         0x33     RC  RTS   0x12 ...:0:0:0:0:0:12345       20      3        0    16* 123456789
         and 1 more\
        """,
        String.join("\n", lines));
  }

  private static QueuePairStatistics busy(int number, long sends, long receives) {
    return new QueuePairStatistics(
        number, "RC", "RTS", "0x12 at 10.0.0.2", sends, 3, receives, 16, false, 0);
  }

  /** A queue pair that receives is as busy as one that sends; one that is new has no rate. */
  @Test
  void theBusiestIsThatWhichSendsAndReceivesMost() {
    QueuePairTable table = new QueuePairTable(9);
    table.look(0);
    table.lines(1, device(0, busy(1, 0, 0), busy(2, 0, 0), busy(3, 0, 0), busy(4, 0, 0)));
    table.look(1_000_000_000L);
    List<String> lines =
        table.lines(
            1,
            device(
                0, busy(5, 9, 9), busy(4, 0, 50), busy(3, 20, 20), busy(2, 30, 0), busy(1, 0, 0)));
    assertEquals(
        List.of("0x4", "0x3", "0x2", "0x1", "0x5"),
        lines.stream().skip(2).map(line -> line.strip().split(" ")[0]).toList());
    assertEquals(
        " 0x3      RC  RTS   0x12 10.0.0.2                  20      3       20     16",
        lines.get(3));
  }

  @Test
  void aDeviceWithoutQueuePairsIsOneLine() {
    QueuePairTable table = new QueuePairTable(1);
    table.look(0);
    assertEquals(List.of("roce0  10.0.0.1"), table.lines(1, device(7)));
    table.look(0);
    assertEquals(List.of("roce0  10.0.0.1"), table.lines(1, device(9)), "no time has passed");
  }

  @Test
  void headsAndAnIpv4PeerFitInto80Columns() {
    QueuePairTable table = new QueuePairTable(1);
    table.look(0);
    List<String> lines =
        table.lines(
            1,
            device(
                0,
                new QueuePairStatistics(
                    0x55_55_55,
                    "XRC_SEND",
                    "RESET",
                    "0xffffff at 192.168.100.200",
                    0,
                    3,
                    0,
                    16384,
                    true,
                    999)));
    assertTrue(lines.getLast().contains(" 0xffffff 192.168.100.200 "), lines.toString());
    lines.forEach(line -> assertTrue(line.length() <= 80, line));
  }

  /** The number of a destroyed queue pair may belong to another by now. */
  @Test
  void whatCountsFromTheBeginningAgainHasNoNegativeRate() {
    QueuePairTable table = new QueuePairTable(1);
    table.look(0);
    table.lines(1, device(100, qp(0x11, 500, 0)));
    table.look(1_000_000_000L);
    List<String> lines = table.lines(1, device(10, qp(0x11, 3, 0)));
    assertTrue(lines.getLast().contains("  0      3        0    16*"), lines.toString());
  }

  /** Most processes give their devices the same names and their queue pairs the same numbers. */
  @Test
  void processesGrowApart() {
    QueuePairTable table = new QueuePairTable(1);
    table.look(0);
    table.lines(1, device(100, qp(0x11, 500, 0)));
    table.lines(2, device(900, qp(0x11, 900, 0)));
    table.look(1_000_000_000L);
    List<String> first = table.lines(1, device(107, qp(0x11, 503, 0)));
    assertEquals("roce0  10.0.0.1  sent_pkts 7/s", first.getFirst());
    assertTrue(first.getLast().contains("  3      3        0    16*"), first.toString());
    List<String> second = table.lines(2, device(900, qp(0x11, 900, 0)));
    assertEquals("roce0  10.0.0.1", second.getFirst());
  }

  /** Also of the third look and later ones. */
  @Test
  void aRateIsOfTheTimeBetweenTwoLooks() {
    QueuePairTable table = new QueuePairTable(1);
    long packets = 0;
    long nowNs = Long.MAX_VALUE - 2_000_000_000L; // a clock may wrap
    table.look(nowNs);
    table.lines(1, device(packets));
    for (int seconds = 1; seconds <= 5; seconds++) {
      packets += 7L * seconds;
      nowNs += seconds * 1_000_000_000L;
      table.look(nowNs);
      assertEquals("roce0  10.0.0.1  sent_pkts 7/s", table.lines(1, device(packets)).getFirst());
    }
  }

  /** The counts before the last ones are not needed, and not kept. */
  @Test
  void aQueuePairThatComesBackKnowsNoRate() {
    QueuePairTable table = new QueuePairTable(1);
    table.look(0);
    table.lines(1, device(100, qp(0x11, 500, 0)));
    table.look(1_000_000_000L);
    table.lines(1, device(100));
    table.look(2_000_000_000L);
    List<String> lines = table.lines(1, device(100, qp(0x11, 700, 0)));
    assertTrue(lines.getLast().contains("  -      3        -    16*"), lines.toString());
  }

  @Test
  void theFirstLookKnowsNoRate() {
    List<String> lines = new QueuePairTable(1).lines(1, device(10, qp(0x11, 5, 0)));
    assertTrue(lines.getLast().contains("  -      3        -    16*"), lines.toString());
  }
}
