package org.roce4j.engine.requester;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayDeque;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/** max_rd_atomic against a model: a queue of last PSNs. */
class RdAtomicCreditsTest {
  @Test
  void grantsNoneUntilALimitIsSet() {
    assertFalse(new RdAtomicCredits().granted());
  }

  @Test
  void finishesWhatBeganOneAtATimeWhenTheLimitHasBecomeZero() {
    RdAtomicCredits credits = new RdAtomicCredits();
    credits.limit(2);
    credits.taken(1);
    credits.taken(2);
    credits.limit(0);
    assertFalse(credits.granted());
    assertFalse(credits.available());
    credits.answered(2);
    assertFalse(credits.available());
    credits.answered(3);
    assertTrue(credits.available());
  }

  @Test
  void keepsWhatIsOutstandingInOrderWhenTheLimitIsRaised() {
    RdAtomicCredits credits = new RdAtomicCredits();
    credits.limit(3);
    for (int psn = 1; psn <= 3; psn++) {
      credits.taken(psn);
    }
    credits.answered(2);
    credits.taken(4); // in the place of the first
    credits.limit(5);
    credits.taken(5);
    credits.taken(6);
    for (int answered = 2; answered <= 6; answered++) {
      assertFalse(credits.available(), answered + " is not answered");
      credits.answered(answered + 1);
      assertTrue(credits.available());
      credits.taken(answered + 5);
    }
  }

  @Test
  void grantsNoMoreThanTheDeviceHas() {
    RdAtomicCredits credits = new RdAtomicCredits();
    credits.limit(1000);
    for (int i = 0; i < RdAtomicCredits.MOST; i++) {
      assertTrue(credits.available());
      credits.taken(i);
    }
    assertFalse(credits.available());
  }

  /**
   * A step's number decides between an answer to some PSNs, a new operation, another limit and
   * clear.
   */
  @Property(tries = 500)
  void countsWhatIsOutstanding(@ForAll @Size(max = 80) List<@IntRange(max = 99) Integer> steps) {
    RdAtomicCredits credits = new RdAtomicCredits();
    ArrayDeque<Long> model = new ArrayDeque<>();
    int limit = 0;
    long psn = 1L << 24;
    long answered = psn;
    for (int step : steps) {
      if (step < 30) {
        answered = Math.min(psn, answered + step / 3);
        while (!model.isEmpty() && model.peek() < answered) {
          model.remove();
        }
        credits.answered(answered);
      } else if (step < 90) {
        if (credits.available()) {
          psn += 1 + step % 4;
          model.add(psn - 1);
          credits.taken(psn - 1);
        }
      } else if (step < 98) {
        limit = 1 + 2 * (step - 90);
        credits.limit(limit);
      } else {
        model.clear();
        credits.clear();
      }
      assertEquals(model.size() < Math.max(limit, 1), credits.available());
    }
  }
}
