package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.connect.Connection;
import org.roce4j.connect.RcPair;
import org.roce4j.junit.Connected;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** A thread that waits for another to receive keeps its own time limit and can be interrupted. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class TakenTurnTest {
  private static final Duration LONG = Duration.ofHours(1);

  @Nested
  @EmulatedRdma(transport = "linux")
  @EnabledOnOs(OS.LINUX)
  class OnPortLinux extends OnSockets {}

  @Nested
  @EmulatedRdma(transport = "netty")
  class OnPortNetty extends OnSockets {}

  abstract static class OnSockets {
    private Connection end;
    private Thread first;

    @BeforeEach
    void anotherThreadReceives(@Connected RcPair pair) {
      end = pair.server();
      first = Thread.ofPlatform().daemon().start(() -> receive(end));
      Poll.until(() -> isIn(first, "getCqEvent"));
    }

    private static Errno receive(Connection end) {
      try {
        end.receive(LONG);
        return null;
      } catch (VerbsException e) {
        return e.errno();
      }
    }

    private static boolean isIn(Thread thread, String method) {
      return Arrays.stream(thread.getStackTrace()).anyMatch(f -> f.getMethodName().equals(method));
    }

    @AfterEach
    void theOtherThreadEnds() throws InterruptedException {
      first.interrupt();
      first.join();
    }

    @Test
    void theLimitIsOver() {
      VerbsException late =
          Expect.refused(Errno.ETIMEDOUT, () -> end.receive(Duration.ofMillis(100)));
      assertTrue(late.remedy().contains("within 0.1s"), late.remedy());
      assertTrue(first.isAlive());
    }

    @Test
    void anInterruptEndsTheWait() throws InterruptedException {
      var second =
          new Thread() {
            private Errno refused;
            private boolean interrupted;

            @Override
            public void run() {
              refused = receive(end);
              interrupted = isInterrupted();
            }
          };
      second.start();
      Poll.until(() -> isIn(second, "tryLock"));
      second.interrupt();
      second.join();
      assertEquals(Errno.EINTR, second.refused);
      assertTrue(second.interrupted);
      assertTrue(first.isAlive());
    }
  }
}
