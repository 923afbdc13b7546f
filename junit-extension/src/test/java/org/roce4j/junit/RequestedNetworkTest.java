package org.roce4j.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Faults;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;

/** Each attribute of the annotation, in what is asked of the network and in a device's options. */
class RequestedNetworkTest {
  @EmulatedRdma(
      devices = 2,
      ports = 2,
      engines = 4,
      mtu = 512,
      addresses = {"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4"},
      faults = "loss=1%; late=1ms",
      packets = EmulatedRdma.Keep.NEVER,
      virtualSeconds = 7,
      datagrams = 8,
      leaks = EmulatedRdma.Leaks.IGNORE)
  private static final class Everything {}

  @EmulatedRdma
  private static final class Nothing {}

  private static RequestedNetwork of(Class<?> type) {
    return RequestedNetwork.of(type.getAnnotation(EmulatedRdma.class), 5, Path.of("here"));
  }

  @Test
  void everyAttributeIsAskedFor() {
    assertEquals(
        new RequestedNetwork(
            2,
            2,
            4,
            EmulatedRdma.FABRIC,
            5,
            Faults.ofWays("loss=1%; late=1ms").withSeed(5),
            Mtu.MTU_512,
            List.of(
                Gid.parse("10.0.0.1"),
                Gid.parse("10.0.0.2"),
                Gid.parse("10.0.0.3"),
                Gid.parse("10.0.0.4")),
            Path.of("here"),
            false,
            7,
            8,
            EmulatedRdma.Leaks.IGNORE),
        of(Everything.class));
  }

  /** The addresses of a device stand together. */
  @Test
  void eachPortHasItsAddress() {
    for (int device = 0; device < 2; device++) {
      DeviceOptions options = of(Everything.class).options(device, place -> null);
      assertEquals("roce" + device, options.name());
      assertEquals(
          List.of(
              List.of(Gid.parse("10.0.0." + (2 * device + 1))),
              List.of(Gid.parse("10.0.0." + (2 * device + 2)))),
          options.ports());
    }
  }

  @Test
  void devicesAndTestsDrawApartUnlessASeedIsSaid() {
    RequestedNetwork request = of(Nothing.class);
    assertTrue(request.seedOf(0) != request.seedOf(1));
    EmulatedRdma unsaid = Nothing.class.getAnnotation(EmulatedRdma.class);
    Set<Long> drawn = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      drawn.add(EmulatedRdmaExtension.drawn(unsaid.seed()));
    }
    assertTrue(drawn.size() > 1, drawn::toString);
    assertEquals(5, EmulatedRdmaExtension.drawn(5));
  }
}
