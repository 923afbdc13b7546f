package org.roce4j.connect;

import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * A call on a thread of its own, which is interrupted.
 *
 * @param name as shown when the call does not end as it must
 */
record InterruptedCall(String name, boolean virtual, Moment moment, Callable<?> call) {
  private static final Duration PROMPTLY = Duration.ofSeconds(10);
  private static final Set<String> SLEEPS = Set.of("park", "parkNanos", "ppoll", "poll");

  /** When the thread is interrupted. */
  enum Moment {
    BEFORE,
    MEANWHILE
  }

  /** Adds the mistakes in the end of the call, if there are any. */
  void tell(Map<String, String> wrong) {
    CompletableFuture<String> ended = new CompletableFuture<>();
    Thread.Builder builder = virtual ? Thread.ofVirtual() : Thread.ofPlatform().daemon();
    Thread thread = builder.unstarted(() -> ended.complete(run()));
    thread.start();
    if (moment == Moment.MEANWHILE) {
      while (!sleeps(thread) && !ended.isDone()) {
        Thread.onSpinWait();
      }
      thread.interrupt();
    }
    try {
      String end = ended.get(PROMPTLY.toSeconds(), TimeUnit.SECONDS);
      if (!end.equals("EINTR")) {
        wrong.put(toString(), end);
      }
    } catch (TimeoutException e) {
      wrong.put(toString(), "waits: " + Arrays.toString(thread.getStackTrace()));
    } catch (InterruptedException | ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  private String run() {
    if (moment == Moment.BEFORE) {
      Thread.currentThread().interrupt();
    }
    try {
      return "answered " + call.call();
    } catch (VerbsException e) {
      return e.errno() != Errno.EINTR
          ? e.toString()
          : Thread.interrupted() ? "EINTR" : "the interrupt flag is lost";
    } catch (Throwable e) {
      return e.toString();
    }
  }

  /** Waits for another thread, an event or a socket. */
  static boolean sleeps(Thread thread) {
    return Arrays.stream(thread.getStackTrace())
        .anyMatch(frame -> SLEEPS.contains(frame.getMethodName()));
  }

  @Override
  public String toString() {
    return "%s %s %s".formatted(name, virtual ? "on a virtual thread" : "", moment);
  }
}
