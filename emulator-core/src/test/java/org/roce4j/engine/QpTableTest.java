package org.roce4j.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;
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
import org.roce4j.verbs.QueuePair;

/** Numbers of queue pairs: a number finds its queue pair, and none is given twice. */
class QpTableTest {
  private final LoneEngine lone = new LoneEngine(Gid.parse("10.0.0.1"), Mtu.MTU_1024);
  private final QpTable table = lone.engine.queuePairs();
  private final CompletionQueue cq = lone.pd.context().createCq(1);

  private QueuePair create() {
    return lone.pd.createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(1, 1, 1, 1, 0)));
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

  @Test
  void noNumberIsGivenTwiceWhateverIsDrawn() {
    int first = create().qpNum();
    int second = create().qpNum();
    int free = first == 0x1234 || second == 0x1234 ? 0x1235 : 0x1234;
    QpTable mine = new QpTable(drawing(first, second, first, free, second), 0, 1);
    for (QpMachine qp : table.slots()) {
      if (qp != null) {
        mine.add(qp);
      }
    }
    assertEquals(free, mine.freshNumber());
    mine.remove(table.find(second));
    assertEquals(second, mine.freshNumber(), "it is free again");
  }

  /** Numbers below 16 belong to services, and the largest is that of multicast groups. */
  @ParameterizedTest
  @CsvSource({"1, 0, 0xfffffe, 16", "2, 1, 17, 17", "16, 0, 0xfffff0, 16", "16, 15, 31, 31"})
  void theFirstAndTheLastThatCanBeDrawnAreNumbers(int engines, int engine, int high, int low) {
    RandomGenerator extremes =
        new RandomGenerator() {
          private boolean least;

          @Override
          public long nextLong() {
            throw new UnsupportedOperationException("only numbers in a range are drawn");
          }

          @Override
          public int nextInt(int origin, int bound) {
            least = !least;
            return least ? bound - 1 : origin;
          }
        };
    QpTable mine = new QpTable(extremes, engine, engines);
    assertEquals(high, mine.freshNumber());
    assertEquals(low, mine.freshNumber());
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

  private static RandomGenerator drawing(int... numbers) {
    Deque<Integer> left = new ArrayDeque<>();
    for (int number : numbers) {
      left.add(number);
    }
    return new RandomGenerator() {
      @Override
      public long nextLong() {
        throw new UnsupportedOperationException("only numbers in a range are drawn");
      }

      @Override
      public int nextInt(int origin, int bound) {
        return left.remove();
      }
    };
  }
}
