package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.Gid;

class HostRoutesTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.2, 239.1.2.3",
    "192.0.2.9, 239.1.2.3",
    "127.0.0.2, 127.0.0.1",
    "fd00::9, ff15::7",
  })
  void anAddressReachesTheOtherEndsOfItsKind(String own, String destination) {
    HostRoutes routes = new HostRoutes(List.of(Gid.parse(own)));
    assertEquals(Gid.parse(own), routes.sourceFor(Gid.parse(destination), false));
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.2, ::1", "::1, 239.1.2.3"})
  void noAddressReachesTheOtherFamily(String own, String destination) {
    HostRoutes routes = new HostRoutes(List.of(Gid.parse(own)));
    assertNull(routes.sourceFor(Gid.parse(destination), false));
  }

  @ParameterizedTest
  @CsvSource({"192.0.2.9, 239.1.2.3, 192.0.2.9", "192.0.2.9, 192.0.2.7,", "fd00::9, 239.1.2.3,"})
  void withoutARouteOfTheHostAGroupAloneIsReached(String own, String destination, String source) {
    HostRoutes routes = new HostRoutes(List.of(Gid.parse(own)), _ -> null);
    Gid reachedFrom = source == null ? null : Gid.parse(source);
    assertEquals(reachedFrom, routes.sourceFor(Gid.parse(destination), false));
    assertNull(routes.sourceFor(Gid.parse(destination), true));
  }
}
