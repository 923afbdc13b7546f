package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Hooks that become due while another one runs on the same thread. */
class CallbackTest {
  private final List<String> ran = new ArrayList<>();
  private final Runnable second = () -> ran.add("second");
  private final Runnable third = () -> ran.add("third");

  @Test
  void eachRunsOnceAfterTheOneThatRuns() {
    Callback.run(
        () -> {
          Callback.run(second);
          Callback.run(third);
          Callback.run(second);
          ran.add("first");
        });
    assertEquals(List.of("first", "second", "third"), ran);
  }

  static List<Throwable> mistakes() {
    return List.of(new IllegalStateException("planted"), new AssertionError("planted"));
  }

  private static void raise(Throwable mistake) {
    if (mistake instanceof Error error) {
      throw error;
    }
    throw (RuntimeException) mistake;
  }

  /** The handler of its thread is told, and may make mistakes itself. */
  @ParameterizedTest
  @MethodSource("mistakes")
  void oneThatThrowsKeepsNoOtherFromRunning(Throwable mistake) throws InterruptedException {
    List<Throwable> told = new ArrayList<>();
    Thread thread =
        Thread.ofPlatform()
            .uncaughtExceptionHandler(
                (_, thrown) -> {
                  told.add(thrown);
                  raise(thrown);
                })
            .start(
                () ->
                    Callback.run(
                        () -> {
                          Callback.run(second);
                          raise(mistake);
                        }));
    thread.join();
    assertEquals(List.of("second"), ran);
    assertEquals(List.of(mistake), told);
  }

  @Test
  void oneThatBecomesDueAgainWhileItRunsRunsAgain() {
    Runnable[] twice = new Runnable[1];
    twice[0] =
        () -> {
          ran.add("once more");
          if (ran.size() < 3) {
            Callback.run(twice[0]);
          }
        };
    Callback.run(twice[0]);
    assertEquals(List.of("once more", "once more", "once more"), ran);
    Callback.run(second);
    assertEquals(4, ran.size(), "nothing is left of what ran before");
  }
}
