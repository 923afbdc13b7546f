package org.roce4j.tools.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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

  /** A progress line is ended, and the user is told why no result follows. */
  @Test
  void workThatTellsNothingInTimeIsToldOf() {
    StringWriter err = new StringWriter();
    new Interruption(new PrintWriter(err), Duration.ZERO).ask();
    assertEquals("\ninterrupted, but no result came within 0 s\n", err.toString());
  }

  @Test
  @Timeout(20)
  void workThatHasToldAllIsNotWaitedFor() {
    StringWriter err = new StringWriter();
    Interruption interruption = new Interruption(new PrintWriter(err), Duration.ofMinutes(1));
    interruption.close();
    interruption.ask();
    assertTrue(interruption.asked());
    assertEquals("", err.toString());
  }

  @Test
  void aThreadThatIsInterruptedMeanwhileStaysSoAndSaysNothing() {
    StringWriter err = new StringWriter();
    Thread.currentThread().interrupt();
    new Interruption(new PrintWriter(err), Duration.ofMinutes(1)).ask();
    assertTrue(Thread.interrupted());
    assertEquals("", err.toString());
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

  /** A process may run several commands in turn. */
  @Test
  void nothingIsLeftOfWorkThatEndedByItself() {
    List<WeakReference<Interruption>> ended = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Interruption interruption = new Interruption();
      interruption.begin();
      interruption.close();
      ended.add(new WeakReference<>(interruption));
    }
    Remembered.isAtMostOne(ended);
  }
}
