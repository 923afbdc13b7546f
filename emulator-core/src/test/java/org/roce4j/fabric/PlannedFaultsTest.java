package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.port.fault.FaultLog;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.Gid;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Opcode;

class PlannedFaultsTest {
  @AutoClose private final Fabric fabric = new Fabric(FabricOptions.of(1));
  private final FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
  private final FabricPeer b = new FabricPeer(fabric, "10.0.0.2");

  private List<Integer> tenUnder(String plan, Gid end) {
    fabric.faults(FaultPlan.parse(plan), end);
    a.send(b.gid(), 0, 10, 100);
    FabricTest.drain(fabric);
    return b.numbers();
  }

  @Test
  void rulesChooseByHeaderAndCount() {
    assertEquals(
        List.of(0, 1, 2, 4, 5, 5, 6, 7, 8, 9), tenUnder("drop psn=3; duplicate nth=6", null));
  }

  @Test
  void delaysPassInVirtualTime() {
    assertEquals(List.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 0), tenUnder("delay=5ms nth=1", null));
    assertEquals(5_002_000, fabric.nowNs());
  }

  @Test
  void aLatencyIsAddedToThatOfTheLink() {
    tenUnder("latency=5ms nth=1", null);
    assertEquals(5_002_000, fabric.nowNs());
  }

  @Test
  void corruptionIsFoundByTheReceiver() {
    tenUnder("corrupt-icrc nth=2; corrupt-payload=4 nth=4", null);
    assertEquals(2, b.arrivals.stream().filter(x -> !x.icrc().acceptable()).count());
  }

  /** The PSN is in the header; a datagram's number is its PSN. */
  @Test
  void aHeaderIsChangedWhereItIs() {
    assertNotEquals(0, tenUnder("corrupt-header=100 nth=1", null).getFirst());
  }

  /** Its memory held a whole datagram before. */
  @Test
  void aFragmentOfAHeaderHasNoPsn() {
    fabric.faults(FaultPlan.parse("drop psn=5"), null);
    a.send(b.gid(), 5, 1, 100);
    a.send(b.gid(), 5, 1, 11);
    FabricTest.drain(fabric);
    assertEquals(List.of(11), b.arrivals.stream().map(FabricPeer.Arrival::length).toList());
  }

  @ParameterizedTest
  @ValueSource(strings = {"out", "in"})
  void directionsAreThoseOfTheEnd(String direction) {
    Gid end = direction.equals("out") ? a.gid() : b.gid();
    assertEquals(List.of(), tenUnder("drop direction=" + direction, end));
  }

  @Test
  void whatDoesNotTouchTheEndIsLeftAlone() {
    assertEquals(10, tenUnder("drop", Gid.parse("10.0.0.3")).size());
  }

  @Test
  void whatIsHealedHasNoPlanLeft() {
    fabric.impose(FaultPlan.parse("drop"), List.of(a.gid()), new FaultLog());
    assertEquals(List.of(), tenUnder("drop", null));
    fabric.heal();
    a.send(b.gid(), 0, 10, 100);
    FabricTest.drain(fabric);
    assertEquals(10, b.arrivals.size());
  }

  /** A datagram that the imposed plan loses counts for the program's own rules too. */
  @Test
  void anImposedPlanAppliesBesideTheProgramsOwn() {
    FaultLog log = new FaultLog();
    fabric.impose(FaultPlan.parse("drop nth=1"), List.of(a.gid()), log);
    assertEquals(List.of(2, 3, 4, 5, 6, 7, 8, 9), tenUnder("drop nth=2", null));
    assertEquals(1, log.report().hits().size());
  }

  /** Nobody has sent yet, so that the links are made after the cure. */
  @Test
  void linksOfAHealedFabricHaveNoFaultsEither() {
    FabricOptions lossy = FabricOptions.of(1).withLink(LinkModel.parse("loss=1 delay=9us"));
    try (Fabric healed = new Fabric(lossy)) {
      FabricPeer from = new FabricPeer(healed, "10.0.0.1");
      FabricPeer to = new FabricPeer(healed, "10.0.0.2");
      healed.heal();
      from.send(to.gid(), 0, 10, 100);
      FabricTest.drain(healed);
      assertEquals(10, to.arrivals.size());
      assertEquals(9_000, healed.nowNs());
    }
  }

  @Test
  void whatIsReorderedIsOvertakenBySoManyOrWaitsForItsTime() {
    assertEquals(List.of(1, 2, 3, 0, 4, 5, 6, 7, 8, 9), tenUnder("reorder=3 nth=1", null));
    assertEquals(2_000, fabric.nowNs());
  }

  @Test
  void whatNobodyOvertakesGoesOnInTime() {
    assertEquals(
        List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9), tenUnder("reorder=3 within=1ms nth=10", null));
    assertEquals(1_002_000, fabric.nowNs());
  }

  @Test
  void aRouterMarksAndCutsShort() {
    tenUnder("mark-ecn nth=2; truncate=20 nth=3; truncate=1000 nth=4", null);
    assertEquals(3, b.arrivals.get(1).trafficClass() & 3);
    assertEquals(80, b.arrivals.get(2).length());
    assertEquals(4, b.arrivals.get(3).length());
    assertEquals(2, b.arrivals.stream().filter(x -> !x.icrc().acceptable()).count());
  }

  /** It has no queue pair to which a forged packet could go. */
  @Test
  void inFrontOfADatagramWithoutHeaderNothingIsForged() {
    fabric.faults(FaultPlan.parse("forge-ack"), null);
    a.send(b.gid(), 0, 1, 11);
    fabric
        .underWay()
        .strike(fabric.underWay().datagrams().getFirst(), FaultAction.of(Kind.FORGE_CNP));
    FabricTest.drain(fabric);
    assertEquals(List.of(11), b.arrivals.stream().map(FabricPeer.Arrival::length).toList());
  }

  @Test
  void inFrontOfAHeaderAloneOneIsForged() {
    fabric.faults(FaultPlan.parse("forge-ack"), null);
    a.send(b.gid(), 0, 1, 12);
    FabricTest.drain(fabric);
    assertEquals(List.of(20, 12), b.arrivals.stream().map(FabricPeer.Arrival::length).toList());
  }

  /** Its memory held a whole ACK before, with a number of messages. */
  @Test
  void anAckWithoutItsOwnHeaderIsForgedWithNoNumber() {
    FabricPort receiver = fabric.attach(List.of(Gid.parse("10.0.0.3")));
    Path path = a.path(receiver.addresses().getFirst());
    fabric.faults(FaultPlan.parse("forge-ack"), null);
    List<Integer> numbers = new ArrayList<>();
    for (int length : new int[] {20, 12}) {
      Transmit train = new Transmit(ByteBuffer.allocateDirect(64), 1);
      int at = train.claim(path, 0, length);
      train.buffer().putInt(at, Opcode.RC_ACKNOWLEDGE.code() << 24);
      if (length > 12) {
        Aeth.put(train.buffer(), at + 12, Aeth.ACK, 7);
      }
      train.commit(length);
      a.port.send(train);
      FabricTest.drain(fabric);
      receiver.receive(in -> numbers.add(Aeth.msn(in.buffer(), in.at() + 12)), 1);
      receiver.receive(_ -> {}, 1);
    }
    assertEquals(List.of(7, 0), numbers);
  }

  @Test
  void whatAFilterTakesIsLostByNoRule() {
    List<String> told = new ArrayList<>();
    fabric.tap(
        new FabricObserver() {
          @Override
          public void dropped(long nowNs, FabricDatagram datagram, DropReason reason) {
            told.add(FateText.dropped(datagram, reason));
          }
        });
    fabric.filter((_, _, _, _, _, n) -> n == 2 ? FabricFilter.DROP : FabricFilter.PASS);
    assertEquals(8, tenUnder("drop nth=5", null).size());
    assertEquals(List.of("lost", "lost by rule 1 (drop nth=5)"), told);
  }

  @Test
  void whatALinkDoesIsDoneByNoRule() {
    List<String> told = new ArrayList<>();
    fabric.tap(
        new FabricObserver() {
          @Override
          public void duplicated(long nowNs, FabricDatagram original, FabricDatagram copy) {
            told.add(FateText.duplicated(original));
          }

          @Override
          public void delayed(long nowNs, FabricDatagram datagram, long delayNs) {
            told.add(FateText.delayed(datagram, delayNs));
          }
        });
    fabric.link(a.gid(), b.gid()).model(LinkModel.parse("duplicate=1 reorder=1 reorder-delay=1ns"));
    a.send(b.gid(), 0, 1, 100);
    assertEquals(List.of("duplicated", "held back for 1ns"), told);
  }

  /** Also that of a copy. */
  @Test
  void damageIsToldWithItsRules() {
    List<String> told = new ArrayList<>();
    fabric.tap(
        new FabricObserver() {
          @Override
          public void corrupted(long nowNs, FabricDatagram datagram, int bits) {
            told.add(FateText.corrupted(datagram, bits));
          }
        });
    tenUnder("duplicate nth=1; corrupt-icrc nth=1", null);
    String text = "32 bits flipped by rule 2 (corrupt-icrc nth=1)";
    assertEquals(List.of(text, text), told);
  }

  @Test
  void allRulesThatChooseADatagramBefallIt() {
    assertEquals(
        List.of(0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9),
        tenUnder("duplicate nth=2; mark-ecn nth=2", null));
    assertEquals(3, b.arrivals.get(1).trafficClass() & 3);
    assertEquals(3, b.arrivals.get(2).trafficClass() & 3);
  }

  @Test
  void whatALinkDoesIsTheSameWhetherOptionsOrRulesSayIt() {
    String options = "delay=5us jitter=3us bandwidth=2G queue=4KiB";
    assertEquals(
        "rate=2G queue=4KiB latency=5us jitter=3us",
        LinkModel.parse(options).rules().stream()
            .map(Object::toString)
            .collect(Collectors.joining(" ")));
  }
}
