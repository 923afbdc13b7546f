package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.device.CmDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.cm.Route;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.cm.CmOption;

/** What each option of an id changes of the way that its connection takes. */
class IdOptionsTest {
  private final IdOptions options = new IdOptions();

  @Test
  void withoutOptionsTheWayIsTheUsualOne() {
    assertEquals(0, route().path().trafficClass());
    assertEquals(PeerRoute.HOP_LIMIT, route().path().hopLimit());
    assertEquals(Gid.parse("10.0.0.1").low(), route().path().localLow());
    assertEquals(Gid.parse("10.0.0.2").low(), route().path().remoteLow());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 14, 18, 31})
  void anAckTimeoutIsTwiceTheLifetimeOfAPacket(int timeout) {
    options.set(CmOption.ACK_TIMEOUT, timeout, QpType.RC, false);
    assertEquals(timeout == 0 ? 0 : timeout - 1, options.packetLifetime());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 0x1f, 0x20, 0xa8, 0xff})
  void theTypeOfServiceIsTheTrafficClassOfEveryPacket(int tos) {
    options.set(CmOption.TOS, tos, QpType.RC, false);
    assertEquals(tos, options.tos());
    assertEquals(tos, route().path().trafficClass());
  }

  private Route route() {
    try (FabricDevices network = new FabricDevices(FabricOptions.of(1));
        Context context = network.device("a", Gid.parse("10.0.0.1")).open()) {
      return new PeerRoute(CmDevice.of(context), CmRig.at("10.0.0.1", 5), CmRig.at("10.0.0.2", 6))
          .with(options);
    }
  }
}
