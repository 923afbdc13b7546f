package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.device.Routes.Choice;
import org.roce4j.verbs.Gid;

class HostRoutesTest {
  private static HostRoutes routes(String own, UnaryOperator<Gid> host) {
    List<Gid> addresses = List.of(Gid.parse(own));
    return host == null
        ? new HostRoutes(() -> addresses, () -> addresses)
        : new HostRoutes(() -> addresses, () -> addresses, host);
  }

  @ParameterizedTest
  @CsvSource({
    "127.0.0.2, 239.1.2.3",
    "192.0.2.9, 239.1.2.3",
    "127.0.0.2, 127.0.0.1",
    "fd00::9, ff15::7",
  })
  void anAddressReachesTheOtherEndsOfItsKind(String own, String destination) {
    HostRoutes routes = routes(own, null);
    assertEquals(Gid.parse(own), routes.sourceFor(Gid.parse(destination), Choice.ANY));
  }

  @Test
  void anAddressOfAPortThatIsDownIsTheLastChoice() {
    Gid down = Gid.parse("192.0.2.1");
    Gid up = Gid.parse("192.0.2.2");
    Gid far = Gid.parse("192.0.2.9");
    HostRoutes both = new HostRoutes(() -> List.of(down, up), () -> List.of(up), _ -> down);
    assertNull(both.sourceFor(far, Choice.BEST), "another device may have a better one");
    assertEquals(up, both.sourceFor(far, Choice.UP));
    HostRoutes none = new HostRoutes(() -> List.of(down), List::of, _ -> down);
    assertNull(none.sourceFor(far, Choice.UP));
    assertEquals(down, none.sourceFor(far, Choice.ANY), "it may come up");
  }

  /** The addresses of the device, a destination, and the address that the host would send from. */
  @ParameterizedTest
  @CsvSource({
    "192.0.2.1 192.0.2.2, 192.0.2.9, 192.0.2.2, 192.0.2.2",
    "127.0.0.2 192.0.2.5, 192.0.2.9, 192.0.2.1, 192.0.2.5",
    "127.0.0.2, 192.0.2.9, 192.0.2.1,",
    "127.0.0.2, 192.0.2.7, 192.0.2.7, 127.0.0.2",
    "192.0.2.5, 127.0.0.9, 127.0.0.1, 192.0.2.5",
    "127.0.0.2, 127.0.0.9, 127.0.0.1, 127.0.0.2",
    "192.0.2.5, 239.1.2.3, 192.0.2.1, 192.0.2.5",
    "127.0.0.2, 239.1.2.3, 192.0.2.1, 127.0.0.2",
  })
  void theHostsChoiceIsTakenAndOtherwiseOneOnTheSameSideOfTheHost(
      String own, String destination, String chosen, String source) {
    List<Gid> addresses = Stream.of(own.split(" ")).map(Gid::parse).toList();
    HostRoutes routes = new HostRoutes(() -> addresses, List::of, _ -> Gid.parse(chosen));
    assertEquals(
        source == null ? null : Gid.parse(source),
        routes.sourceFor(Gid.parse(destination), Choice.ANY));
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.2, ::1", "::1, 239.1.2.3"})
  void noAddressReachesTheOtherFamily(String own, String destination) {
    HostRoutes routes = routes(own, null);
    assertNull(routes.sourceFor(Gid.parse(destination), Choice.ANY));
  }

  @ParameterizedTest
  @CsvSource({"192.0.2.9, 239.1.2.3, 192.0.2.9", "192.0.2.9, 192.0.2.7,", "fd00::9, 239.1.2.3,"})
  void withoutARouteOfTheHostAGroupAloneIsReached(String own, String destination, String source) {
    HostRoutes routes = routes(own, _ -> null);
    Gid reachedFrom = source == null ? null : Gid.parse(source);
    assertEquals(reachedFrom, routes.sourceFor(Gid.parse(destination), Choice.ANY));
    assertNull(routes.sourceFor(Gid.parse(destination), Choice.BEST));
  }
}
