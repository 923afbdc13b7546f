package org.roce4j.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.device.LoneEngine;
import org.roce4j.engine.qp.QpMachine;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;

/** Numbers of queue pairs: a number finds its queue pair, and none is given twice. */
class QpTableTest {
  private final LoneEngine lone = new LoneEngine(Gid.parse("10.0.0.1"), Mtu.MTU_1024);
  private final QpTable table = lone.engine.queuePairs();
  private final CompletionQueue cq = lone.pd.context().createCq(1);

  private QueuePair create() {
    return create(QpType.RC);
  }

  private QueuePair create(QpType type) {
    QpCapabilities cap = new QpCapabilities(1, 1, 1, 1, 0);
    return lone.pd.createQp(new QpInitAttr().qpType(type).cq(cq).cap(cap));
  }

  @Test
  void datagramsAreServedFromTheFirstQueuePairForThemToTheLast() {
    create();
    assertFalse(table.hasDatagramService());
    QueuePair first = create(QpType.UD);
    QueuePair second = create(QpType.UD);
    first.close();
    assertTrue(table.hasDatagramService());
    second.close();
    assertFalse(table.hasDatagramService());
  }

  /** A negative step creates a queue pair, another destroys the one at its index. */
  @Property(tries = 200)
  void theLivingAreFoundByTheirNumberAndTheDeadAreNot(
      @ForAll @Size(max = 300) List<@IntRange(min = -120, max = 99) Integer> steps) {
    List<QueuePair> living = new ArrayList<>();
    Set<Integer> dead = new HashSet<>();
    for (int step : steps) {
      if (step < 0 || living.isEmpty()) {
        QueuePair qp = create();
        assertTrue(qp.qpNum() >= 16 && qp.qpNum() < 0xffffff, "number " + qp.qpNum());
        assertTrue(living.stream().noneMatch(other -> other.qpNum() == qp.qpNum()));
        living.add(qp);
        dead.remove(qp.qpNum());
      } else {
        QueuePair qp = living.remove(step % living.size());
        dead.add(qp.qpNum());
        qp.close();
      }
    }
    assertEquals(living.size(), table.size());
    living.forEach(qp -> assertEquals(qp.qpNum(), table.find(qp.qpNum()).qpNum()));
    dead.forEach(qpNum -> assertNull(table.find(qpNum)));
    living.forEach(QueuePair::close);
    assertEquals(0, table.size());
  }

  /**
   * A peer may keep its end of a connection in time wait, and rejects a new one with the same
   * number as stale. Numbers below 16 belong to services, the largest is that of multicast groups,
   * and 100 are in use.
   */
  @ParameterizedTest
  @CsvSource({"1, 0", "8, 5", "16, 0", "16, 15"})
  void aNumberReturnsOnlyAfterAllOthers(int engines, int engine) {
    QpTable mine = new QpTable(new SplittableRandom(engines), engine, engines);
    BitSet expected = new BitSet(1 << 24);
    for (int qpNum = engine; qpNum < QueuePair.MULTICAST_QPN; qpNum += engines) {
      expected.set(qpNum, qpNum >= 16);
    }
    List<QpMachine> living = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      living.add(table.find(create().qpNum()));
    }
    for (QpMachine qp : living) {
      mine.add(qp);
      expected.clear(qp.qpNum());
    }
    BitSet given = new BitSet(1 << 24);
    int first = mine.freshNumber();
    int qpNum = first;
    while (!given.get(qpNum)) {
      given.set(qpNum);
      qpNum = mine.freshNumber();
    }
    assertEquals(first, qpNum);
    assertEquals(expected, given);
  }

  /**
   * A search ends where no number is: each one left behind makes the search for a stranger longer.
   */
  @Test
  void theDeadLeaveNoNumbersBehind() throws ReflectiveOperationException {
    QpTable mine = new QpTable(new SplittableRandom(1), 0, 1);
    SplittableRandom random = new SplittableRandom(2);
    List<QpMachine> dead = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      dead.add(table.find(create().qpNum()));
    }
    List<QpMachine> living = new ArrayList<>();
    for (int life = 0; life < 2000; life++) {
      if (living.size() == 32) {
        QpMachine qp = living.remove(random.nextInt(32));
        mine.remove(qp);
        dead.add(qp);
      }
      QpMachine qp = dead.remove(random.nextInt(dead.size()));
      mine.add(qp);
      living.add(qp);
    }
    Field numbers = QpTable.class.getDeclaredField("numbers");
    numbers.setAccessible(true);
    assertEquals(
        living.stream().map(QpMachine::qpNum).sorted().toList(),
        Arrays.stream((int[]) numbers.get(mine))
            .filter(qpNum -> qpNum != 0)
            .sorted()
            .boxed()
            .toList());
  }

  @Test
  void theNumberOfADestroyedQueuePairIsFree() {
    QpMachine destroyed = table.find(create().qpNum());
    int engine = destroyed.qpNum() & 15;
    QpTable unused = new QpTable(new SplittableRandom(1), engine, 16);
    QpTable used = new QpTable(new SplittableRandom(1), engine, 16);
    used.add(destroyed);
    used.remove(destroyed);
    for (int i = 0; i < 1 << 20; i++) {
      assertEquals(unused.freshNumber(), used.freshNumber());
    }
  }

  @Test
  void numbersOfDevicesDifferAndThoseOfASeedAreRepeated() {
    List<Integer> numbers = numbers(1);
    assertEquals(numbers, numbers(1));
    Set<Integer> common = new HashSet<>(numbers);
    common.retainAll(new HashSet<>(numbers(2)));
    // By chance 0.06 of 1000 and 1000 numbers would be common.
    assertTrue(common.size() < 5, () -> "common: " + common);
  }

  /** Half of the bits differ between one number and the next, each bit in half of the cases. */
  @Test
  void aNumberDoesNotTellTheNext() {
    List<Integer> numbers = numbers(3);
    int[] flips = new int[24];
    Set<Integer> steps = new HashSet<>();
    for (int i = 1; i < numbers.size(); i++) {
      int changed = numbers.get(i) ^ numbers.get(i - 1);
      steps.add(changed);
      for (int bit = 0; bit < flips.length; bit++) {
        flips[bit] += changed >>> bit & 1;
      }
    }
    assertTrue(steps.size() > 990, () -> "differences: " + steps.size());
    for (int flipped : flips) {
      assertEquals(500, flipped, 80, () -> Arrays.toString(flips)); // five standard deviations
    }
  }

  private static List<Integer> numbers(long seed) {
    QpTable table = new QpTable(new SplittableRandom(seed), 0, 1);
    return Stream.generate(table::freshNumber).limit(1000).toList();
  }

  /** A port reads TOS and TTL of each datagram meanwhile. */
  @Test
  void theServiceOfDatagramsLastsFromItsFirstQueuePairToItsLast() {
    QueuePair connected = create();
    assertFalse(table.hasDatagramService());
    QueuePair first = create(QpType.UD);
    QueuePair second = create(QpType.UD);
    connected.close();
    first.close();
    assertTrue(table.hasDatagramService());
    second.close();
    assertFalse(table.hasDatagramService());
  }

  @Test
  void whatIsInResetNeedNotFail() {
    QueuePair unused = create();
    QueuePair used = create();
    used.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(0));
    table.failAll(new AssertionError("planted"));
    assertEquals(QpState.ERR, used.state());
    assertEquals(QpState.RESET, unused.state());
  }

  /** An exception is reported with its cause, and the other queue pairs fail, too. */
  @Test
  void aQueuePairThatIsBrokenItselfKeepsNoOtherFromFailing() throws ReflectiveOperationException {
    Field inner = QpMachine.class.getDeclaredField("failing");
    inner.setAccessible(true);
    List<QueuePair> all = List.of(create(), create(), create());
    for (QueuePair qp : all) {
      qp.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(0));
    }
    QpMachine broken = table.find(all.get(1).qpNum());
    Object sound = inner.get(broken);
    inner.set(broken, null);
    AssertionError cause = new AssertionError("planted");
    table.failAll(cause);
    inner.set(broken, sound);
    assertEquals(1, cause.getSuppressed().length);
    assertEquals(QpState.ERR, all.getFirst().state());
    assertEquals(QpState.ERR, all.getLast().state());
  }
}
