package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.roce4j.device.Refusals.refused;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.CmOption;
import org.roce4j.verbs.cm.ConnParam;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;

/** The ids that may share an address and a port, and the one that gets a request. */
class BoundPortsTest extends CmRig {
  private static final List<String> ADDRESSES = List.of("0.0.0.0", "10.0.0.2", "10.0.0.3");

  private final Context third = open("c", "10.0.0.3");
  private final RdmaCm both = RdmaCm.open(serverDevice, third);
  private final EventChannel channel = both.createEventChannel();

  @AfterEach
  void close() {
    both.close();
    third.close();
  }

  /** An id that has a port, or requests it. */
  record Bound(String address, boolean shared, boolean listening) {
    boolean overlaps(Bound other) {
      return address.equals(other.address) || anyWildcard(other);
    }

    private boolean anyWildcard(Bound other) {
      return address.equals(ADDRESSES.getFirst()) || other.address.equals(ADDRESSES.getFirst());
    }

    Errno refusal(Bound other) {
      return anyWildcard(other) ? Errno.EADDRNOTAVAIL : Errno.EADDRINUSE;
    }
  }

  static Stream<Arguments> pairs() {
    List<Bound> all = new ArrayList<>();
    for (String address : ADDRESSES) {
      for (int i = 0; i < 4; i++) {
        all.add(new Bound(address, (i & 1) != 0, (i & 2) != 0));
      }
    }
    return all.stream()
        .flatMap(one -> all.stream().map(two -> new Object[] {one, two}))
        .map(Arguments::of);
  }

  /**
   * If addresses overlap, both ids must allow sharing, and neither may listen ({@code
   * cma_check_port}).
   */
  @ParameterizedTest
  @MethodSource("pairs")
  void twoIdsShareAPortIfBothAllowItAndNoneListens(Bound one, Bound two) {
    CmId first = channel.createId(PortSpace.TCP);
    bind(first, one);
    CmId second = channel.createId(PortSpace.TCP);
    boolean shared = one.shared() && two.shared() && !one.listening() && !two.listening();
    if (one.overlaps(two) && !shared) {
      refused(one.refusal(two), () -> bind(second, two));
      second.close();
      first.close();
      CmId third = channel.createId(PortSpace.TCP);
      bind(third, two);
    } else {
      bind(second, two);
    }
  }

  @Test
  void whoMayNotListenOnEveryDeviceListensOnNone() {
    CmId other = channel.createId(PortSpace.TCP);
    bind(other, new Bound("10.0.0.3", true, false));
    CmId everywhere = channel.createId(PortSpace.TCP);
    bind(everywhere, new Bound("0.0.0.0", true, false));
    refused(Errno.EADDRNOTAVAIL, () -> everywhere.listen(1));
    bind(channel.createId(PortSpace.TCP), new Bound("10.0.0.2", true, false));
  }

  @Test
  void anIdMayAllowOthersLater() {
    CmId first = server.createId(PortSpace.TCP);
    first.bindAddr(at("10.0.0.2", PORT));
    first.setOption(CmOption.REUSEADDR, 1);
    bind(server.createId(PortSpace.TCP), new Bound("10.0.0.2", true, false));
    refused(Errno.EADDRINUSE, () -> first.listen(1));
  }

  @Test
  void anIdThatHasResolvedItsPeerMayAllowOthersToo() {
    CmId first = server.createId(PortSpace.TCP);
    first.resolveAddr(at("10.0.0.2", PORT), at("10.0.0.1", PORT), 2000);
    next(server, CmEvent.AddrResolved.class);
    first.setOption(CmOption.REUSEADDR, 1);
    bind(server.createId(PortSpace.TCP), new Bound("10.0.0.2", true, false));
  }

  /** Any option, not only those about addresses. */
  @Test
  void oneThatListensStaysAloneWhateverOptionIsSet() {
    Bound listens = new Bound("10.0.0.2", true, true);
    Bound shares = new Bound("10.0.0.2", true, false);
    CmId first = channel.createId(PortSpace.TCP);
    bind(first, listens);
    first.setOption(CmOption.TOS, 8);
    CmId second = channel.createId(PortSpace.TCP);
    refused(listens.refusal(shares), () -> bind(second, shares));
  }

  @Test
  void anIdOfEveryDeviceAllowsOthersOnEach() {
    CmId everywhere = channel.createId(PortSpace.TCP);
    everywhere.bindAddr(at("0.0.0.0", PORT));
    everywhere.setOption(CmOption.REUSEADDR, 1);
    bind(channel.createId(PortSpace.TCP), new Bound("10.0.0.2", true, false));
    bind(channel.createId(PortSpace.TCP), new Bound("10.0.0.3", true, false));
  }

  /** As {@code rdma_resolve_addr}: an id that is bound has its source. */
  @Test
  void anIdThatIsBoundResolvesFromItsOwnAddress() {
    CmId id = channel.createId(PortSpace.TCP);
    id.bindAddr(at("10.0.0.3", 0));
    InetSocketAddress bound = id.localAddr();
    id.resolveAddr(at("10.0.0.2", 0), at("10.0.0.1", PORT), 2000);
    next(channel, CmEvent.AddrResolved.class);
    assertEquals(bound, id.localAddr());
    assertSame(third, id.verbs());
  }

  /** Each id gets requests of its own address family. */
  @Test
  void wildcardsOfBothFamiliesShareAPortIfEachIsForItsOwn() {
    CmId four = listening("0.0.0.0");
    CmId six = server.createId(PortSpace.TCP);
    refused(Errno.EADDRNOTAVAIL, () -> six.bindAddr(at("::", PORT)));
    six.setOption(CmOption.AFONLY, 1);
    six.bindAddr(at("::", PORT));
    six.listen(1);
    for (CmId each : List.of(six, four)) {
      resolved(each == six ? "fd00::2" : "10.0.0.2").connect(new ConnParam());
      assertSame(each, next(server, CmEvent.ConnectRequest.class).listenId());
    }
  }

  /** Wildcards of two families meet unless each is for its own: of an IPv4 one that is the rule. */
  @ParameterizedTest
  @CsvSource({
    "0.0.0.0,  , ::,       , false",
    "0.0.0.0,  , ::,      0, false",
    "0.0.0.0,  , ::,      1, true",
    "0.0.0.0, 1, ::,       , false",
    "0.0.0.0, 1, ::,      0, false",
    "0.0.0.0, 1, ::,      1, true",
    "0.0.0.0, 0, ::,       , false",
    "0.0.0.0, 0, ::,      0, false",
    "0.0.0.0, 0, ::,      1, false",
    "0.0.0.0,  , 0.0.0.0,  , false",
    "0.0.0.0, 1, 0.0.0.0, 1, false",
    "::,       , ::,       , false",
    "::,      1, ::,      1, false",
  })
  void twoWildcardsArePartsOfOnePort(
      String one, Integer oneOnly, String two, Integer twoOnly, boolean share) {
    for (boolean turned : new boolean[] {false, true}) {
      CmId first = wildcard(turned ? twoOnly : oneOnly);
      CmId second = wildcard(turned ? oneOnly : twoOnly);
      first.bindAddr(at(turned ? two : one, PORT));
      String other = turned ? one : two;
      if (share) {
        second.bindAddr(at(other, PORT));
        first.listen(1);
        second.listen(1);
      } else {
        refused(Errno.EADDRNOTAVAIL, () -> second.bindAddr(at(other, PORT)));
      }
      first.close();
      second.close();
    }
  }

  private CmId wildcard(Integer afOnly) {
    CmId id = server.createId(PortSpace.TCP);
    if (afOnly != null) {
      id.setOption(CmOption.AFONLY, afOnly);
    }
    return id;
  }

  private static void bind(CmId id, Bound to) {
    id.setOption(CmOption.REUSEADDR, to.shared() ? 1 : 0);
    id.bindAddr(at(to.address(), PORT));
    if (to.listening()) {
      id.listen(1);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0.0.0.0,   , true,  false",
    "::,        , true,  true",
    "0.0.0.0,  0, true,  true",
    "0.0.0.0,  1, true,  false",
    "::,       0, true,  true",
    "::,       1, false, true",
    "10.0.0.2, 0, true,  false",
    "10.0.0.2, 1, true,  false",
    "fd00::2,  0, false, true",
    "fd00::2,  1, false, true",
  })
  void whoListensHears(String address, Integer afOnly, boolean ipv4, boolean ipv6) {
    CmId id = server.createId(PortSpace.TCP);
    if (afOnly != null) {
      id.setOption(CmOption.AFONLY, afOnly);
    }
    id.bindAddr(at(address, PORT));
    id.listen(0);
    assertEquals(ipv4, isHeard("10.0.0.2"), "IPv4");
    assertEquals(ipv6, isHeard("fd00::2"), "IPv6");
  }

  private boolean isHeard(String address) {
    CmId id = resolved(address);
    id.connect(new ConnParam());
    CmEvent request = server.getCmEvent(1_000_000);
    if (request == null) {
      assertEquals(28, next(client, CmEvent.Rejected.class).status());
      return false;
    }
    request.ack();
    request.id().close();
    return true;
  }

  @Test
  void aPortThatAnotherIdHasIsPassedOver() {
    CmId first = channel.createId(PortSpace.TCP);
    first.bindAddr(at("10.0.0.2", 0));
    CmId taken = channel.createId(PortSpace.TCP);
    taken.bindAddr(at("10.0.0.2", first.srcPort() + 1));
    CmId next = channel.createId(PortSpace.TCP);
    next.bindAddr(at("10.0.0.2", 0));
    assertEquals(first.srcPort() + 2, next.srcPort());
  }
}
