package org.roce4j.engine.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.datagram.Path;
import org.roce4j.wire.mad.CmPath;

/** The path of a connection's packets in a REQ. */
class RouteTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 0x1f, 0x20, 0xa8, 0xff})
  void aRequestTellsTheWayAsItIs(int trafficClass) {
    Route route = new Route(new Path(3, 1, 2, 4, 5, trafficClass, 64), 3, 17, 0xabcde);
    CmPath told =
        new CmPath(
            0xffff, 0xffff, 1, 2, 4, 5, 0xabcde, 0, trafficClass, 64, trafficClass / 32, false, 17);
    assertEquals(told, route.inRequest());
  }
}
