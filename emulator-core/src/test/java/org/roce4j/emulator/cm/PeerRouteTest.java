package org.roce4j.emulator.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.device.CmDevice;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.mad.AddressHeader;

/** What a route says of its two ends, to the network and to the peer. */
class PeerRouteTest extends CmRig {
  private PeerRoute from(String own, int ownPort, String peer, int peerPort) {
    return new PeerRoute(CmDevice.of(clientDevice), at(own, ownPort), at(peer, peerPort));
  }

  private int flowLabel(String own, int ownPort, String peer, int peerPort) {
    return from(own, ownPort, peer, peerPort).with(new IdOptions()).flowLabel();
  }

  /** Otherwise a network with several paths would send all connections of two hosts on one. */
  @Test
  void eachConnectionHasAFlowLabelOfItsOwn() {
    int label = flowLabel("10.0.0.1", 5000, "10.0.0.2", 7471);
    assertEquals(label, flowLabel("10.0.0.1", 5000, "10.0.0.2", 7471));
    List<Integer> others =
        List.of(
            flowLabel("10.0.0.1", 5001, "10.0.0.2", 7471),
            flowLabel("10.0.0.1", 5008, "10.0.0.2", 7471),
            flowLabel("10.0.0.1", 5001, "10.0.0.2", 7471 ^ 0x8000),
            flowLabel("10.0.0.1", 5000, "10.0.0.2", 7472),
            flowLabel("10.0.0.1", 5000, "10.0.0.3", 7471));
    others.forEach(other -> assertNotEquals(label, other));
    Stream.concat(Stream.of(label), others.stream())
        .forEach(each -> assertEquals(each, each & 0xF_FFFF, "20 bits"));
  }

  /** Annex A11. */
  @ParameterizedTest
  @CsvSource({"10.0.0.1, 10.0.0.2, 4", "fd00::1, fd00::2, 6"})
  void aRequestNamesBothAddressesAndItsPort(String own, String peer, int version) {
    Gid local = Gid.parse(own);
    Gid remote = Gid.parse(peer);
    assertEquals(
        new AddressHeader(version, 5000, local.high(), local.low(), remote.high(), remote.low()),
        from(own, 5000, peer, 7471).addresses());
  }
}
