package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.port.fault.FaultAction;

/** Each fault alone; its frequency over many datagrams stays within five standard deviations. */
class LinkFaultsTest {
  private static final int MANY = 20_000;

  @AutoClose private Fabric fabric;
  private FabricPeer a;
  private FabricPeer b;
  private List<Integer> lost;

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.1, 0.5})
  void lossIsAsFrequentAsAsked(double loss) {
    sendMany(LinkModel.PERFECT.withLoss(loss));
    assertFrequency(loss, fabric.counts().dropped(DropReason.LOSS));
    assertEquals(MANY - fabric.counts().dropped(), b.arrivals.size());
  }

  @Test
  void lossOfEverythingIsEverything() {
    sendMany(LinkModel.PERFECT.withLoss(1));
    assertEquals(List.of(), b.arrivals);
  }

  @Test
  void burstsAreAsFrequentAndAsLongAsAsked() {
    sendMany(LinkModel.PERFECT.withBurst(0.02, 0.25, 1));
    long lost = fabric.counts().dropped(DropReason.BURST);
    int bursts = 0;
    int previous = -1;
    for (int number : b.numbers()) {
      bursts += number > previous + 1 ? 1 : 0;
      previous = number;
    }
    // In the long run a share of enter / (enter + leave) is lost, in runs of 1 / leave.
    assertEquals(0.02 / 0.27, lost / (double) MANY, 0.015);
    assertEquals(4.0, lost / (double) bursts, 0.6);
  }

  @Test
  void duplicatesAreAsFrequentAsAskedAndArriveBehindTheirOriginals() {
    sendMany(LinkModel.PERFECT.withDuplicate(0.1).withReorder(0, 50_000));
    assertFrequency(0.1, fabric.counts().duplicated());
    assertEquals(MANY + fabric.counts().duplicated(), b.arrivals.size());
    Map<Integer, Long> first = new HashMap<>();
    int late = 0;
    for (FabricPeer.Arrival arrival : b.arrivals) {
      Long original = first.putIfAbsent(arrival.number(), arrival.atNs());
      if (original != null) {
        assertTrue(arrival.atNs() >= original && arrival.atNs() <= original + 50_000);
        late += arrival.atNs() > original ? 1 : 0;
      }
    }
    assertTrue(late > 0.9 * fabric.counts().duplicated(), late + " are later");
    assertEquals(MANY, first.size());
  }

  @Test
  void reorderedOnesAreAsFrequentAsAskedAndOvertaken() {
    sendMany(LinkModel.PERFECT.withBandwidth(10_000_000_000L).withReorder(0.05, 20_000));
    assertFrequency(0.05, fabric.counts().reordered());
    assertEquals(MANY, b.arrivals.size());
    int overtaken = 0;
    int highest = -1;
    for (int number : b.numbers()) {
      overtaken += number < highest ? 1 : 0;
      highest = Math.max(highest, number);
    }
    assertTrue(overtaken > 0.8 * fabric.counts().reordered(), overtaken + " overtaken");
    assertTrue(overtaken <= fabric.counts().reordered(), overtaken + " overtaken");
  }

  /** Compares each corrupted datagram with the one sent. */
  private static final class Damage implements FabricObserver {
    final Set<Integer> damaged = new HashSet<>();

    /** Datagrams whose only flipped bits are in the byte that the ICRC does not cover. */
    final Set<Integer> invisible = new HashSet<>();

    private final Map<Integer, byte[]> sealed = new HashMap<>();
    private int number;

    @Override
    public void sent(long nowNs, FabricDatagram datagram) {
      number = datagram.buffer().getInt(datagram.at() + 8);
      sealed.put(number, bytes(datagram));
    }

    @Override
    public void corrupted(long nowNs, FabricDatagram datagram, int bits) {
      assertTrue(bits >= 1 && bits <= 3);
      byte[] before = sealed.get(number);
      byte[] after = bytes(datagram);
      int flipped = 0;
      for (int i = 0; i < before.length; i++) {
        flipped += Integer.bitCount((before[i] ^ after[i]) & 0xFF);
      }
      assertEquals(bits, flipped);
      damaged.add(number);
      after[4] = before[4];
      if (Arrays.equals(before, after)) {
        invisible.add(number);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void corruptionIsAsFrequentAsAskedAndFound(boolean icrc) {
    Damage damage = new Damage();
    open(FabricOptions.of(3).withIcrc(icrc), LinkModel.PERFECT.withCorrupt(0.1, 3));
    fabric.tap(damage);
    a.send(b.gid(), 0, MANY, 104, 1);
    FabricTest.drain(fabric);

    assertFrequency(0.1, damage.damaged.size());
    assertEquals(MANY, b.arrivals.size());
    IcrcVerdict good = icrc ? IcrcVerdict.RIGHT : IcrcVerdict.UNCHECKED;
    // The ICRC does not cover the byte of FECN and BECN, on any network.
    int wrong = damage.damaged.size() - (icrc ? damage.invisible.size() : 0);
    assertEquals(wrong, b.arrivals.stream().filter(x -> x.icrc() == IcrcVerdict.WRONG).count());
    assertEquals(MANY - wrong, b.arrivals.stream().filter(x -> x.icrc() == good).count());
    assertEquals(wrong, b.port.counters().get(Counter.ICRC_ERROR));
  }

  @Test
  void eachCopyOfADuplicateIsCorruptedByItself() {
    sendMany(LinkModel.PERFECT.withDuplicate(1).withCorrupt(0.5, 1));
    assertFrequency(1, fabric.counts().duplicated());
    assertEquals(0.5, fabric.counts().corrupted() / (2.0 * MANY), 0.02);
  }

  @Test
  void anotherFaultDoesNotChangeWhatIsLost() {
    sendMany(LinkModel.PERFECT.withLoss(0.1));
    List<Integer> alone = List.copyOf(lost);
    fabric.close();
    sendMany(
        LinkModel.PERFECT
            .withLoss(0.1)
            .withBandwidth(100_000_000_000L)
            .withReorder(0.2, 9_000)
            .withJitterNs(100)
            .withCorrupt(0.2, 9));
    assertEquals(alone, lost);
  }

  @Test
  void anotherLinkDoesNotChangeWhatIsLost() {
    sendMany(LinkModel.PERFECT.withLoss(0.1));
    List<Integer> alone = List.copyOf(b.numbers());
    fabric.close();
    open(FabricOptions.of(3), LinkModel.PERFECT.withLoss(0.1));
    FabricPeer c = new FabricPeer(fabric, "10.0.0.3");
    for (int i = 0; i < MANY; i += 100) {
      c.send(b.gid(), -1, 1, 100);
      c.send(a.gid(), -1, 1, 100);
      b.send(a.gid(), -1, 1, 100);
      a.send(b.gid(), i, 100, 104, 1);
    }
    FabricTest.drain(fabric);
    assertEquals(
        alone,
        b.arrivals.stream()
            .filter(x -> x.source().equals(a.gid()))
            .map(FabricPeer.Arrival::number)
            .toList());
    assertNotEquals(alone.size(), MANY);
  }

  /** Also if their addresses differ in one half only. */
  @Test
  void eachLinkDrawsFromItsOwnStream() {
    open(FabricOptions.of(3), LinkModel.PERFECT.withLoss(0.5));
    FabricPeer hub = new FabricPeer(fabric, "fd00::9");
    List<FabricPeer> others = new ArrayList<>();
    for (String address : List.of("fd01::1", "fd01::2", "fd02::1")) {
      others.add(new FabricPeer(fabric, address));
    }
    Set<List<Integer>> arrived = new HashSet<>();
    for (FabricPeer other : others) {
      hub.send(other.gid(), 0, 200, 100, 1);
      other.send(hub.gid(), 0, 200, 100, 1);
      FabricTest.drain(fabric);
      arrived.add(other.numbers());
      arrived.add(List.copyOf(hub.numbers()));
      hub.arrivals.clear();
    }
    assertEquals(6, arrived.size());
  }

  @Test
  void bothDirectionsDrawFromDifferentStreams() {
    open(FabricOptions.of(3), LinkModel.PERFECT.withLoss(0.5));
    a.send(b.gid(), 0, 200, 100, 1);
    b.send(a.gid(), 0, 200, 100, 1);
    FabricTest.drain(fabric);
    assertNotEquals(a.numbers(), b.numbers());
  }

  @Test
  void afterHealingEverythingArrivesOnceInOrder() {
    LinkModel storm =
        LinkModel.PERFECT
            .withJitterNs(3_000)
            .withBandwidth(1_000_000_000)
            .withQueueBytes(5_000)
            .withLoss(0.3)
            .withBurst(0.1, 0.1, 1)
            .withDuplicate(0.3)
            .withReorder(0.3, 10_000)
            .withCorrupt(0.3, 5);
    open(FabricOptions.of(9), storm);
    fabric.filter((from, to, buffer, at, length, n) -> FabricFilter.DROP);
    FabricPeer c = new FabricPeer(fabric, "10.0.0.3");
    fabric.partition(a.port, c.port);
    a.send(b.gid(), 0, 100, 1_000);
    FabricTest.drain(fabric);
    assertEquals(List.of(), b.arrivals);

    fabric.heal();
    a.send(b.gid(), 0, 500, 1_000);
    a.send(c.gid(), 0, 500, 1_000);
    FabricTest.drain(fabric);
    for (FabricPeer peer : List.of(b, c)) {
      assertEquals(FabricTest.range(500), peer.numbers());
      assertTrue(peer.arrivals.stream().allMatch(x -> x.icrc() == IcrcVerdict.RIGHT));
    }
    assertEquals(1_000_000_000, fabric.link(a.gid(), c.gid()).model().bandwidth());
  }

  @Test
  void healingEndsABurst() {
    open(FabricOptions.of(1), LinkModel.PERFECT.withBurst(1, 0, 1));
    a.send(b.gid(), 0, 10, 100);
    FabricTest.drain(fabric);
    assertEquals(10, fabric.counts().dropped(DropReason.BURST));
    fabric.heal();
    a.send(b.gid(), 10, 50, 100);
    FabricTest.drain(fabric);
    assertEquals(50, b.arrivals.size());
  }

  @Test
  void aFilterDecidesAboutSingleDatagrams() {
    open(FabricOptions.of(0), LinkModel.PERFECT);
    fabric.filter(
        (from, to, buffer, at, length, n) -> {
          assertEquals(a.gid(), from);
          assertEquals(b.gid(), to);
          assertEquals(n - 1, buffer.getInt(at + 8));
          assertEquals(100, length);
          return switch ((int) n) {
            case 2 -> FabricFilter.DROP;
            case 4 -> List.of(FaultAction.DUPLICATE);
            case 5 -> List.of(FaultAction.of(FaultAction.Kind.CORRUPT, 1));
            case 6 -> List.of(FaultAction.delay(700));
            default -> FabricFilter.PASS;
          };
        });
    a.send(b.gid(), 0, 8, 100);
    FabricTest.drain(fabric);
    assertEquals(1, fabric.counts().dropped(DropReason.FILTERED));
    List<Integer> intact =
        b.arrivals.stream()
            .filter(x -> x.icrc() == IcrcVerdict.RIGHT)
            .map(FabricPeer.Arrival::number)
            .toList();
    assertEquals(List.of(0, 2, 3, 3, 6, 7, 5), intact);
    assertEquals(8, b.arrivals.size());
    assertEquals(2_700, b.arrivals.getLast().atNs());
  }

  @Test
  void aPausedLinkHoldsBackAndResumesInOrder() {
    open(FabricOptions.of(0), LinkModel.PERFECT);
    FabricLink link = fabric.link(a.gid(), b.gid());
    link.pause();
    a.send(b.gid(), 0, 10, 100);
    FabricTest.drain(fabric);
    assertEquals(List.of(), b.arrivals);
    fabric.run(1_000_000);
    link.resume();
    a.send(b.gid(), 10, 2, 100);
    FabricTest.drain(fabric);
    assertEquals(FabricTest.range(12), b.numbers());
    assertEquals(1_002_000, b.arrivals.getFirst().atNs());
  }

  @Test
  void aPausedLinkGoesOnWhenTheNetworkIsHealed() {
    open(FabricOptions.of(0), LinkModel.PERFECT);
    FabricLink link = fabric.link(a.gid(), b.gid());
    link.pause();
    a.send(b.gid(), 0, 3, 100);
    assertTrue(link.toString().endsWith(" paused"), link::toString);
    fabric.heal();
    a.send(b.gid(), 3, 1, 100);
    FabricTest.drain(fabric);
    assertEquals(FabricTest.range(4), b.numbers());
    assertFalse(link.toString().endsWith(" paused"), link::toString);
  }

  @Test
  void aLinkThatIsDownLosesWhatIsSentAndWhatIsUnderWay() {
    open(FabricOptions.of(0), LinkModel.PERFECT);
    FabricLink link = fabric.link(a.gid(), b.gid());
    a.send(b.gid(), 0, 1, 100);
    link.down();
    assertFalse(link.isUp());
    a.send(b.gid(), 1, 1, 100);
    b.send(a.gid(), 7, 1, 100);
    FabricTest.drain(fabric);
    assertEquals(List.of(), b.arrivals);
    assertEquals(List.of(7), a.numbers());
    assertEquals(2, link.counts().dropped(DropReason.LINK_DOWN));
    link.up();
    a.send(b.gid(), 2, 1, 100);
    FabricTest.drain(fabric);
    assertEquals(List.of(2), b.numbers());
  }

  @Test
  void aPartitionSeparatesTwoPortsBothWaysAndNoOthers() {
    open(FabricOptions.of(0), LinkModel.PERFECT);
    FabricPeer c = new FabricPeer(fabric, "10.0.0.3", "fd77::3");
    FabricPeer d = new FabricPeer(fabric, "10.0.0.4", "fd77::4");
    fabric.partition(c.port, d.port);
    c.send(d.port.addresses().get(0), 0, 1, 100);
    c.send(d.port.addresses().get(1), 0, 1, 100);
    d.send(c.port.addresses().get(0), 0, 1, 100);
    d.send(c.port.addresses().get(1), 0, 1, 100);
    c.send(a.gid(), 0, 1, 100);
    FabricTest.drain(fabric);
    assertEquals(4, fabric.counts().dropped(DropReason.LINK_DOWN));
    assertEquals(1, a.arrivals.size());
    fabric.rejoin(c.port, d.port);
    d.send(c.port.addresses().get(1), 0, 1, 100);
    FabricTest.drain(fabric);
    assertEquals(1, c.arrivals.size());
  }

  /** Whether ICRCs are computed, or damage is only remembered. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aCopyIsAsDamagedAsItsOriginal(boolean icrc) {
    open(FabricOptions.of(0).withIcrc(icrc), LinkModel.PERFECT);
    fabric.filter(
        (from, to, buffer, at, length, n) ->
            List.of(FaultAction.truncate(4), FaultAction.DUPLICATE));
    a.send(b.gid(), 0, 1, 100);
    FabricTest.drain(fabric);
    IcrcVerdict wrong = IcrcVerdict.WRONG;
    assertEquals(List.of(wrong, wrong), b.arrivals.stream().map(FabricPeer.Arrival::icrc).toList());
  }

  /** The memory holds one datagram of this size, which arrives by itself. */
  @Test
  void aCopyThatHasNoMemoryIsNotMade() {
    open(FabricOptions.of(0).withMemoryBytes(66_000), LinkModel.PERFECT);
    fabric.filter((from, to, buffer, at, length, n) -> List.of(FaultAction.DUPLICATE));
    a.send(b.gid(), 3, 1, 60_000);
    FabricTest.drain(fabric);
    assertEquals(List.of(3), b.numbers());
    assertEquals(0, fabric.counts().duplicated());
    assertEquals(0, fabric.inFlight());
  }

  @Test
  void whatIsOlderThanAQuarterOfThePsnsExpires() {
    open(FabricOptions.of(0).withIcrc(false), LinkModel.PERFECT);
    fabric.filter(
        (from, to, buffer, at, length, n) ->
            n == 1 ? List.of(FaultAction.delay(1_000_000)) : FabricFilter.PASS);
    a.send(b.gid(), 0, 1, 24);
    fabric.filter(null);
    fabric.link(b.gid(), a.gid()).down();
    for (long i = 0; i <= FabricLink.LIFETIME_DATAGRAMS; i += 1_024) {
      b.send(a.gid(), 0, 1_024, 24);
    }
    FabricTest.drain(fabric);
    assertEquals(List.of(), b.arrivals);
    assertEquals(1, fabric.counts().dropped(DropReason.EXPIRED));
    // A copy has the age of its original, even if its memory was never used before.
    fabric.filter((from, to, buffer, at, length, n) -> List.of(FaultAction.DUPLICATE));
    a.send(b.gid(), 7, 1, 1_000);
    FabricTest.drain(fabric);
    assertEquals(List.of(7, 7), b.numbers());
  }

  @ParameterizedTest
  @CsvSource({"0, 1", "1, 0"})
  void theLastOfAQuarterOfThePsnsDoesNotExpire(long beyond, int arrives) {
    open(FabricOptions.of(0), LinkModel.PERFECT);
    a.send(b.gid(), 0, 1, 24);
    fabric.link(a.gid(), b.gid()).exchange().datagrams += FabricLink.LIFETIME_DATAGRAMS + beyond;
    FabricTest.drain(fabric);
    assertEquals(arrives, b.arrivals.size());
  }

  @Test
  void aLinkTellsItsEndsAndThatItIsUp() {
    open(FabricOptions.of(0), LinkModel.PERFECT);
    FabricLink link = fabric.link(a.gid(), b.gid());
    assertEquals(a.gid(), link.from());
    assertEquals(b.gid(), link.to());
    assertTrue(link.isUp());
  }

  private void sendMany(LinkModel model) {
    open(FabricOptions.of(3), model);
    a.send(b.gid(), 0, MANY, 104, 1);
    FabricTest.drain(fabric);
    assertEquals(0, fabric.inFlight());
    assertEquals(
        fabric.counts().carried() + fabric.counts().duplicated(),
        fabric.counts().delivered() + fabric.counts().dropped());
    assertEquals(
        fabric.counts().toString(), fabric.link(a.gid(), b.gid()).counts().toString(), "one link");
  }

  private void open(FabricOptions options, LinkModel model) {
    fabric = new Fabric(options.withLink(model));
    a = new FabricPeer(fabric, "10.0.0.1");
    b = new FabricPeer(fabric, "10.0.0.2");
    List<Integer> numbers = new ArrayList<>();
    lost = numbers;
    fabric.tap(
        new FabricObserver() {
          @Override
          public void dropped(long nowNs, FabricDatagram datagram, DropReason reason) {
            numbers.add(datagram.buffer().getInt(datagram.at() + 8));
          }
        });
  }

  private static void assertFrequency(double probability, long count) {
    double deviation = Math.sqrt(MANY * probability * (1 - probability));
    assertEquals(MANY * probability, count, 5 * deviation);
  }

  private static byte[] bytes(FabricDatagram datagram) {
    byte[] bytes = new byte[datagram.length()];
    datagram.buffer().get(datagram.at(), bytes);
    return bytes;
  }
}
