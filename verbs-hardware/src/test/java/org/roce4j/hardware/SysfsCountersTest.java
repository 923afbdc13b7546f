package org.roce4j.hardware;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SysfsCountersTest {
  @TempDir private Path device;

  private void counter(String name, String value) throws IOException {
    Path file = device.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, value);
  }

  @Test
  void countersOfTheOnlyPortBearTheirOwnNamesInAlphabeticalOrder() throws IOException {
    counter("ports/1/hw_counters/sent_pkts", "17\n");
    counter("ports/1/hw_counters/rcvd_pkts", "18\n");
    counter("ports/1/hw_counters/lifespan", "10\n");
    Map<String, Long> counters = SysfsCounters.read(device, 1);
    assertEquals(Map.of("rcvd_pkts", 18L, "sent_pkts", 17L), counters);
    assertEquals(List.of("rcvd_pkts", "sent_pkts"), List.copyOf(counters.keySet()));
  }

  @Test
  void portsAreToldApartAndTheDeviceComesFirst() throws IOException {
    counter("ports/2/hw_counters/sent", "2");
    counter("ports/1/hw_counters/sent", "1");
    counter("hw_counters/resets", "18446744073709551615");
    Map<String, Long> counters = SysfsCounters.read(device, 2);
    assertEquals(List.of("resets", "port1/sent", "port2/sent"), List.copyOf(counters.keySet()));
    assertEquals(-1L, counters.get("resets"));
  }

  @Test
  void whatIsNoNumberIsLeftOut() throws IOException {
    counter("ports/1/hw_counters/broken", "N/A\n");
    assertEquals(Map.of(), SysfsCounters.read(device, 1));
  }
}
