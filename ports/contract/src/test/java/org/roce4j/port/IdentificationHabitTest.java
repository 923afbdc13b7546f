package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.IcrcVerdict;

/** The habit of a pair of addresses begins without anything of the pair before. */
class IdentificationHabitTest {
  private static final long NOW_NS = 5_000_000_000L;
  private static final int FIRST = 1000;
  private static final int FAR = 30_000;

  private final IdentificationHabit habit = new IdentificationHabit();

  private void manyDamaged(int packets) {
    for (int i = 0; i < packets; i++) {
      habit.damaged();
    }
  }

  @Test
  void muchDamageMakesAStrayWrong() {
    habit.begin(1, 0, FIRST, NOW_NS);
    manyDamaged(IdentificationHabit.DAMAGED - 1);
    assertEquals(IcrcVerdict.SOLVED, habit.judge(FAR, NOW_NS));
    manyDamaged(1);
    assertEquals(IcrcVerdict.WRONG, habit.judge(FIRST, NOW_NS));
    assertEquals(IcrcVerdict.SOLVED, habit.judge(FIRST, NOW_NS), "it refuses one");
  }

  @Test
  void aHabitThatBeginsAtTheBoundIsThatOfACounter() {
    habit.begin(1, 0, IdentificationHabit.TRAIN, NOW_NS);
    assertEquals(IdentificationHabit.TRAIN + 1, habit.guess(3));
    habit.begin(1, 0, IdentificationHabit.TRAIN - 1, NOW_NS);
    assertEquals(3, habit.guess(3));
  }

  /** Those of a train are below {@link IdentificationHabit#TRAIN}, those of a counter anywhere. */
  @Test
  void theNextOfATrainIsItsIndexAndThatOfACounterIsOneMore() {
    habit.begin(1, 0, FIRST, NOW_NS);
    assertEquals(FIRST + 1, habit.guess(3));
    assertEquals(IcrcVerdict.RIGHT, habit.judge(IdentificationHabit.TRAIN - 1, NOW_NS));
    assertEquals(3, habit.guess(3));
    assertEquals(IcrcVerdict.SOLVED, habit.judge(IdentificationHabit.TRAIN, NOW_NS));
    assertEquals(IdentificationHabit.TRAIN + 1, habit.guess(3));
    habit.begin(1, 0, IdentificationHabit.TRAIN - 1, NOW_NS);
    assertEquals(3, habit.guess(3));
    habit.begin(1, 0, 0xFFFF, NOW_NS);
    assertEquals(0, habit.guess(3));
  }

  @Test
  void aPairAndAPortHaveTheirOwn() {
    habit.begin(1, 7, FIRST, NOW_NS);
    assertTrue(habit.of(1, 7));
    assertFalse(habit.of(1, 8));
    assertFalse(habit.of(2, 7));
  }

  @Test
  void theDamageOfThePairBeforeDoesNotCount() {
    habit.begin(1, 0, FIRST, NOW_NS);
    manyDamaged(IdentificationHabit.DAMAGED);
    habit.begin(2, 0, FIRST, NOW_NS);
    assertEquals(IcrcVerdict.SOLVED, habit.judge(FAR, NOW_NS));
  }

  @Test
  void theTimeOfThePairBeforeDoesNotCount() {
    habit.begin(1, 0, FIRST, NOW_NS - IdentificationHabit.HELD_NS);
    habit.begin(2, 0, FIRST, NOW_NS);
    assertEquals(IcrcVerdict.SOLVED, habit.judge(FAR, NOW_NS));
  }
}
