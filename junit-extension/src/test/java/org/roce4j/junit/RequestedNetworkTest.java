package org.roce4j.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.Faults;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.VerbsException;

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

  @EmulatedRdma(devices = 64, ports = 3, virtualSeconds = 1, datagrams = 1)
  private static final class AtTheBounds {}

  @EmulatedRdma(devices = 3, ports = 2)
  private static final class ThreeOfTwo {}

  @EmulatedRdma(devices = 1, ports = 1)
  private static final class Least {}

  @EmulatedRdma(devices = 65)
  private static final class MoreDevices {}

  @EmulatedRdma(ports = 4)
  private static final class MorePorts {}

  @EmulatedRdma(virtualSeconds = 0)
  private static final class NoTime {}

  @EmulatedRdma(datagrams = 0)
  private static final class NoDatagrams {}

  @EmulatedRdma(
      devices = 2,
      ports = 2,
      addresses = {"10.0.0.1", "10.0.0.2", "10.0.0.3"})
  private static final class ThreeAddresses {}

  @Test
  void numbersKeepTheirBounds() {
    assertEquals(64, of(AtTheBounds.class).devices());
    assertEquals(3, of(AtTheBounds.class).ports());
    assertEquals(1, of(Least.class).devices());
    refused(MoreDevices.class, "devices = 65: give 1 to 64");
    refused(MorePorts.class, "ports = 4: give 1 to 3");
    refused(NoTime.class, "virtualSeconds = 0: give 1 or more");
    refused(NoDatagrams.class, "datagrams = 0: give 1 or more");
    refused(ThreeAddresses.class, "3 addresses for 4 ports of 2 devices: give each port one");
  }

  private static void refused(Class<?> type, String remedy) {
    VerbsException e = assertThrows(VerbsException.class, () -> of(type));
    assertEquals("@EmulatedRdma: " + remedy, e.remedy());
    assertEquals(Errno.EINVAL, e.errno());
  }

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

  /** Port 1 of each of three devices, then port 2 of each. */
  @Test
  void withoutAddressesThePortsAreDealtOutInTurn() {
    List<Integer> places = new ArrayList<>();
    for (int device = 0; device < 3; device++) {
      of(ThreeOfTwo.class)
          .options(
              device,
              place -> {
                places.add(place);
                return Gid.ofIpv4(0x0A000001 + place);
              });
    }
    assertEquals(List.of(0, 3, 1, 4, 2, 5), places);
  }

  @Test
  void devicesAndTestsDrawApartUnlessASeedIsSaid() {
    RequestedNetwork request = of(Nothing.class);
    assertTrue(request.seedOf(0) != request.seedOf(1));
    EmulatedRdma again = Nothing.class.getAnnotation(EmulatedRdma.class);
    RequestedNetwork next = RequestedNetwork.of(again, 6, Path.of("here"));
    assertTrue(next.seedOf(0) != request.seedOf(1), "devices of tests with neighbouring seeds");
    EmulatedRdma unsaid = Nothing.class.getAnnotation(EmulatedRdma.class);
    Set<Long> drawn = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      drawn.add(EmulatedRdmaExtension.drawn(unsaid.seed()));
    }
    assertTrue(drawn.size() > 1, drawn::toString);
    assertEquals(5, EmulatedRdmaExtension.drawn(5));
  }
}
