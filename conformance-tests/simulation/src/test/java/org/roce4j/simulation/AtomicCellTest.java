package org.roce4j.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.roce4j.verbs.WrOpcode;

/** A shared counter: completed additions form one chain, in whatever order they completed. */
class AtomicCellTest {
  private final ModelledMemory memory =
      new ModelledMemory(Arena.ofAuto(), "test", 64, 1, new SplittableRandom(1));
  private final Zone zone = memory.zone("zone", 64);
  private final AtomicCell cell =
      new AtomicCell(zone.take(8, 8, new SplittableRandom(2)), true, 100);

  private PostedSend adds(long amount) {
    PostedSend add =
        new PostedSend(1, WrOpcode.ATOMIC_FETCH_AND_ADD, true, Arena.ofAuto().allocate(8));
    add.add = amount;
    cell.posted(add, 0, 0);
    return add;
  }

  private static void breaks(Executable what) {
    assertEquals(Rule.ATOMIC_ONCE, assertThrows(RuleBroken.class, what).rule());
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
}
