package org.roce4j.hardware;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class GateTest {
  private final Gate gate = new Gate();

  @Test
  void manyMayBeInside() {
    assertTrue(gate.enter());
    assertTrue(gate.enter());
  }

  @Test
  void nobodyEntersAShutGate() {
    assertTrue(gate.shut());
    assertFalse(gate.enter());
    assertFalse(gate.shut(), "it was shut before");
  }

  @Test
  void aGateThatIsOpenedAgainCanBeShutAgain() {
    gate.shut();
    gate.reopen();
    assertTrue(gate.enter());
    gate.leave();
    assertTrue(gate.shut());
  }

  @Test
  void whoShutsItWaitsForThoseInside() throws InterruptedException {
    assertTrue(gate.enter());
    AtomicBoolean left = new AtomicBoolean();
    CountDownLatch shut = new CountDownLatch(1);
    AtomicBoolean leftBefore = new AtomicBoolean();
    Thread closer =
        Thread.ofPlatform()
            .start(
                () -> {
                  gate.shut();
                  leftBefore.set(left.get());
                  shut.countDown();
                });
    while (gate.enter()) {
      gate.leave();
      Thread.onSpinWait();
    }
    left.set(true);
    gate.leave();
    assertTrue(shut.await(10, TimeUnit.SECONDS));
    assertTrue(leftBefore.get());
    closer.join();
  }
}
