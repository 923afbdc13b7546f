package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

/** Threads that the network's threads start, and how long the network waits for them. */
class NewcomersTest {
  private static final long MS = 1_000_000;

  private final Newcomers newcomers = new Newcomers();

  /** Runs the test on its own thread, which passes inheritable values to its children only. */
  private static void onAFreshThread(Runnable test) {
    try (var threads = Executors.newThreadPerTaskExecutor(Thread.ofPlatform().factory())) {
      CompletableFuture.runAsync(test, threads).join();
    }
  }

  /** A thread is started and never comes: the network waits this long. */
  private void isWaitedFor(long ns) {
    long before = System.nanoTime();
    Thread child = new Thread(() -> {});
    long made = System.nanoTime(); // the start was noted between the two readings
    assertTrue(newcomers.mayCome(before + ns - 1, () -> false), "given up early");
    assertFalse(newcomers.mayCome(made + ns, () -> false), "waited for too long: " + child);
    assertFalse(newcomers.mayCome(made, () -> false), "expected again");
  }

  @Test
  void eachThatDoesNotComeHalvesThePatience() {
    onAFreshThread(
        () -> {
          newcomers.arrived();
          assertFalse(newcomers.mayCome(System.nanoTime(), () -> false));
          isWaitedFor(100 * MS);
          isWaitedFor(50 * MS);
          isWaitedFor(25 * MS);
        });
  }

  @Test
  void oneThatComesRestoresIt() {
    onAFreshThread(
        () -> {
          newcomers.arrived();
          isWaitedFor(100 * MS);
          isWaitedFor(50 * MS);
          Thread child = new Thread(newcomers::arrived);
          child.start();
          join(child);
          assertFalse(newcomers.mayCome(System.nanoTime(), () -> false), "it has come");
          isWaitedFor(100 * MS);
        });
  }

  @Test
  void oneThatComesLateRestoresItHoweverManyDidNotCome() {
    onAFreshThread(
        () -> {
          newcomers.arrived();
          Thread late = new Thread(newcomers::arrived);
          for (int i = 0; i < 100; i++) {
            newcomers.mayCome(System.nanoTime() + 1000 * MS, () -> false);
            Thread child = new Thread(() -> {});
            assertFalse(child.isAlive());
          }
          newcomers.mayCome(System.nanoTime() + 1000 * MS, () -> false);
          isWaitedFor(MS / 10);
          late.start();
          join(late);
          isWaitedFor(100 * MS);
        });
  }

  @Test
  void oneThatIsNoNewcomerDoesNotRestoreIt() {
    onAFreshThread(
        () -> {
          newcomers.arrived();
          isWaitedFor(100 * MS);
          newcomers.arrived();
          isWaitedFor(50 * MS);
        });
  }

  @Test
  void eachIsWaitedForFromItsOwnBeginning() {
    onAFreshThread(
        () -> {
          newcomers.arrived();
          Thread first = new Thread(() -> {});
          long between = System.nanoTime();
          while (System.nanoTime() == between) {
            Thread.onSpinWait();
          }
          Thread second = new Thread(() -> {});
          assertTrue(newcomers.mayCome(between + 100 * MS, () -> false), first + " " + second);
          assertFalse(newcomers.mayCome(between + 1000 * MS, () -> false));
        });
  }

  @Test
  void theNetworkThatAThreadUsedLastExpectsItsChildren() {
    Newcomers last = new Newcomers();
    onAFreshThread(
        () -> {
          newcomers.arrived();
          last.arrived();
          Thread child = new Thread(() -> {});
          assertTrue(last.mayCome(System.nanoTime(), () -> false), child.toString());
          assertFalse(newcomers.mayCome(System.nanoTime(), () -> false));
        });
  }

  @Test
  void whileAnotherThreadIsAwakeThePatienceDoesNotEnd() {
    onAFreshThread(
        () -> {
          newcomers.arrived();
          Thread child = new Thread(() -> {});
          long later = System.nanoTime() + 10_000 * MS;
          assertTrue(newcomers.mayCome(later, () -> true), "given up: " + child);
          assertFalse(newcomers.mayCome(later, () -> false));
        });
  }

  @Test
  void threadsOfOthersAreNotExpected() {
    onAFreshThread(
        () -> {
          new Newcomers().arrived();
          Thread child = new Thread(() -> {});
          assertFalse(newcomers.mayCome(System.nanoTime(), () -> false), child.toString());
        });
  }

  private static void join(Thread child) {
    try {
      child.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
