package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/** The clock of a virtual network: its bounds, and the turns at one and the same time. */
class VirtualTimeTest {
  @AutoClose private final Fabric fabric = new Fabric(FabricOptions.of(1));
  private final FabricPeer a = new FabricPeer(fabric, "10.0.0.1");
  private final FabricPeer b = new FabricPeer(fabric, "10.0.0.2");

  /** An event at the end itself is within it. */
  @Test
  void timeEndsBehindItsBound() {
    FabricTest.drain(fabric);
    fabric.endOfTime(3_000_000_000L, Long.MAX_VALUE, () -> "a waits for b");
    a.deadlineNs = 3_000_000_000L;
    assertTrue(fabric.step());
    assertEquals(3_000_000_000L, fabric.nowNs());
    a.deadlineNs = 3_000_000_001L;
    VerbsException end = refused(Errno.ETIMEDOUT, fabric::step);
    assertTrue(end.remedy().contains(", 3 s, is used up: a waits for b"), end.remedy());
    assertEquals(3_000_000_000L, fabric.nowNs());
  }

  @Test
  void timeEndsBehindTheLastDatagramOfTheBound() {
    fabric.endOfTime(Long.MAX_VALUE, 3, () -> "a sends");
    a.send(b.gid(), 0, 3, 100);
    FabricTest.drain(fabric);
    assertEquals(List.of(0, 1, 2), b.numbers());
    a.send(b.gid(), 3, 1, 100);
    VerbsException end = refused(Errno.ETIMEDOUT, fabric::step);
    assertTrue(end.remedy().contains(", 3, are used up: a sends"), end.remedy());
  }

  @Test
  void anEventAtTheLimitHappens() {
    a.send(b.gid(), 0, 1, 100);
    fabric.runUntil(() -> false, 2_000);
    assertEquals(List.of(0), b.numbers());
    assertEquals(2_000, fabric.nowNs());
    assertFalse(fabric.runUntil(() -> false, 1_000));
    assertEquals(2_000, fabric.nowNs(), "time does not go back");
  }

  @Test
  void aDeadlineInThePastIsDueNow() {
    fabric.run(5_000);
    a.deadlineNs = 1_000;
    assertEquals(5_000, fabric.nextEventNs());
    assertTrue(fabric.step());
    assertEquals(5_000, fabric.nowNs());
    assertEquals(Long.MAX_VALUE, a.deadlineNs, "it had its turn");
  }

  /** Otherwise a node that never receives would have turns without end. */
  @Test
  void aNodeThatTakesNoneOfItsDatagramsHasNoFurtherTurn() {
    int[] turns = {0};
    FabricPort port = fabric.attach(List.of(Gid.parse("10.0.0.3")));
    fabric.register(
        new Node() {
          @Override
          public void run(long nowNs) {
            turns[0]++;
          }

          @Override
          public long nextDeadlineNs() {
            return Long.MAX_VALUE;
          }
        },
        port);
    FabricTest.drain(fabric);
    a.send(port.addresses().getFirst(), 0, 5, 100);
    FabricTest.drain(fabric);
    assertEquals(2, turns[0]);
    assertEquals(5, port.waiting());
  }

  /** More than the turns after which a node is taken to loop without end. */
  @Test
  void aClockThatMovesIsProgressHoweverManyDeadlinesCome() {
    FabricTest.drain(fabric);
    for (int i = 1; i <= 100_002; i++) {
      a.deadlineNs = i;
      assertTrue(fabric.step());
    }
    assertEquals(100_002, fabric.nowNs());
  }

  /** An arrival and a deadline at the same time: the deadline does not make the network idle. */
  @Test
  void itIsNotIdleWhenADatagramArrivesAtTheDeadline() {
    FabricTest.drain(fabric);
    a.send(b.gid(), 0, 1, 100);
    a.deadlineNs = 2_000;
    assertFalse(fabric.isIdle());
    a.deadlineNs = 1_999;
    assertTrue(fabric.isIdle());
  }

  @Test
  void itIsNotIdleWhenATurnIsDue() {
    FabricTest.drain(fabric);
    fabric.run(1_000_000);
    assertTrue(fabric.isIdle());
    fabric.poke(a);
    assertFalse(fabric.isIdle());
  }

  @Test
  void aPokeIsForTheNodeThatItNames() {
    FabricTest.drain(fabric);
    int turns = a.turns;
    int others = b.turns;
    fabric.poke(a);
    FabricTest.drain(fabric);
    assertEquals(turns + 1, a.turns);
    assertEquals(others, b.turns);
    b.send(a.gid(), 0, 5, 100);
    FabricTest.drain(fabric);
    assertEquals(turns + 2, a.turns, "one turn for all that arrives at one time");
  }

  /** A node may be the engine of a device that fails. */
  @Test
  void aTurnThatThrowsIsOver() {
    FabricTest.drain(fabric);
    FabricPort port = fabric.attach(List.of(Gid.parse("10.0.0.3")));
    fabric.register(
        new Node() {
          @Override
          public void run(long nowNs) {
            throw new IllegalStateException("of the node");
          }

          @Override
          public long nextDeadlineNs() {
            return Long.MAX_VALUE;
          }
        },
        port);
    assertEquals(
        "of the node", assertThrows(IllegalStateException.class, fabric::step).getMessage());
    a.send(b.gid(), 7, 1, 100);
    FabricTest.drain(fabric);
    assertEquals(List.of(7), b.numbers());
  }
}
