package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** Closing an end also ends the waits of threads whose turn has not come, and those to come. */
@EmulatedRdma(transport = EmulatedRdma.UDP)
@Timeout(30)
class ClosedTurnsTest {
  private static final ConnectionOptions PATIENT =
      ConnectionOptions.DEFAULT.withDepth(1).withTimeout(Duration.ofHours(1));

  /** A half of an end, and a call that waits there; the peer receives nothing. */
  enum Half {
    SENDING {
      @Override
      void await(Connection end) {
        end.send("one more than the peer has room for");
      }
    },
    RECEIVING {
      @Override
      void await(Connection end) {
        end.receive();
      }
    };

    abstract void await(Connection end);
  }

  @ParameterizedTest
  @EnumSource
  void allThreadsAreTold(Half half, Context a, Context b) throws Exception {
    RcPair pair = RcPair.connect(a, b, PATIENT);
    pair.client().send("fills the peer's only buffer");
    List<CompletableFuture<Void>> waits =
        Stream.generate(CompletableFuture<Void>::new).limit(3).toList();
    List<Thread> threads = waits.stream().map(wait -> waiting(half, pair.client(), wait)).toList();
    while (threads.stream().filter(ClosedTurnsTest::awaitsTurn).count() < 2) {
      Thread.onSpinWait();
    }
    CompletableFuture<Void> closing = CompletableFuture.runAsync(pair::close);
    for (CompletableFuture<Void> wait : waits) {
      Throwable ended =
          assertThrows(ExecutionException.class, () -> wait.get(20, TimeUnit.SECONDS)).getCause();
      assertEquals(Errno.ENOTCONN, ((VerbsException) ended).errno());
    }
    closing.get(20, TimeUnit.SECONDS);
    VerbsException later = assertThrows(VerbsException.class, () -> half.await(pair.client()));
    assertEquals(Errno.ENOTCONN, later.errno(), "a call after the close of another thread");
  }

  private static Thread waiting(Half half, Connection end, CompletableFuture<Void> ended) {
    return Thread.ofPlatform()
        .daemon()
        .start(
            () -> {
              try {
                half.await(end);
                ended.complete(null);
              } catch (VerbsException e) {
                ended.completeExceptionally(e);
              }
            });
  }

  private static boolean awaitsTurn(Thread thread) {
    return thread.getState() == Thread.State.TIMED_WAITING
        && Stream.of(thread.getStackTrace())
            .anyMatch(frame -> frame.getClassName().equals(Turns.class.getName()));
  }
}
