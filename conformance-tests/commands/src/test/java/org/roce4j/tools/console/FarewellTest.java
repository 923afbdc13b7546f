package org.roce4j.tools.console;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** How a signal ends a command is told by the tests that kill one. */
class FarewellTest {
  @Test
  void itIsNoTimeWhileTheProcessGoesOn() {
    assertFalse(Farewell.isTime());
    assertFalse(Farewell.isTime());
  }

  /** A process may run several commands in turn, each with devices of its own. */
  @Test
  void nothingIsHeldOfACommandThatEndedByItself() {
    List<WeakReference<AtomicBoolean>> held = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      AtomicBoolean gone = new AtomicBoolean();
      Farewell farewell = new Farewell(() -> gone.set(true));
      farewell.close();
      farewell.close();
      assertFalse(gone.get());
      held.add(new WeakReference<>(gone));
    }
    Remembered.isAtMostOne(held);
  }
}
