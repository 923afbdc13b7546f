package org.roce4j.engine.requester;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.requester.RequesterTimers.Timer;
import org.roce4j.engine.time.Deadlines;

/** Each timer of a requester has a deadline of its own. */
class RequesterTimersTest {
  private final RequesterTimers timers = new RequesterTimers();

  @BeforeEach
  void start() {
    for (Timer each : Timer.values()) {
      timers.start(each, 100 + each.ordinal());
    }
  }

  @Test
  void eachIsDueInItsTime() {
    for (Timer each : Timer.values()) {
      assertEquals(100 + each.ordinal(), timers.dueNs(each));
      assertFalse(timers.isDue(each, 99 + each.ordinal()));
      assertTrue(timers.isDue(each, 100 + each.ordinal()));
    }
  }

  @Test
  void oneStopsAloneOrWithAllOthers() {
    timers.stop(Timer.PROBE);
    assertFalse(timers.runs(Timer.PROBE));
    assertTrue(timers.runs(Timer.ACK));
    assertTrue(timers.runs(Timer.RNR));
    timers.start(Timer.PROBE, 7);
    timers.stopAll();
    for (Timer each : Timer.values()) {
      assertEquals(Deadlines.NEVER, timers.dueNs(each), each.name());
    }
  }
}
