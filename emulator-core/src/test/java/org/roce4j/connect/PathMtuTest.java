package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;

/** The path MTU that connections choose between ports of different MTU. */
class PathMtuTest {
  @AutoClose private final FabricDevices network = new FabricDevices(FabricOptions.of(1));

  private Context open(String address, Mtu active) {
    return network
        .device(network.options("at-" + address, Gid.parse(address)).withActiveMtu(active))
        .open();
  }

  @ParameterizedTest
  @CsvSource({"MTU_512, MTU_2048", "MTU_2048, MTU_512", "MTU_4096, MTU_4096"})
  void aPairHasTheSmallerOfBoth(Mtu left, Mtu right) {
    Mtu smaller = left.compareTo(right) < 0 ? left : right;
    try (RcPair pair = RcPair.connect(open("10.0.0.1", left), open("10.0.0.2", right))) {
      assertEquals(smaller, pair.client().qp().query().pathMtu());
      assertEquals(smaller, pair.server().qp().query().pathMtu());
    }
  }

  /** The rule of the C programs. */
  @ParameterizedTest
  @CsvSource({"MTU_512, MTU_512", "MTU_1024, MTU_1024", "MTU_4096, MTU_1024"})
  void anExchangeOfAddressesUsesAtMost1024(Mtu active, Mtu chosen) throws Exception {
    Context here = open("10.0.0.1", active);
    Context there = open("10.0.0.2", active);
    try (Listener listener = Connection.listen(here, 0)) {
      CompletableFuture<Connection> accepted = CompletableFuture.supplyAsync(listener::accept);
      try (Connection client = Connection.connect(there, "127.0.0.1", listener.port());
          Connection server = accepted.get(10, TimeUnit.SECONDS)) {
        assertEquals(chosen, client.qp().query().pathMtu());
        assertEquals(chosen, server.qp().query().pathMtu());
      }
    }
  }
}
