package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.Gid;

/**
 * An object that served one datagram, port, capture or fault serves the next as if it were new, and
 * closed objects are forgotten.
 */
class FabricUsedAgainTest {
  private static final int MANY = 120_000;

  @TempDir private Path directory;
  @AutoClose private Fabric fabric = new Fabric(FabricOptions.of(1));
  private FabricPeer a;
  private FabricPeer b;

  private void open(FabricOptions options) {
    fabric.close();
    fabric = new Fabric(options);
    a = new FabricPeer(fabric, "10.0.0.1");
    b = new FabricPeer(fabric, "10.0.0.2");
    FabricTest.drain(fabric);
  }

  /** Whether ICRCs are computed, or damage is only remembered. */
  @ParameterizedTest
  @CsvSource({
    "true, truncate", "true, corrupt-icrc", "true, corrupt", "true, mark-ecn",
    "false, truncate", "false, corrupt-icrc", "false, corrupt", "false, mark-ecn",
  })
  void aDatagramIsWholeWhateverItsPlaceHeldBefore(boolean icrc, String rule) {
    open(FabricOptions.of(1).withIcrc(icrc));
    fabric.faults(FaultPlan.parse(rule + " times=100"), null);
    for (int i = 0; i < 300; i += 50) {
      a.send(b.gid(), i, 50, 100);
      FabricTest.drain(fabric);
    }
    assertEquals(300, b.arrivals.size());
    boolean marks = rule.equals("mark-ecn");
    for (int i = 0; i < 300; i++) {
      FabricPeer.Arrival arrival = b.arrivals.get(i);
      assertEquals(i >= 100 || marks, arrival.icrc().acceptable(), "datagram " + i);
      assertEquals(i < 100 && marks ? 0x63 : 0x62, arrival.trafficClass());
      assertEquals(i < 100 && rule.equals("truncate") ? 96 : 100, arrival.length());
    }
  }

  /** Two datagrams were late and cut; the packet that is forged next lies in memory of one. */
  @Test
  void aForgedPacketIsWholeWhateverItsPlaceHeldBefore() {
    open(FabricOptions.of(1));
    fabric.faults(FaultPlan.parse("delay=1ms times=2; truncate=64 times=2; forge-ack nth=3"), null);
    a.send(b.gid(), 0, 2, 100);
    FabricTest.drain(fabric);
    b.arrivals.clear();
    long sentNs = fabric.nowNs();
    a.send(b.gid(), 2, 1, 100);
    FabricTest.drain(fabric);
    assertEquals(List.of(sentNs + 2_000, sentNs + 2_000), b.times());
    assertTrue(b.arrivals.stream().allMatch(each -> each.icrc().acceptable()));
  }

  @Test
  void whatReachesNobodyIsOfNoLink() {
    open(FabricOptions.of(1));
    FabricCounts counts = fabric.link(a.gid(), b.gid()).counts();
    a.send(b.gid(), 0, 1, 100);
    FabricTest.drain(fabric);
    a.send(Gid.parse("10.0.0.77"), 0, 1, 100);
    assertEquals(1, counts.carried());
    assertEquals(0, counts.dropped());
    assertEquals(1, fabric.counts().dropped(DropReason.UNREACHABLE));
  }

  /** The sender itself asks for the wrong ICRC. */
  @ParameterizedTest
  @CsvSource({"true", "false"})
  void aSpoiledDatagramIsWrongAndTheNextInItsPlaceIsNot(boolean icrc) {
    open(FabricOptions.of(1).withIcrc(icrc));
    Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), 2);
    var path = a.path(b.gid());
    for (int i = 0; i < 2; i++) {
      NumberedDatagrams.addPacket(train, path, 100, 4, 17, i);
    }
    train.spoil(1);
    a.port.send(train);
    FabricTest.drain(fabric);
    a.send(b.gid(), 2, 2, 100);
    FabricTest.drain(fabric);
    assertEquals(
        List.of(true, false, true, true),
        b.arrivals.stream().map(each -> each.icrc().acceptable()).toList());
    assertEquals(1, b.port.counters().get(Counter.ICRC_ERROR));
  }

  @Test
  void aReceiveBufferThatWasReadTakesAsMuchAgain() {
    open(FabricOptions.of(1).withReceiveBufferBytes(1_000));
    for (int round = 1; round <= 3; round++) {
      a.send(b.gid(), 0, 12, 100);
      FabricTest.drain(fabric);
      assertEquals(10 * round, b.arrivals.size());
    }
  }

  /** The datagram was overtaken, or its time was up: in either case it arrives once, alone. */
  @ParameterizedTest
  @CsvSource({"1, 0", "3, 0", "9, 4000", "100, 4000"})
  void whatMayBeOvertakenArrivesOnce(int overtakenBy, long gapNs) {
    open(FabricOptions.of(1));
    fabric.faults(
        FaultPlan.parse("reorder=" + overtakenBy + " within=10us first=1 every=4 times=20"), null);
    for (int i = 0; i < 200; i++) {
      a.send(b.gid(), i, 1, i % 4 == 0 ? 100 : 1000); // memory of its size stays unused meanwhile
      fabric.run(gapNs);
    }
    FabricTest.drain(fabric);
    assertEquals(FabricTest.range(200), b.numbers().stream().sorted().toList());
    assertEquals(0, fabric.inFlight());
  }

  /**
   * Behind the overtaking datagram, unless that one arrives later than it would have arrived by
   * itself.
   */
  @ParameterizedTest
  @CsvSource({"3000, 5000", "20000, 12000"})
  void whatIsOvertakenIsNotLateForIt(long overtakerLaterNs, long arrivesNs) {
    open(FabricOptions.of(1));
    FaultAction reorder = FaultAction.of(FaultAction.Kind.REORDER, 1, 10_000);
    fabric.filter(
        (from, to, buffer, at, length, n) ->
            List.of(n == 1 ? reorder : FaultAction.delay(overtakerLaterNs)));
    a.send(b.gid(), 0, 2, 100);
    FabricTest.drain(fabric);
    FabricPeer.Arrival first =
        b.arrivals.stream().filter(each -> each.number() == 0).findAny().orElseThrow();
    assertEquals(arrivesNs, first.atNs());
  }

  @Test
  void aBurstBeforeHealingIsNoneAfterIt() {
    open(FabricOptions.of(1).withLink(LinkModel.PERFECT.withBurst(1, 0, 1)));
    a.send(b.gid(), 0, 10, 100);
    fabric.heal();
    FabricLink link = fabric.link(a.gid(), b.gid());
    link.model(LinkModel.PERFECT.withBurst(1e-12, 0, 1));
    a.send(b.gid(), 10, 50, 100);
    FabricTest.drain(fabric);
    assertEquals(50, b.arrivals.size());
  }

  @Test
  void healingEndsAPlanAndAFilter() {
    open(FabricOptions.of(1));
    fabric.faults(FaultPlan.parse("drop every=2"), null);
    fabric.filter((from, to, buffer, at, length, n) -> FabricFilter.DROP);
    a.send(b.gid(), 0, 10, 100);
    fabric.heal();
    a.send(b.gid(), 10, 10, 100);
    FabricTest.drain(fabric);
    assertEquals(10, b.arrivals.size());
  }

  /** Its datagrams are released, and its node has no more turns or deadlines. */
  @Test
  void aClosedPortIsForgotten() {
    open(FabricOptions.of(1));
    List<WeakReference<Object>> closed = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      FabricPeer peer = new FabricPeer(fabric, "10.0.0.3");
      a.send(peer.gid(), 0, 3, 100);
      FabricTest.drain(fabric);
      assertEquals(3, peer.arrivals.size());
      FabricPort unread = fabric.attach(List.of(Gid.parse("10.0.0.4")));
      a.send(unread.addresses().getFirst(), 0, 3, 100);
      FabricTest.drain(fabric);
      assertEquals(3, unread.waiting());
      unread.close();
      int turns = peer.turns;
      peer.deadlineNs = fabric.nowNs() + 1_000;
      peer.close();
      fabric.run(10_000);
      assertEquals(turns, peer.turns);
      assertEquals(0, fabric.inFlight());
      assertEquals(Long.MAX_VALUE, fabric.nextEventNs());
      closed.add(new WeakReference<>(peer.port));
      closed.add(new WeakReference<>(unread));
    }
    assertForgotten(closed);
  }

  @Test
  void aClosedCaptureIsForgotten() throws IOException {
    open(FabricOptions.of(1));
    List<WeakReference<Object>> closed = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      FabricCapture capture = fabric.capture(directory.resolve("again.pcapng"));
      a.send(b.gid(), 0, 3, 100);
      capture.close();
      closed.add(new WeakReference<>(capture));
    }
    FabricTest.drain(fabric);
    assertForgotten(closed);
  }

  /** Each address came with a port, sent, received, and left with the port. */
  @Test
  void anAddressThatNobodyHoldsIsForgottenInTheEnd() {
    open(FabricOptions.of(1));
    fabric.faults(FaultPlan.parse("duplicate every=2; drop every=3"), null);
    List<WeakReference<Object>> left = new ArrayList<>();
    for (int i = 0; i < 2 * AddressTable.REMEMBERED; i++) {
      FabricPeer peer = new FabricPeer(fabric, "10.1.%d.%d".formatted(i >> 8, i & 255));
      left.add(new WeakReference<>(peer.port.attached().getFirst()));
      left.add(new WeakReference<>(exchange(peer)));
      peer.close();
    }
    assertForgotten(left, 2 * AddressTable.REMEMBERED);
  }

  @Test
  void anAddressThatADeviceGaveUpIsForgottenInTheEnd() {
    open(FabricOptions.of(1));
    List<WeakReference<Object>> left = new ArrayList<>();
    for (int i = 0; i < 2 * AddressTable.REMEMBERED; i++) {
      Gid gid = Gid.parse("10.1.%d.%d".formatted(i >> 8, i & 255));
      a.port.add(gid);
      left.add(new WeakReference<>(a.port.attached().getLast()));
      a.port.remove(gid);
    }
    assertForgotten(left, AddressTable.REMEMBERED);
  }

  /** Those that left before it are forgotten first, also those that came after it. */
  @Test
  void anAddressThatCameBackIsRememberedFromItsLastEndOn() {
    open(FabricOptions.of(1));
    FabricPeer first = new FabricPeer(fabric, "10.0.0.3");
    Carrier link = exchange(first);
    first.close();
    for (int i = 1; i < AddressTable.REMEMBERED; i++) {
      new FabricPeer(fabric, "10.1.%d.%d".formatted(i >> 8, i & 255)).close();
    }
    new FabricPeer(fabric, "10.0.0.3").close();
    for (int i = 1; i < AddressTable.REMEMBERED; i++) {
      new FabricPeer(fabric, "10.2.%d.%d".formatted(i >> 8, i & 255)).close();
    }
    assertSame(link, exchange(new FabricPeer(fabric, "10.0.0.3")));
  }

  private Carrier exchange(FabricPeer peer) {
    a.send(peer.gid(), 0, 1, 100);
    peer.send(a.gid(), 0, 1, 100);
    Carrier[] last = {null};
    FabricObserver observer =
        new FabricObserver() {
          @Override
          public void delivered(long nowNs, FabricDatagram datagram) {
            last[0] = datagram.link;
          }
        };
    fabric.tap(observer);
    FabricTest.drain(fabric);
    fabric.untap(observer);
    return last[0];
  }

  /** A link that the program has asked for, and a link with a datagram under way. */
  @Test
  void aLinkInUseOutlivesItsAddressesHowManyOthersMayCome() {
    open(FabricOptions.of(1));
    Gid lossy = Gid.parse("10.0.0.3");
    Gid slow = Gid.parse("10.0.0.4");
    Gid mute = Gid.parse("10.0.0.5");
    fabric.link(a.gid(), lossy).model(LinkModel.PERFECT.withLoss(1));
    fabric.link(mute, a.gid()).model(LinkModel.PERFECT.withLoss(1));
    new FabricPeer(fabric, lossy.addressText()).close();
    new FabricPeer(fabric, mute.addressText()).close();
    FabricPeer gone = new FabricPeer(fabric, slow.addressText());
    FabricTest.drain(fabric);
    fabric.filter((from, to, buffer, at, length, n) -> List.of(FaultAction.delay(1_000_000_000)));
    a.send(slow, 7, 1, 100);
    gone.close();
    for (int i = 0; i < 2 * AddressTable.REMEMBERED; i++) {
      new FabricPeer(fabric, "10.1.%d.%d".formatted(i >> 8, i & 255)).close();
    }
    FabricPeer back = new FabricPeer(fabric, slow.addressText());
    FabricPeer unheard = new FabricPeer(fabric, lossy.addressText());
    a.send(lossy, 0, 10, 100);
    new FabricPeer(fabric, mute.addressText()).send(a.gid(), 0, 10, 100);
    FabricTest.drain(fabric);
    assertEquals(List.of(), a.numbers());
    assertEquals(List.of(7), back.numbers());
    assertEquals(List.of(), unheard.numbers());
  }

  private static void assertForgotten(List<WeakReference<Object>> closed) {
    assertForgotten(closed, 0);
  }

  private static void assertForgotten(List<WeakReference<Object>> closed, int remembered) {
    int most = remembered + 2;
    long end = System.nanoTime() + 10_000_000_000L;
    while (left(closed) > most && System.nanoTime() - end < 0) {
      System.gc();
    }
    assertTrue(left(closed) <= most, () -> left(closed) + " of " + closed.size() + " are held");
  }

  private static long left(List<WeakReference<Object>> references) {
    return references.stream().filter(each -> each.get() != null).count();
  }

  /** A node that makes no progress is distinguished from many nodes that do. */
  @Test
  void aLongRunGoesOn() {
    open(FabricOptions.of(1));
    for (int i = 0; i < MANY; i++) {
      a.send(b.gid(), i, 1, 24);
      fabric.step();
      fabric.step();
    }
    FabricTest.drain(fabric);
    assertEquals(MANY, b.arrivals.size());
  }

  /** Every node has its turn before one has its second. */
  @Test
  void nodesTakeTurns() {
    open(FabricOptions.of(1));
    List<String> turns = new ArrayList<>();
    for (int i = 3; i < 6; i++) {
      String name = "10.0.0." + i;
      FabricPort port = fabric.attach(List.of(Gid.parse(name)));
      fabric.register(
          new Node() {
            @Override
            public void run(long nowNs) {
              turns.add(name);
              port.wakeup();
            }

            @Override
            public long nextDeadlineNs() {
              return Long.MAX_VALUE;
            }
          },
          port);
    }
    for (int i = 0; i < 300; i++) {
      fabric.step();
    }
    for (int i = 0; i < 300; i++) {
      assertEquals("10.0.0." + (3 + i % 3), turns.get(i));
    }
  }

  @Test
  void itIsIdleOnlyWhenADeadlineIsNext() {
    open(FabricOptions.of(1));
    assertEquals(Long.MAX_VALUE, fabric.nextEventNs());
    a.deadlineNs = 50_000;
    assertTrue(fabric.isIdle());
    a.send(b.gid(), 0, 1, 100);
    assertFalse(fabric.isIdle(), "it arrives before");
    a.deadlineNs = 1_000;
    assertTrue(fabric.isIdle(), "the deadline comes before");
    a.port.wakeup();
    assertFalse(fabric.isIdle(), "a turn is due");
  }

  @Test
  void whoNamesNoSourcePortSendsFromThoseOfRoce() {
    open(FabricOptions.of(1));
    for (int hint : new int[] {0, 0xC000, 0xFFFF}) {
      a.sendFrom(hint, b.gid(), 0, 100);
      FabricTest.drain(fabric);
      assertEquals(hint == 0 ? 0xC000 : hint, b.sourcePort);
    }
  }
}
