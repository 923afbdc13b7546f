package org.roce4j.tools.console;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class InterruptionTest {
  @Test
  void whoAsksWaitsUntilTheWorkHasToldAll() throws InterruptedException {
    Interruption interruption = new Interruption();
    assertFalse(interruption.asked());
    Thread signal = Thread.ofPlatform().start(interruption::ask);
    while (!interruption.asked()) {
      Thread.onSpinWait();
    }
    assertTrue(signal.isAlive());
    interruption.close();
    signal.join();
  }

  @Test
  void workThatEndsByItselfIsForgotten() {
    Interruption interruption = new Interruption();
    interruption.begin();
    interruption.begin();
    interruption.close();
    interruption.close();
    assertFalse(interruption.asked());
  }
}
