package org.roce4j.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The events of a completion channel, delivered, acknowledged and discarded. */
class CompletionEventsTest {
  private final CompletionEvents events = new CompletionEvents();
  private final CompletionEvents.Source one = new CompletionEvents.Source(null);
  private final CompletionEvents.Source other = new CompletionEvents.Source(null);

  private void deliver(CompletionEvents.Source source) {
    events.raise(source);
    assertSame(source, events.poll());
  }

  @Test
  void moreAcknowledgementsThanEventsCountForNoLaterOne() {
    deliver(one);
    events.acknowledge(one, 5);
    assertTrue(events.settled(one));
    deliver(one);
    assertFalse(events.settled(one));
    assertTrue(events.acknowledge(one, 1), "somebody waits for it");
    assertTrue(events.settled(one));
  }

  @Test
  void moreAcknowledgementsThanAreLeftCountForNoLaterEventEither() {
    deliver(one);
    deliver(one);
    assertFalse(events.acknowledge(one, 1));
    assertFalse(events.acknowledge(one, 2), "no thread waits");
    deliver(one);
    assertFalse(events.settled(one));
  }

  @Test
  void theLastAcknowledgementAloneWakesTheThreadThatWaits() {
    deliver(one);
    deliver(one);
    assertFalse(events.settled(one));
    assertFalse(events.acknowledge(one, 1));
    assertTrue(events.acknowledge(one, 1));
    assertTrue(events.settled(one));
    deliver(one);
    assertFalse(events.acknowledge(one, 1), "the thread has gone");
  }

  @Test
  void anEventWaitsFromItsArrivalToItsDelivery() {
    assertFalse(events.hasEvent());
    events.raise(one);
    assertTrue(events.hasEvent());
    events.poll();
    assertFalse(events.hasEvent());
  }

  @Test
  void anAcknowledgementIsOfOneQueueAlone() {
    deliver(one);
    deliver(other);
    events.acknowledge(other, 1);
    assertFalse(events.settled(one));
    assertTrue(events.settled(other));
  }

  @Test
  void aQueueThatIsGoneTakesItsEventsAlong() {
    events.raise(one);
    events.raise(other);
    events.raise(one);
    events.discard(one);
    assertTrue(events.hasEvent());
    assertSame(other, events.poll());
    assertFalse(events.hasEvent());
    assertNull(events.poll());
    events.raise(one);
    events.discard(one);
    assertFalse(events.hasEvent(), "a thread that waits for an event would look again and again");
  }

  @Test
  void theHookIsForTheEdge() {
    int[] calls = new int[1];
    Runnable hook = () -> calls[0]++;
    assertFalse(events.onEvent(hook));
    assertSame(hook, events.raise(one));
    assertNull(events.raise(other));
    assertTrue(events.onEvent(hook));
    assertEquals(0, calls[0], "the caller calls it");
    assertFalse(events.onEvent(null), "there is nothing to call for the events that wait");
    events.discard(one);
    events.discard(other);
    assertNull(events.raise(one));
  }
}
