package org.roce4j.drive;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

/**
 * Verbs that wait for the only thread that may drive a port. Any thread may add one; that thread
 * runs them.
 */
final class DriverCommands {
  /** Tasks in the order in which they were added; each runs a verb and completes its result. */
  private final ConcurrentLinkedQueue<Runnable> waiting = new ConcurrentLinkedQueue<>();

  /** Adds a verb. Its value or exception completes the result. */
  <T> CompletableFuture<T> add(Supplier<T> verb) {
    CompletableFuture<T> result = new CompletableFuture<>();
    waiting.add(
        () -> {
          try {
            result.complete(verb.get());
          } catch (RuntimeException | Error e) {
            result.completeExceptionally(e);
          }
        });
    return result;
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  /** Runs the waiting verbs. Called by the engine's owner. */
  void run() {
    for (Runnable verb = waiting.poll(); verb != null; verb = waiting.poll()) {
      verb.run();
    }
  }

  /** Returns the value of a completed verb, or throws its exception. */
  static <T> T resultOf(CompletableFuture<T> done) {
    if (done.state() == CompletableFuture.State.SUCCESS) {
      return done.resultNow();
    }
    if (done.exceptionNow() instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) done.exceptionNow();
  }
}
