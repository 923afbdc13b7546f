package org.roce4j.engine.queue;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The doorbells of several queue pairs between two turns of their engine. */
class DoorbellListTest {
  private final DoorbellList list = new DoorbellList();
  private final DoorbellList.Doorbell first = new Bell();
  private final DoorbellList.Doorbell second = new Bell();
  private final DoorbellList.Doorbell third = new Bell();

  private static final class Bell extends PublishedState {
    @Override
    public void rung() {}
  }

  @Test
  void everyDoorbellThatWasRungIsTakenOnceTheNewestFirst() {
    assertTrue(list.ring(first));
    assertTrue(list.ring(second));
    assertFalse(list.ring(first), "it is in the list");
    assertTrue(list.ring(third));
    assertTrue(list.isRung());
    assertSame(third, list.takeAll());
    assertSame(second, third.next());
    assertSame(first, second.next());
    assertNull(first.next());
    assertFalse(list.isRung());
    assertNull(list.takeAll());
  }

  @Test
  void aDoorbellThatWasAnsweredCanBeRungAgainBehindNothingOfBefore() {
    list.ring(first);
    list.ring(second);
    list.takeAll();
    assertFalse(list.ring(second), "it was taken and not answered yet");
    second.answer();
    assertTrue(list.ring(second));
    assertSame(second, list.takeAll());
    assertNull(second.next());
  }
}
