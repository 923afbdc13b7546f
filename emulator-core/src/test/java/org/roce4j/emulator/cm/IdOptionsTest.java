package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.device.Refusals.refused;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.device.CmDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.emulator.cm.EmulatedCmId.State;
import org.roce4j.engine.cm.Route;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.cm.CmOption;

/** The effect of each option of an id on the path of its connection. */
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
    options.set(CmOption.ACK_TIMEOUT, timeout, QpType.RC, State.IDLE);
    assertEquals(timeout == 0 ? 0 : timeout - 1, options.packetLifetime());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 0x1f, 0x20, 0xa8, 0xff})
  void theTypeOfServiceIsTheTrafficClassOfEveryPacket(int tos) {
    options.set(CmOption.TOS, tos, QpType.RC, State.IDLE);
    assertEquals(tos, options.tos());
    assertEquals(tos, route().path().trafficClass());
  }

  /** Linux: {@code rdma_set_reuseaddr}, {@code rdma_set_afonly}. */
  @ParameterizedTest
  @CsvSource({
    "REUSEADDR, 1, true,  true,  true,  false",
    "REUSEADDR, 0, true,  false, false, false",
    "AFONLY,    1, true,  true,  false, false",
    "AFONLY,    0, true,  true,  false, false",
    "TOS,       9, true,  true,  true,  true",
  })
  void anOptionIsTakenInSomeStates(
      CmOption option, int value, boolean idle, boolean bound, boolean resolved, boolean listens) {
    Map.of(
            State.IDLE, idle,
            State.ADDR_BOUND, bound,
            State.ADDR_RESOLVED, resolved,
            State.LISTEN, listens)
        .forEach(
            (state, taken) -> {
              Runnable set = () -> options.set(option, value, QpType.RC, state);
              if (taken) {
                set.run();
              } else {
                refused(Errno.EINVAL, set::run);
              }
            });
  }

  /** Linux: {@code rdma_set_ack_timeout} is for who sends reliably; the others are for all. */
  @ParameterizedTest
  @EnumSource
  void anOptionIsTakenForSomeServices(CmOption option) {
    Set<QpType> reliable = EnumSet.of(QpType.RC, QpType.XRC_SEND);
    for (QpType type : QpType.values()) {
      Runnable set = () -> options.set(option, 1, type, State.IDLE);
      if (option == CmOption.IB_PATH) {
        refused(Errno.ENOSYS, set::run);
      } else if (option == CmOption.ACK_TIMEOUT && !reliable.contains(type)) {
        refused(Errno.EINVAL, set::run);
      } else {
        set.run();
      }
    }
  }

  private Route route() {
    try (FabricDevices network = new FabricDevices(FabricOptions.of(1));
        Context context = network.device("a", Gid.parse("10.0.0.1")).open()) {
      return new PeerRoute(CmDevice.of(context), CmRig.at("10.0.0.1", 5), CmRig.at("10.0.0.2", 6))
          .with(options);
    }
  }
}
