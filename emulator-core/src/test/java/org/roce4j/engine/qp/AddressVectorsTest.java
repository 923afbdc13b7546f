package org.roce4j.engine.qp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.datagram.Path;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.VerbsException;

/** The numbers of an {@code ibv_ah_attr} at their bounds, and the messages about others. */
class AddressVectorsTest {
  private static final Gid PEER = Gid.parse("10.0.0.2");

  private static Path check(GlobalRoute route) {
    return AddressVectors.check(new TestHost(), along(route));
  }

  private static AhAttr along(GlobalRoute route) {
    return new AhAttr(true, route, 0, 0, 0, 0, 1);
  }

  private static String refusal(GlobalRoute route) {
    VerbsException refused = refused(Errno.EINVAL, () -> check(route));
    return refused.remedy();
  }

  @Test
  void keepsWhatTheRouteSays() {
    Path path = check(new GlobalRoute(PEER, 0x12345, 0, 7, 0xb8));
    assertEquals(PEER, new Gid(path.remoteHigh(), path.remoteLow()));
    assertEquals(0, path.sgidIndex());
    assertEquals(7, path.hopLimit());
    assertEquals(0xb8, path.trafficClass());
  }

  @ParameterizedTest
  @CsvSource({"0, 64", "1, 1", "255, 255"})
  void aHopLimitOfZeroIsTheUsualOne(int given, int taken) {
    assertEquals(taken, check(new GlobalRoute(PEER, 0, 0, given, 0)).hopLimit());
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 256})
  void refusesAHopLimitThatIsNoByte(int hops) {
    assertTrue(refusal(new GlobalRoute(PEER, 0, 0, hops, 0)).contains("hop_limit"));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 255})
  void takesEveryTrafficClass(int trafficClass) {
    assertEquals(trafficClass, check(new GlobalRoute(PEER, 0, 0, 64, trafficClass)).trafficClass());
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 256})
  void refusesATrafficClassThatIsNoByte(int trafficClass) {
    assertTrue(refusal(new GlobalRoute(PEER, 0, 0, 64, trafficClass)).contains("traffic_class"));
  }

  @Test
  void aFlowLabelHasTwentyBits() {
    GlobalRoute route = new GlobalRoute(PEER, 0xfffabcde, 0, 64, 0);
    assertEquals(0xabcde, AddressVectors.flowLabel(along(route)));
  }

  @Test
  void refusesARouteWithoutADestination() {
    assertTrue(refusal(new GlobalRoute(null, 0, 0, 64, 0)).contains("dgid"));
  }
}
