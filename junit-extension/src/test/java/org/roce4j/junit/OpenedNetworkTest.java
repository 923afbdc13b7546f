package org.roce4j.junit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.VerbsException;

class OpenedNetworkTest {
  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {EmulatedRdma.FABRIC, EmulatedRdma.UDP})
  void contextsThatATestLeavesOpenAreClosedWithTheNetwork(String transport) {
    Faults none = Faults.parse("");
    RequestedNetwork request =
        new RequestedNetwork(
            1,
            1,
            transport,
            7,
            none,
            Mtu.MTU_1024,
            List.of(),
            directory,
            false,
            1,
            EmulatedRdma.Leaks.TELL);
    OpenedNetwork network =
        transport.equals(EmulatedRdma.FABRIC)
            ? new FabricNetwork(request)
            : new SocketNetwork(request);
    Context left = network.open(0);
    network.close();
    VerbsException closed = assertThrows(VerbsException.class, left::queryDevice);
    assertEquals(Errno.ENODEV, closed.errno());
  }
}
