package org.roce4j.port.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.port.NumberedDatagrams.add;
import static org.roce4j.port.NumberedDatagrams.path;
import static org.roce4j.port.NumberedDatagrams.receive;
import static org.roce4j.port.NumberedDatagrams.train;

import io.netty.buffer.PooledByteBufAllocator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.Port;
import org.roce4j.port.PortContract;

/** The contract of a port on any transport of Netty, which must return its buffers to Netty. */
abstract class NettyPortContract extends PortContract {
  private static final int ROUNDS = 200;
  private static final int EACH_ROUND = 40;

  /** Netty may keep so much for reuse. The smallest buffer for reading has 8 KiB. */
  private static final long KEPT_BYTES = ROUNDS * EACH_ROUND * (8L << 10) / 4;

  private static long memory() {
    return PooledByteBufAllocator.DEFAULT.metric().usedDirectMemory();
  }

  private static void leavesNothing(Runnable round) {
    for (int i = 0; i < ROUNDS / 4; i++) {
      round.run();
    }
    long before = memory();
    for (int i = 0; i < ROUNDS; i++) {
      round.run();
    }
    long kept = memory() - before;
    assertTrue(kept < KEPT_BYTES, () -> kept + " bytes are kept");
  }

  private static void send(Port from) {
    Transmit train = train(from);
    for (int i = 0; i < EACH_ROUND; i++) {
      train.clear();
      add(train, path(LEFT, RIGHT, 0, 64), 32, i);
      from.send(train);
    }
  }

  @Test
  void buffersOfWhatIsHandedOverAreGivenBack() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    leavesNothing(
        () -> {
          send(left);
          receive(right, EACH_ROUND);
        });
  }

  @Test
  void buffersOfWhatNobodyReceivedAreGivenBackAtTheEnd() {
    Port left = open(options(LEFT));
    leavesNothing(
        () -> {
          Port right = provider().open(options(RIGHT));
          right.adopt();
          send(left);
          right.await(1_000_000);
          right.close();
        });
  }

  /** A port whose addresses come and go takes in what arrives meanwhile, as much as it keeps. */
  @Test
  void buffersOfWhatFoundNoRoomAreGivenBack() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    fill(left, right);
    leavesNothing(() -> sendAndTakeIn(left, right));
  }

  private void sendAndTakeIn(Port left, Port right) {
    send(left);
    for (int i = 0; i < EACH_ROUND / 8; i++) {
      right.add(THIRD);
      right.remove(THIRD);
    }
  }

  private void fill(Port left, Port right) {
    while (right.counters().get(Counter.SOCKET_RECEIVE_DROPPED) == 0) {
      sendAndTakeIn(left, right);
    }
  }

  @Test
  void buffersThatAnEndedThreadLeftAreGivenBackAtTheEnd() throws InterruptedException {
    long before = memory();
    Port left = openForAnother(options(LEFT));
    Port right = openForAnother(options(RIGHT));
    Thread owner =
        new Thread(
            () -> {
              right.adopt();
              fill(left, right);
            });
    owner.start();
    owner.join();
    long full = memory() - before;
    right.close();
    long kept = memory() - before;
    assertTrue(kept < full / 2, () -> kept + " of " + full + " bytes are kept");
  }

  /** An interrupted thread does not wait for the owner. */
  @Test
  void buffersOfAThreadThatIsBusyAtTheEndAreGivenBackWhenItEnds() throws InterruptedException {
    long before = memory();
    Port left = openForAnother(options(LEFT));
    Port right = openForAnother(options(RIGHT));
    CompletableFuture<Void> full = new CompletableFuture<>();
    CompletableFuture<Void> over = new CompletableFuture<>();
    Thread owner =
        Thread.ofPlatform()
            .start(
                () -> {
                  right.adopt();
                  fill(left, right);
                  full.complete(null);
                  over.join();
                });
    full.join();
    long kept = memory() - before;
    Thread.currentThread().interrupt();
    right.close();
    assertTrue(Thread.interrupted(), "the interrupt is kept");
    over.complete(null);
    owner.join();
    long start = System.nanoTime();
    while (memory() - before > kept / 2) {
      assertTrue(
          System.nanoTime() - start < PATIENCE_NS, () -> memory() - before + " bytes are kept");
      Thread.onSpinWait();
    }
  }

  @Test
  void buffersOfWhatASinkThrewAtAreGivenBack() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    DatagramSink throwing =
        in -> {
          throw new IllegalStateException("thrown by a test");
        };
    leavesNothing(
        () -> {
          send(left);
          assertThrows(IllegalStateException.class, () -> right.receive(throwing, EACH_ROUND));
          while (right.receive(in -> {}, EACH_ROUND) > 0) {
            // the others
          }
        });
  }

  /** Also one that threw at what had been read before the call. */
  @Test
  void aSinkThatThrewHearsNothingMore() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    send(left);
    right.await(PATIENCE_NS); // reads some
    AtomicInteger heard = new AtomicInteger();
    DatagramSink throwing =
        in -> {
          heard.incrementAndGet();
          throw new IllegalStateException("thrown by a test");
        };
    assertThrows(IllegalStateException.class, () -> right.receive(throwing, 1));
    sendAndTakeIn(left, right);
    assertEquals(1, heard.get());
    receive(right, 2 * EACH_ROUND - 1);
  }

  @Test
  void aPortThatNobodyAdoptedFreesItsAddress() {
    provider().open(options(LEFT)).close();
    open(options(LEFT));
  }

  @Test
  void onlyItsThreadUsesAPort() throws InterruptedException {
    Port port = open(options(LEFT));
    Transmit train = train(port);
    add(train, path(LEFT, LEFT, 0, 64), 32, 1);
    List<Runnable> uses =
        List.of(
            () -> port.receive(in -> {}, 8), () -> port.await(1_000_000), () -> port.send(train));
    AtomicInteger refused = new AtomicInteger();
    Thread.ofPlatform()
        .start(
            () -> {
              for (Runnable use : uses) {
                String told = assertThrows(IllegalStateException.class, use::run).getMessage();
                refused.addAndGet(told.endsWith("which adopted it") ? 1 : 0);
              }
            })
        .join();
    assertEquals(uses.size(), refused.get());
    assertEquals(0, port.receive(in -> {}, 8));
  }

  /**
   * What was read while nobody received waits for the calls, and each takes no more than it may.
   */
  @Test
  void aCallTakesItsBudgetOfWhatWaits() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    send(left);
    right.await(PATIENCE_NS); // reads some
    assertEquals(2, right.receive(in -> {}, 2));
    assertEquals(2, right.receive(in -> {}, 2));
    receive(right, EACH_ROUND - 4);
  }

  @Test
  void aSinkMayCloseItsPort() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    send(left);
    int taken = 0;
    while (taken == 0) {
      taken = right.receive(in -> right.close(), 1);
    }
    assertEquals(0, right.receive(in -> {}, 8));
    open(options(RIGHT));
  }
}
