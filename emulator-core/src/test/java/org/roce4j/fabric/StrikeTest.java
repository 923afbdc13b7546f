package org.roce4j.fabric;

import static java.util.stream.Collectors.joining;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultPlan;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** Datagrams under way are listed, and get faults one by one. */
class StrikeTest {
  @Test
  void thoseUnderWayAreListedAsTheyArrive() {
    try (Fabric fabric = new Fabric(FabricOptions.parse("seed=1 bandwidth=1G"))) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      drain(fabric);
      a.send(b.gid(), 0, 3, 100);
      List<FabricDatagram> underWay = fabric.underWay().datagrams();
      assertEquals(3, underWay.size());
      assertTrue(underWay.get(0).arrivalNs() < underWay.get(1).arrivalNs());
      assertEquals(fabric.nextEventNs(), underWay.getFirst().arrivalNs());
      assertEquals(128, underWay.getFirst().packet().length());
      drain(fabric);
      assertEquals(List.of(), fabric.underWay().datagrams());
    }
  }

  @Test
  void oneIsLostOneLateOneTwiceOneDamaged() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      drain(fabric);
      a.send(b.gid(), 0, 4, 100);
      List<FabricDatagram> underWay = fabric.underWay().datagrams();
      fabric.underWay().strike(underWay.get(0), FaultAction.DROP);
      fabric.underWay().strike(underWay.get(1), FaultAction.delay(1_000_000));
      fabric.underWay().strike(underWay.get(2), FaultAction.DUPLICATE);
      fabric.underWay().strike(underWay.get(3), FaultAction.CORRUPT_ICRC);
      drain(fabric);

      assertEquals(List.of(2, 2, 3, 1), b.numbers());
      assertEquals(1_002_000, b.arrivals.getLast().atNs());
      assertEquals(IcrcVerdict.WRONG, b.arrivals.get(2).icrc());
      assertEquals(1, fabric.counts().dropped(DropReason.FILTERED));
      assertEquals(0, fabric.inFlight());
      VerbsException gone =
          refused(Errno.EINVAL, () -> fabric.underWay().strike(underWay.get(0), FaultAction.DROP));
      assertTrue(gone.getMessage().contains("not under way"), gone.getMessage());
    }
  }

  /** 128 bytes at a bit per microsecond. */
  @Test
  void aRateHoldsBackFromThePlannedArrivalOn() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      a.send(b.gid(), 0, 1, 100);
      FabricDatagram sent = fabric.underWay().datagrams().getFirst();
      fabric.underWay().strike(sent, new FaultAction(FaultAction.Kind.RATE, 1_000_000));
      drain(fabric);
      assertEquals(List.of(2_000L + 8 * 128_000), b.times());
    }
  }

  /** The forged packet arrives first, as if the same port had sent it. */
  @Test
  void anAnswerIsForgedInFrontOfOneUnderWay() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      drain(fabric);
      a.send(b.gid(), 0, 1, 100);
      FabricDatagram sent = fabric.underWay().datagrams().getFirst();
      fabric.underWay().strike(sent, FaultAction.of(FaultAction.Kind.FORGE_ACK));
      drain(fabric);
      assertEquals(List.of(2_000L, 2_000L), b.times());
      assertEquals(IcrcVerdict.RIGHT, b.arrivals.getFirst().icrc());
      assertEquals(100, b.arrivals.getLast().length());
      assertEquals(2, fabric.counts().carried());
      assertEquals(2, fabric.counts().delivered());
      assertEquals(a.gid(), b.arrivals.getFirst().source());
    }
  }

  @Test
  void oneUnderWayIsOvertakenByThoseSentLater() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      drain(fabric);
      a.send(b.gid(), 0, 2, 100);
      FabricDatagram first = fabric.underWay().datagrams().getFirst();
      fabric.underWay().strike(first, FaultAction.reorder(2));
      a.send(b.gid(), 2, 3, 100);
      drain(fabric);
      assertEquals(List.of(1, 2, 3, 0, 4), b.numbers());
      assertEquals(2_000, fabric.nowNs());
    }
  }

  /**
   * What was to be overtaken is delayed instead, or lost: others that pass do not bring it back.
   */
  @ParameterizedTest
  @CsvSource({"true, 1 2 0, 10502000", "false, 1 2, 2000"})
  void theLastOfTwoFaultsIsTheOneThatCounts(boolean delayed, String arrived, long endNs) {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      drain(fabric);
      a.send(b.gid(), 0, 1, 100);
      FabricDatagram first = fabric.underWay().datagrams().getFirst();
      fabric.underWay().strike(first, FaultAction.reorder(2));
      fabric.underWay().strike(first, delayed ? FaultAction.delay(500_000) : FaultAction.DROP);
      a.send(b.gid(), 1, 2, 100);
      drain(fabric);
      assertEquals(arrived, b.numbers().stream().map(String::valueOf).collect(joining(" ")));
      assertEquals(endNs, fabric.nowNs());
      assertEquals(0, fabric.inFlight());
    }
  }

  /** What happened to it on its way here happens only once. */
  @Test
  void whatALinkHasDoneIsNotDoneAgain() {
    try (Fabric fabric = new Fabric(FabricOptions.of(1))) {
      FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
      FabricPeer b = new FabricPeer(fabric, "10.0.0.2");
      drain(fabric);
      fabric.faults(FaultPlan.parse("duplicate; forge-ack; mark-ecn"), null);
      a.send(b.gid(), 0, 1, 100);
      FabricDatagram itself = fabric.underWay().datagrams().getLast();
      fabric.underWay().strike(itself, FaultAction.delay(500_000));
      drain(fabric);
      assertEquals(List.of(2_000L, 2_000L, 502_000L), b.times());
      assertEquals(1, fabric.counts().duplicated());
    }
  }

  private static void drain(Fabric fabric) {
    while (fabric.step()) {
      // Until nothing is left.
    }
  }
}
