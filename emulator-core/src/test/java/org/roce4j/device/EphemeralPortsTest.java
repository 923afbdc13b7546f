package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ports that an id without one is given, of Linux's usual range. */
class EphemeralPortsTest {
  @ParameterizedTest
  @ValueSource(ints = {0, PortBindings.EPHEMERAL - 1, Integer.MAX_VALUE - 1, -2})
  void areOfTheRangeHoweverManyWereDrawn(int drawn) {
    PortBindings ports = new PortBindings(drawn);
    for (int i = 0; i < 4; i++) {
      int port = ports.nextEphemeral();
      assertTrue(port >= 32_768 && port <= 60_999, "port " + port);
    }
  }
}
