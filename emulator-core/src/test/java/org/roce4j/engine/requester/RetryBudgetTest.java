package org.roce4j.engine.requester;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** R8: 7 in retry_cnt is seven retries, 7 in rnr_retry is no limit; progress reloads both. */
class RetryBudgetTest {
  private final RetryBudget budget = new RetryBudget();

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 6, 7})
  void grantsAsManyRetriesAsItWasTold(int retries) {
    budget.retryCount(retries);
    budget.rnrRetry(7);
    for (int round = 0; round < 2; round++) {
      for (int left = retries; left > 0; left--) {
        assertEquals(left, budget.retriesLeft());
        assertTrue(budget.takeRetry());
      }
      assertFalse(budget.takeRetry());
      assertEquals(0, budget.retriesLeft());
      budget.reload();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 6})
  void grantsAsManyRnrRetriesAsItWasTold(int retries) {
    budget.retryCount(7);
    budget.rnrRetry(retries);
    for (int round = 0; round < 2; round++) {
      for (int left = retries; left > 0; left--) {
        assertEquals(left, budget.rnrRetriesLeft());
        assertTrue(budget.takeRnrRetry());
      }
      assertFalse(budget.takeRnrRetry());
      budget.reload();
    }
    assertEquals(7, budget.retriesLeft(), "the one does not spend the other");
  }

  @Test
  void grantsRnrRetriesForEverWhenToldSeven() {
    budget.rnrRetry(7);
    for (int i = 0; i < 1000; i++) {
      assertTrue(budget.takeRnrRetry());
    }
  }
}
