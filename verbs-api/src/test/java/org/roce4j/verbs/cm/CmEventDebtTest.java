package org.roce4j.verbs.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.verbs.Errno;

/** A thread waits until the events of an id are acknowledged. */
@Timeout(60)
class CmEventDebtTest {
  private final CmEventDebt debt = new CmEventDebt();

  private Thread waiting() {
    Thread thread = Thread.ofPlatform().daemon().start(debt::awaitNone);
    while (thread.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    return thread;
  }

  private static void ended(Thread thread) throws InterruptedException {
    thread.join(TimeUnit.SECONDS.toMillis(20));
    assertEquals(Thread.State.TERMINATED, thread.getState());
  }

  @Test
  void theLastAcknowledgementEndsTheWait() throws InterruptedException {
    CmEventDebt.Entry first = debt.delivered();
    CmEventDebt.Entry second = debt.delivered();
    Thread thread = waiting();
    first.acknowledge();
    first.acknowledge();
    refused(Errno.EDEADLK, debt::checkNotOwn);
    assertTrue(thread.isAlive());
    second.acknowledge();
    ended(thread);
    debt.checkNotOwn();
  }

  /** The id's program is gone, and nobody will acknowledge its events. */
  @Test
  void eventsThatAreAbandonedEndTheWait() throws InterruptedException {
    debt.delivered();
    Thread thread = waiting();
    debt.abandon();
    ended(thread);
    debt.delivered();
    debt.awaitNone();
  }

  @Test
  void aClosedIdHearsNothing() {
    debt.end();
    assertNull(debt.delivered());
    debt.awaitNone();
  }
}
