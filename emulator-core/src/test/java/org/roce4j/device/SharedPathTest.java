package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.Path;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.GlobalRoute;
import org.roce4j.verbs.Mtu;

/**
 * Trains compare paths by identity: address handles of one path share one object while any of them
 * exists.
 */
class SharedPathTest {
  private static final Gid PEER = Gid.parse("10.0.0.2");

  private final LoneEngine lone = new LoneEngine(Gid.parse("10.0.0.1"), Mtu.MTU_1024);

  private AddressHandle handle(int hopLimit) {
    return lone.pd.createAh(
        new AhAttr(true, new GlobalRoute(PEER, 0, 0, hopLimit, 0), 0, 0, 0, 0, 1));
  }

  private static Path path(AddressHandle handle) {
    return ((EmulatedAddressHandle) handle).path();
  }

  @Test
  void handlesOfOneWayHaveOnePath() {
    AddressHandle first = handle(64);
    AddressHandle second = handle(64);
    AddressHandle shorter = handle(3);
    assertSame(path(first), path(second));
    assertNotSame(path(first), path(shorter));
    first.close();
    AddressHandle third = handle(64);
    assertSame(path(second), path(third));
    int paths = paths();
    second.close();
    third.close();
    shorter.close();
    assertEquals(2, paths);
    assertEquals(0, paths());
  }

  private int paths() {
    return ((EmulatedProtectionDomain) lone.pd).device.paths().size();
  }
}
