package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;

class FabricMulticastTest {
  @AutoClose private final Fabric fabric = new Fabric(FabricOptions.of(1));
  private final FabricPeer a = new FabricPeer(fabric, "10.0.0.1", "fd77::1");
  private final FabricPeer b = new FabricPeer(fabric, "10.0.0.2", "fd77::2");
  private final FabricPeer c = new FabricPeer(fabric, "10.0.0.3", "fd77::3");

  @ParameterizedTest
  @ValueSource(strings = {"239.1.2.3", "ff0e::77"})
  void membersReceiveCopiesTheSenderToo(String text) {
    Gid group = Gid.parse(text);
    a.join(group);
    b.join(group);
    a.send(group, 5, 3, 200);
    FabricTest.drain(fabric);
    for (FabricPeer peer : List.of(a, b)) {
      assertEquals(List.of(5, 6, 7), peer.numbers());
      for (FabricPeer.Arrival arrival : peer.arrivals) {
        assertEquals(group, arrival.local());
        assertEquals(IcrcVerdict.RIGHT, arrival.icrc());
        assertTrue(a.port.addresses().contains(arrival.source()));
      }
    }
    assertEquals(List.of(), c.arrivals);
    assertEquals(0, fabric.inFlight());
  }

  @Test
  void everyJoinNeedsItsLeave() {
    Gid group = Gid.parse("239.1.2.3");
    b.join(group);
    b.join(group);
    a.send(group, 0, 1, 100);
    FabricTest.drain(fabric);
    assertEquals(List.of(0), b.numbers(), "one copy, however often it joined");
    b.leave(group);
    a.send(group, 1, 1, 100);
    FabricTest.drain(fabric);
    assertEquals(List.of(0, 1), b.numbers());
    a.send(group, 2, 1, 100);
    b.leave(group);
    FabricTest.drain(fabric);
    assertEquals(List.of(0, 1), b.numbers(), "left while it was under way");
    assertRefused(() -> b.leave(group));
  }

  @Test
  void aLeaveDoesNotTouchTheJoinsOfOthers() {
    Gid group = Gid.parse("239.1.2.3");
    a.join(group);
    b.join(group);
    b.join(group);
    a.leave(group);
    b.leave(group);
    c.send(group, 0, 1, 100);
    FabricTest.drain(fabric);
    assertEquals(List.of(0), b.numbers(), "it has joined once more");
    assertEquals(List.of(), a.arrivals);
  }

  /** Groups that differ in the first or in the last bytes of their addresses. */
  @Test
  void aGroupIsNotAnother() {
    List<Gid> groups = Stream.of("ff0e::77", "ff0e::78", "ff0f::77").map(Gid::parse).toList();
    b.join(groups.get(0));
    c.join(groups.get(1));
    a.join(groups.get(2));
    for (int i = 0; i < groups.size(); i++) {
      a.send(groups.get(i), i, 1, 100);
    }
    FabricTest.drain(fabric);
    assertEquals(List.of(0), b.numbers());
    assertEquals(List.of(1), c.numbers());
    assertEquals(List.of(2), a.numbers());
  }

  @Test
  void aMemberThatLeftReceivesNothingThoughOthersStay() {
    Gid group = Gid.parse("239.1.2.3");
    b.join(group);
    c.join(group);
    a.send(group, 0, 1, 100);
    b.leave(group);
    FabricTest.drain(fabric);
    assertEquals(List.of(), b.numbers());
    assertEquals(List.of(0), c.numbers());
    assertEquals(1, fabric.counts().dropped(DropReason.UNREACHABLE));
  }

  /** The memory holds one datagram of this size: the last member's is the original. */
  @Test
  void aCopyThatHasNoMemoryIsCountedAsDropped() {
    List<String> dropped = new ArrayList<>();
    try (Fabric small = new Fabric(FabricOptions.of(1).withMemoryBytes(66_000))) {
      small.tap(
          new FabricObserver() {
            @Override
            public void dropped(long nowNs, FabricDatagram datagram, DropReason reason) {
              dropped.add(reason + " " + datagram.length() + " " + datagram.destination());
            }
          });
      Gid group = Gid.parse("239.1.2.3");
      FabricPeer first = new FabricPeer(small, "10.0.0.1");
      FabricPeer second = new FabricPeer(small, "10.0.0.2");
      first.join(group);
      second.join(group);
      first.send(group, 0, 1, 60_000);
      FabricTest.drain(small);
      assertEquals(List.of(), first.numbers());
      assertEquals(List.of(0), second.numbers());
      assertEquals(List.of("MEMORY_FULL 60000 " + group), dropped);
      assertEquals(2, small.counts().carried());
      assertEquals(0, small.inFlight());
    }
  }

  @Test
  void aClosedPortTakesNoJoinOfAnotherAlong() {
    Gid group = Gid.parse("239.1.2.3");
    b.join(group);
    c.join(group);
    c.join(group);
    b.close();
    c.leave(group);
    a.send(group, 0, 1, 100);
    FabricTest.drain(fabric);
    assertEquals(List.of(0), c.numbers(), "it has joined twice and left once");
  }

  @Test
  void aClosedPortLeavesItsGroups() {
    Gid group = Gid.parse("239.1.2.3");
    b.join(group);
    b.close();
    b.leave(group);
    FabricPeer again = new FabricPeer(fabric, "10.0.0.2");
    a.send(group, 0, 1, 100);
    FabricTest.drain(fabric);
    assertEquals(List.of(), again.arrivals);
    assertEquals(1, fabric.counts().dropped(DropReason.UNREACHABLE));
  }

  @Test
  void onlyGroupsOfAnIpVersionThatItSpeaksCanBeJoined() {
    FabricPeer d = new FabricPeer(fabric, "10.0.0.4");
    Gid group = Gid.parse("ff0e::77");
    assertRefused(() -> d.join(group));
    assertRefused(() -> d.port.join(b.gid(), d.gid()));
  }

  @Test
  void eachCopyTravelsOverItsOwnLink() {
    Gid group = Gid.parse("239.1.2.3");
    b.join(group);
    c.join(group);
    fabric.link(a.gid(), b.gid()).model(LinkModel.PERFECT.withLoss(1));
    fabric.link(a.gid(), c.gid()).model(LinkModel.PERFECT.withDelayNs(33));
    a.send(group, 0, 1, 100);
    FabricTest.drain(fabric);
    assertEquals(List.of(), b.arrivals);
    assertEquals(List.of(33L), c.times());
  }

  private static void assertRefused(Runnable call) {
    refused(Errno.EINVAL, call::run);
  }
}
