package org.roce4j.connect;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;

/** A call that fails gives its turn back, so that other threads go on. */
@EmulatedRdma
@Timeout(60)
class ReturnedTurnsTest {
  private static final ConnectionOptions NARROW =
      ConnectionOptions.DEFAULT.withDepth(1).withTimeout(Duration.ofMillis(50));

  /** The only buffer is that of the request before, which has timed out and is still under way. */
  @Test
  void aSendThatFindsNoBufferInTimeHoldsNobodyUp(Context a, Context b) throws Exception {
    RcPair pair = RcPair.connect(a, b, NARROW);
    pair.client().send("fills the peer's only buffer");
    Expect.refused(Errno.ETIMEDOUT, () -> pair.client().send("is under way"));
    Expect.refused(Errno.ETIMEDOUT, () -> pair.client().send("finds no buffer"));
    CompletableFuture.runAsync(pair::close).get(20, TimeUnit.SECONDS);
  }

  @Test
  void aReceiveInVainHoldsNobodyUp(Context a, Context b) throws Exception {
    RcPair pair = RcPair.connect(a, b, NARROW);
    Expect.refused(Errno.ETIMEDOUT, () -> pair.client().receive());
    CompletableFuture.runAsync(pair::close).get(20, TimeUnit.SECONDS);
  }
}
