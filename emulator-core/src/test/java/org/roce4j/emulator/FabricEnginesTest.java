package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.connect.ConnectionOptions;
import org.roce4j.connect.RcPair;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.fabric.Steering;
import org.roce4j.verbs.Gid;

/**
 * Devices of several engines on a virtual network. A datagram that arrives at an engine other than
 * its queue pair's is handed over.
 */
class FabricEnginesTest {
  private static final int MESSAGES = 100;
  private static final int BYTES = 64;

  private static EmulatedDevice device(
      FabricDevices network, String name, int engines, Steering by) {
    DeviceOptions options =
        network.options(name, Gid.ofIpv4(0x0a00_0001 + name.charAt(0))).withEngines(engines);
    return network.device(options, by);
  }

  @ParameterizedTest
  @CsvSource({"1, DEST_QP", "2, DEST_QP", "2, SOURCE", "8, SOURCE"})
  void messagesOfSeveralQueuePairsArriveInOrder(int engines, Steering by) {
    try (FabricDevices network = new FabricDevices(FabricOptions.of(3)).forOneThread();
        var a = device(network, "a", engines, by).open();
        var b = device(network, "b", engines, by).open()) {
      List<RcPair> pairs = new ArrayList<>();
      for (int i = 0; i < 2 * engines; i++) {
        pairs.add(
            RcPair.connect(a, b, ConnectionOptions.DEFAULT.withMessageBytes(BYTES).withDepth(8)));
      }
      for (int n = 0; n < MESSAGES; n++) {
        for (RcPair pair : pairs) {
          pair.client().send("message " + n);
        }
        for (RcPair pair : pairs) {
          assertEquals("message " + n, pair.server().receiveString());
        }
      }
      pairs.forEach(RcPair::close);
    }
  }
}
