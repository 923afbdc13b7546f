package org.roce4j.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.roce4j.verbs.WrOpcode;

/**
 * A shared cell: completed additions form one chain, in any order of completion. A private cell:
 * each atomic finds the value that the atomic before it left.
 */
class AtomicCellTest {
  private final ModelledMemory memory =
      new ModelledMemory(Arena.ofAuto(), "test", 64, 1, new SplittableRandom(1));
  private final Zone zone = memory.zone("zone", 64);
  private final AtomicCell cell =
      new AtomicCell(zone.take(8, 8, new SplittableRandom(2)), true, 100);
  private final AtomicCell own =
      new AtomicCell(zone.take(8, 8, new SplittableRandom(3)), false, 100);

  private PostedSend adds(long amount) {
    PostedSend add =
        new PostedSend(1, WrOpcode.ATOMIC_FETCH_AND_ADD, true, Arena.ofAuto().allocate(8));
    add.add = amount;
    cell.posted(add, 0, 0);
    return add;
  }

  private static void breaks(Executable what) {
    assertEquals(OracleRule.ATOMIC_ONCE, assertThrows(RuleBroken.class, what).rule());
  }

  @Test
  void eachAdditionFindsWhatAnotherLeft() {
    cell.completed(adds(5), 107);
    cell.completed(adds(7), 100);
    memory.storeLong(cell.extent, 112);
    cell.checkAtEnd();
    memory.storeLong(cell.extent, 113);
    breaks(cell::checkAtEnd);
  }

  @Test
  void noTwoAdditionsFindTheSame() {
    cell.completed(adds(5), 100);
    PostedSend again = adds(7);
    breaks(() -> cell.completed(again, 100));
  }

  @Test
  void anAdditionThatFailedMayBeDoneOrNot() {
    cell.completed(adds(5), 100);
    cell.failed(adds(7), "poster");
    memory.storeLong(cell.extent, 105);
    cell.checkAtEnd();
    memory.storeLong(cell.extent, 112);
    cell.checkAtEnd();
    memory.storeLong(cell.extent, 119);
    breaks(cell::checkAtEnd);
  }

  private PostedSend posts(WrOpcode opcode, long add, long compare, long swap) {
    PostedSend atomic = new PostedSend(1, opcode, true, Arena.ofAuto().allocate(8));
    atomic.add = add;
    own.posted(atomic, compare, swap);
    return atomic;
  }

  private PostedSend addsToOwn(long amount) {
    return posts(WrOpcode.ATOMIC_FETCH_AND_ADD, amount, 0, 0);
  }

  @Test
  void aPrivateAtomicFindsWhatTheOneBeforeLeft() {
    PostedSend swapped = posts(WrOpcode.ATOMIC_CMP_AND_SWP, 0, 100, 7);
    PostedSend not = posts(WrOpcode.ATOMIC_CMP_AND_SWP, 0, 100, 8);
    PostedSend added = addsToOwn(5);
    own.completed(swapped, 100);
    own.completed(not, 7);
    memory.storeLong(own.extent, 12);
    own.completed(added, 7);
    PostedSend next = addsToOwn(1);
    breaks(() -> own.completed(next, 7));
  }

  @Test
  void thePrivateValueIsThatOfTheLastWhenAllAreDone() {
    PostedSend first = addsToOwn(5);
    PostedSend last = addsToOwn(6);
    own.completed(first, 100);
    memory.storeLong(own.extent, 110);
    breaks(() -> own.completed(last, 105));
  }

  @Test
  void aPrivateAtomicThatFailedMayBeDoneOrNot() {
    own.failed(addsToOwn(5), "poster");
    own.failed(addsToOwn(6), "poster");
    for (long found : new long[] {100, 105, 111}) {
      memory.storeLong(own.extent, found);
      own.checkAtEnd();
    }
    memory.storeLong(own.extent, 106);
    breaks(own::checkAtEnd);
  }
}
