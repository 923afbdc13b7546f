package org.roce4j.tools.console;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.ref.WeakReference;
import java.util.List;

/** What a process still refers to after the work that made it. */
final class Remembered {
  private static final long PATIENCE_NS = 60_000_000_000L;

  private Remembered() {}

  /** The last one may be in a variable of the test. */
  static void isAtMostOne(List<? extends WeakReference<?>> made) {
    long end = System.nanoTime() + PATIENCE_NS;
    while (left(made) > 1 && System.nanoTime() - end < 0) {
      System.gc();
    }
    assertTrue(left(made) <= 1, () -> left(made) + " are held");
  }

  private static long left(List<? extends WeakReference<?>> made) {
    return made.stream().filter(each -> each.get() != null).count();
  }
}
