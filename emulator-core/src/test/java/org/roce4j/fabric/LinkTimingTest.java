package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

/** When datagrams arrive, to the nanosecond. */
class LinkTimingTest {
  private static final int IP_AND_UDP = 28;

  @Property(tries = 50)
  void datagramsArriveBackToBackAtTheBandwidth(
      @ForAll @LongRange(min = 1_000_000, max = 400_000_000_000L) long bandwidth,
      @ForAll @IntRange(min = FabricPeer.LEAST, max = 4_200) int length,
      @ForAll @LongRange(min = 0, max = 100_000) long delayNs,
      @ForAll @IntRange(min = 1, max = 200) int count) {
    LinkModel model = LinkModel.PERFECT.withDelayNs(delayNs).withBandwidth(bandwidth);
    try (Fabric fabric = fabric(model)) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      a.send(b.gid(), 0, count, length);
      FabricTest.drain(fabric);
      for (int i = 0; i < count; i++) {
        long bits = (i + 1L) * (length + IP_AND_UDP) * 8;
        // Exact over the whole train: fractions of a nanosecond are carried, not rounded up.
        assertEquals(delayNs + bits * 1_000_000_000L / bandwidth, b.arrivals.get(i).atNs());
      }
    }
  }

  @Property(tries = 30)
  void jitterKeepsTheOrderAndItsBounds(
      @ForAll long seed,
      @ForAll @LongRange(min = 1, max = 1_000_000) long jitterNs,
      @ForAll @IntRange(min = 0, max = 2_000) int pauseNs) {
    LinkModel model = LinkModel.PERFECT.withDelayNs(5_000).withJitterNs(jitterNs);
    try (Fabric fabric = new Fabric(FabricOptions.of(seed).withLink(model))) {
      FabricPeer a = new FabricPeer(fabric, "fd77::1");
      FabricPeer b = new FabricPeer(fabric, "fd77::2");
      for (int i = 0; i < 100; i++) {
        a.send(b.gid(), i, 1, 100);
        fabric.run(pauseNs);
      }
      FabricTest.drain(fabric);
      assertEquals(FabricTest.range(100), b.numbers());
      for (FabricPeer.Arrival arrival : b.arrivals) {
        long travelledNs = arrival.atNs() - (long) arrival.number() * pauseNs;
        assertTrue(travelledNs >= 5_000 && travelledNs <= 5_000 + jitterNs, travelledNs + " ns");
      }
    }
  }

  @Test
  void jitterFillsItsRange() {
    LinkModel model = LinkModel.PERFECT.withDelayNs(0).withJitterNs(1_000);
    try (Fabric fabric = fabric(model)) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      for (int i = 0; i < 2_000; i++) {
        a.send(b.gid(), i, 1, 100);
        fabric.run(10_000);
      }
      double mean =
          b.arrivals.stream().mapToLong(x -> x.atNs() - x.number() * 10_000L).average().orElse(0);
      assertEquals(500, mean, 40);
    }
  }

  @Test
  void aFullQueueDropsItsTail() {
    // 100 + 28 bytes at 1 Mbit/s take 1.024 ms each; 512 bytes hold four of them.
    LinkModel model = LinkModel.PERFECT.withBandwidth(1_000_000).withQueueBytes(512);
    try (Fabric fabric = fabric(model)) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      a.send(b.gid(), 0, 10, 100);
      assertEquals(6, fabric.counts().dropped(DropReason.QUEUE_FULL));
      fabric.run(1_024_000);
      a.send(b.gid(), 10, 2, 100);
      FabricTest.drain(fabric);
      assertEquals(List.of(0, 1, 2, 3, 10), b.numbers());
      assertEquals(2_000 + 5 * 1_024_000, b.arrivals.getLast().atNs());
    }
  }

  @Test
  void anIdleLinkTakesWhateverComes() {
    LinkModel model = LinkModel.PERFECT.withBandwidth(1_000_000).withQueueBytes(1);
    try (Fabric fabric = fabric(model)) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      a.send(b.gid(), 0, 2, 97);
      fabric.run(125 * 8_000);
      a.send(b.gid(), 2, 2, 97);
      FabricTest.drain(fabric);
      assertEquals(List.of(0, 2), b.numbers(), "it is idle when the last bit has left");
    }
  }

  @Test
  void anIdleLinkOwesNoFractions() {
    // 100 + 28 bytes at 3 Gbit/s take 341.33 ns.
    try (Fabric fabric = fabric(LinkModel.PERFECT.withDelayNs(0).withBandwidth(3_000_000_000L))) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      for (int i = 0; i < 4; i++) {
        a.send(b.gid(), i, 1, 100);
        fabric.run(1_000);
      }
      assertEquals(List.of(341L, 1_341L, 2_341L, 3_341L), b.times());
    }
  }

  @Test
  void eachDirectionHasItsOwnModel() {
    try (Fabric fabric = fabric(LinkModel.PERFECT)) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      fabric.link(a.gid(), b.gid()).model(LinkModel.PERFECT.withDelayNs(70));
      a.send(b.gid(), 0, 1, 100);
      b.send(a.gid(), 0, 1, 100);
      FabricTest.drain(fabric);
      assertEquals(List.of(70L), b.times());
      assertEquals(List.of(2_000L), a.times());
    }
  }

  @Test
  void aShorterDelayDoesNotOvertake() {
    try (Fabric fabric = fabric(LinkModel.PERFECT.withDelayNs(9_000))) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      a.send(b.gid(), 0, 1, 100);
      fabric.link(a.gid(), b.gid()).model(LinkModel.PERFECT.withDelayNs(1));
      a.send(b.gid(), 1, 1, 100);
      FabricTest.drain(fabric);
      assertEquals(List.of(0, 1), b.numbers());
      assertEquals(List.of(9_000L, 9_000L), b.times());
    }
  }

  private static Fabric fabric(LinkModel model) {
    return new Fabric(FabricOptions.of(0).withLink(model));
  }
}
