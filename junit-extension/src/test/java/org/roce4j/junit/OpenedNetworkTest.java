package org.roce4j.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;

class OpenedNetworkTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {EmulatedRdma.FABRIC, EmulatedRdma.UDP})
  void contextsThatATestLeavesOpenAreClosedWithTheNetwork(String transport) {
    OpenedNetwork network = network(transport, 7, "");
    Context left = network.open(0);
    network.close();
    VerbsException closed = assertThrows(VerbsException.class, left::queryDevice);
    assertEquals(Errno.ENODEV, closed.errno());
  }

  private OpenedNetwork network(String transport, long seed, String faults) {
    RequestedNetwork request =
        new RequestedNetwork(
            2,
            1,
            transport,
            seed,
            Faults.parse(faults),
            Mtu.MTU_1024,
            List.of(),
            directory,
            false,
            100,
            EmulatedRdma.Leaks.TELL);
    return transport.equals(EmulatedRdma.FABRIC)
        ? new FabricNetwork(request)
        : new SocketNetwork(request);
  }

  /** Numbers of queue pairs are drawn. */
  @ParameterizedTest
  @ValueSource(strings = {EmulatedRdma.FABRIC, EmulatedRdma.UDP})
  void aSeedRepeatsWhatDevicesDrawAndAnotherDoesNot(String transport) {
    List<Integer> drawn = drawn(transport, 7);
    assertEquals(drawn, drawn(transport, 7));
    assertNotEquals(drawn, drawn(transport, 8));
    assertNotEquals(drawn.get(0), drawn.get(1), "two devices draw the same");
  }

  private List<Integer> drawn(String transport, long seed) {
    try (OpenedNetwork network = network(transport, seed, "");
        RdmaEnd first = new RdmaEnd(network.open(0), QpType.RC);
        RdmaEnd second = new RdmaEnd(network.open(1), QpType.RC)) {
      return List.of(first.qp().qpNum(), second.qp().qpNum());
    }
  }

  /** Faults of packets: by chance on the links, and by a plan at the first device. */
  @ParameterizedTest
  @ValueSource(strings = {"loss=30%", "drop direction=out probability=0.3"})
  void aSeedRepeatsTheFaultsAndAnotherDoesNot(String faults) {
    String digest = digest(7, faults);
    assertEquals(digest, digest(7, faults));
    assertNotEquals(digest, digest(8, faults));
  }

  private String digest(long seed, String faults) {
    try (OpenedNetwork network = network(EmulatedRdma.FABRIC, seed, faults)) {
      assertEquals(WcStatus.SUCCESS, Messages.send(network.open(0), network.open(1), 50));
      return network.counters(0) + " " + network.counters(1);
    }
  }
}
