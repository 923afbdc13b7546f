package org.roce4j.emulator.statistics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PublishedStatisticsTest {
  private static final QueuePairStatistics QP =
      new QueuePairStatistics(0x11, "RC", "RTS", "0x12 at 127.0.0.2", 7, 1, 5, 16, false, 0);

  @AfterEach
  void askNoMore() {
    System.clearProperty("roce4j.stats");
  }

  private static Optional<PublishedStatistics> publish() {
    return PublishedStatistics.publish(
        "roce0", List.of("127.0.0.1", "::1"), () -> Map.of("sent_pkts", 3L), () -> List.of(QP));
  }

  private static Set<ObjectName> published() throws Exception {
    return ManagementFactory.getPlatformMBeanServer()
        .queryNames(new ObjectName(PublishedStatistics.PATTERN), null);
  }

  @Test
  void nothingIsPublishedUnlessAsked() throws Exception {
    assertTrue(publish().isEmpty());
    assertEquals(Set.of(), published());
  }

  @Test
  void aDeviceIsPublishedUntilItCloses() throws Exception {
    System.setProperty("roce4j.stats", "on");
    PublishedStatistics statistics = publish().orElseThrow();
    assertTrue(publish().isEmpty(), "a namesake is not published twice");
    MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    ObjectName name = published().iterator().next();
    DeviceStatisticsMXBean bean = JMX.newMXBeanProxy(server, name, DeviceStatisticsMXBean.class);
    assertEquals("roce0", bean.getDevice());
    assertEquals(List.of("127.0.0.1", "::1"), bean.getAddresses());
    assertEquals(Map.of("sent_pkts", 3L), bean.getCounters());
    assertEquals(List.of(QP), bean.getQueuePairs());
    statistics.close();
    statistics.close();
    assertEquals(Set.of(), published());
  }
}
