package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.verbs.Refusals.refused;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.Errno;

/** A wait at a socket is made of slices, between which an interrupt is noticed. */
class SocketWaitTest {
  private final List<Integer> slices = new ArrayList<>();

  @AfterEach
  void clear() {
    Thread.interrupted();
  }

  private static SocketWait of(long ms) {
    return new SocketWait(Duration.ofMillis(ms));
  }

  @Test
  void anAttemptIsRepeatedUntilItSucceeds() throws IOException {
    String answer =
        of(60_000)
            .until(
                ms -> {
                  slices.add(ms);
                  if (slices.size() < 3) {
                    throw new SocketTimeoutException();
                  }
                  return "done";
                });
    assertEquals("done", answer);
    assertEquals(List.of(50, 50, 50), slices);
  }

  @Test
  void theLastSliceEndsWithTheWait() {
    long beganNs = System.nanoTime();
    assertThrows(
        SocketTimeoutException.class,
        () ->
            of(70)
                .until(
                    ms -> {
                      slices.add(ms);
                      Thread.yield();
                      throw new SocketTimeoutException();
                    }));
    assertTrue(System.nanoTime() - beganNs >= 70_000_000);
    assertTrue(slices.stream().allMatch(ms -> ms >= 1 && ms <= 50), slices::toString);
  }

  @Test
  void aThreadThatIsInterruptedMakesNoAttempt() {
    Thread.currentThread().interrupt();
    refused(Errno.EINTR, () -> of(60_000).until(slices::add));
    assertEquals(List.of(), slices);
    assertTrue(Thread.interrupted(), "the interrupt is still to be seen");
  }

  @Test
  void anInterruptWhileItTriesIsWhyItFailed() {
    refused(
        Errno.EINTR,
        () ->
            of(60_000)
                .until(
                    ms -> {
                      Thread.currentThread().interrupt();
                      throw new IOException("closed by interrupt");
                    }));
  }

  @Test
  void anotherFailureIsToldAsItIs() {
    IOException reset = new IOException("connection reset");
    assertSame(
        reset,
        assertThrows(
            IOException.class,
            () ->
                of(60_000)
                    .until(
                        ms -> {
                          throw reset;
                        })));
  }
}
