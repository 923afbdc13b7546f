package org.roce4j.connect;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.device.Refusals;
import org.roce4j.verbs.Errno;

/** A call that fails gives its turn back, so that other threads go on. */
@Timeout(60)
class ReturnedTurnsTest extends ConnectRig {
  private static final ConnectionOptions NARROW =
      ConnectionOptions.DEFAULT.withDepth(1).withTimeout(Duration.ofMillis(50));

  ReturnedTurnsTest() {
    super(NARROW);
  }

  /** The only buffer is that of the request before, which has timed out and is still under way. */
  @Test
  void aSendThatFindsNoBufferInTimeHoldsNobodyUp() throws Exception {
    pair.client().send("fills the peer's only buffer");
    Refusals.refused(Errno.ETIMEDOUT, () -> pair.client().send("is under way"));
    Refusals.refused(Errno.ETIMEDOUT, () -> pair.client().send("finds no buffer"));
    CompletableFuture.runAsync(pair::close).get(20, TimeUnit.SECONDS);
  }

  @Test
  void aReceiveInVainHoldsNobodyUp() throws Exception {
    Refusals.refused(Errno.ETIMEDOUT, () -> pair.client().receive());
    CompletableFuture.runAsync(pair::close).get(20, TimeUnit.SECONDS);
  }
}
