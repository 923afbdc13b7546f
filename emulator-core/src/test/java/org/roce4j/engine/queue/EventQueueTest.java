package org.roce4j.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QueuePair;

class EventQueueTest {
  private final EventQueue queue = new EventQueue();
  private final EventQueue.Source port = EventQueue.Source.ofPort(1);
  private final EventQueue.Source qp = EventQueue.Source.of((QueuePair) null);

  private List<EventType> told() {
    List<EventType> types = new ArrayList<>();
    for (EventQueue.Delivered each = queue.poll(); each != null; each = queue.poll()) {
      types.add(each.type());
    }
    return types;
  }

  @Test
  void aPortThatWentDownAndUpIsToldInThatOrder() {
    queue.raise(port, EventType.PORT_ERR);
    queue.raise(port, EventType.PORT_ACTIVE);
    assertEquals(List.of(EventType.PORT_ERR, EventType.PORT_ACTIVE), told());
  }

  @Test
  void eventsAreToldInTheOrderTheyHappenedAndNoneIsMerged() {
    queue.raise(port, EventType.PORT_ERR);
    queue.raise(port, EventType.PORT_ACTIVE);
    queue.raise(qp, EventType.SQ_DRAINED);
    queue.raise(port, EventType.PORT_ERR);
    queue.raise(qp, EventType.SQ_DRAINED);
    assertEquals(
        List.of(
            EventType.PORT_ERR,
            EventType.PORT_ACTIVE,
            EventType.SQ_DRAINED,
            EventType.PORT_ERR,
            EventType.SQ_DRAINED),
        told());
  }

  @Test
  void ofAnObjectThatNobodyReadsOfTheLastIsStillTrueAndMemoryIsBounded() {
    for (int i = 0; i < 100_000; i++) {
      queue.raise(port, EventType.PORT_ERR);
      queue.raise(port, EventType.PORT_ACTIVE);
    }
    queue.raise(port, EventType.PORT_ERR);
    List<EventType> told = told();
    assertEquals(EventQueue.MOST_OF_AN_OBJECT, told.size());
    assertEquals(EventType.PORT_ERR, told.getLast());
    assertEquals(EventType.PORT_ACTIVE, told.get(told.size() - 2));
  }

  @Test
  void anEventAcknowledgedTwiceDoesNotSettleAnother() {
    queue.raise(qp, EventType.COMM_EST);
    queue.raise(qp, EventType.SQ_DRAINED);
    EventQueue.Delivered first = queue.poll();
    EventQueue.Delivered second = queue.poll();
    assertFalse(queue.settled(qp));
    assertFalse(queue.acknowledge(first));
    assertFalse(queue.acknowledge(first));
    assertFalse(queue.settled(qp));
    assertTrue(queue.acknowledge(second));
    assertTrue(queue.settled(qp));
  }

  @Test
  void theEventsOfADestroyedObjectVanishWithIt() {
    queue.raise(qp, EventType.COMM_EST);
    queue.raise(port, EventType.PORT_ERR);
    queue.discard(qp);
    assertEquals(List.of(EventType.PORT_ERR), told());
    assertNull(queue.poll());
    assertFalse(queue.hasEvent());
  }

  @Test
  void afterWhatWaitedWasDiscardedThereIsNoEventThatAThreadCouldWaitFor() {
    queue.raise(qp, EventType.COMM_EST);
    queue.discard(qp);
    assertFalse(queue.hasEvent());
    CompletionEvents completions = new CompletionEvents();
    CompletionEvents.Source source = new CompletionEvents.Source(null);
    completions.raise(source);
    completions.raise(source);
    completions.discard(source);
    assertFalse(completions.hasEvent());
    assertNull(completions.poll());
  }

  private void raise(EventQueue.Source source, EventType type, int times) {
    for (int i = 0; i < times; i++) {
      queue.raise(source, type);
    }
  }

  @Test
  void anotherEventOfAnObjectWithTooManyIsDiscardedWithIt() {
    raise(qp, EventType.SQ_DRAINED, EventQueue.MOST_OF_AN_OBJECT);
    queue.raise(qp, EventType.COMM_EST);
    for (int i = 0; i < EventQueue.MOST_OF_AN_OBJECT; i++) {
      assertEquals(EventType.SQ_DRAINED, queue.poll().type());
    }
    queue.discard(qp);
    assertNull(queue.poll());
  }

  @Test
  void whatWasMergedAndReadLeavesRoomForAsManyEvents() {
    raise(qp, EventType.SQ_DRAINED, EventQueue.MOST_OF_AN_OBJECT + 10);
    assertEquals(EventQueue.MOST_OF_AN_OBJECT, told().size());
    raise(qp, EventType.SQ_DRAINED, EventQueue.MOST_OF_AN_OBJECT);
    assertEquals(EventQueue.MOST_OF_AN_OBJECT, told().size());
  }

  @Test
  void theHookIsForTheFirstEventThatWaits() {
    Runnable hook = () -> {};
    assertFalse(queue.onEvent(hook));
    assertSame(hook, queue.raise(port, EventType.PORT_ERR));
    assertNull(queue.raise(port, EventType.PORT_ACTIVE));
    assertTrue(queue.onEvent(hook), "events wait already");
    assertFalse(queue.onEvent(null), "there is nothing to call");
    assertEquals(2, told().size());
    assertNull(queue.raise(port, EventType.PORT_ERR));
  }
}
