package org.roce4j.connect;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import org.roce4j.verbs.VerbsException;

/**
 * A wait at a TCP socket, in slices: a blocking call of {@code java.net} does not notice that its
 * thread is interrupted, and a pool that shuts down would wait for it.
 */
final class SocketWait {
  private static final int SLICE_MS = 50;

  private final long startNs = System.nanoTime();
  private final Duration patience;

  SocketWait(Duration patience) {
    this.patience = patience;
  }

  /** An attempt at the socket. */
  interface Attempt<T> {
    /**
     * @param timeoutMs milliseconds for {@code setSoTimeout}, 1 or more
     */
    T make(int timeoutMs) throws IOException;
  }

  /**
   * Repeats the attempt until it succeeds.
   *
   * @throws SocketTimeoutException when the time is over
   * @throws VerbsException EINTR if the thread is interrupted; a virtual thread's socket is closed
   */
  <T> T until(Attempt<T> attempt) throws IOException {
    while (true) {
      checkNotInterrupted();
      try {
        return attempt.make(Math.min(AddressExchange.milliseconds(left()), SLICE_MS));
      } catch (SocketTimeoutException e) {
        if (!left().isPositive()) {
          throw e;
        }
      } catch (IOException e) {
        checkNotInterrupted();
        throw e;
      }
    }
  }

  /**
   * Called also after a failure, which the interrupt may have caused.
   *
   * @throws VerbsException EINTR if the thread is interrupted
   */
  static void checkNotInterrupted() {
    if (Thread.currentThread().isInterrupted()) {
      throw VerbsException.interrupted();
    }
  }

  private Duration left() {
    return patience.minusNanos(System.nanoTime() - startNs);
  }
}
