package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.VerbsException;

/** A thread that sends, or reads a message, holds that half of its end against other threads. */
@Timeout(60)
class TurnsOfThreadsTest extends ConnectRig {
  private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);

  /** Set by a thread that has its turn. */
  private static volatile CountDownLatch taken;

  /** What that thread waits for; null: a record does not wait. */
  private static volatile BooleanSupplier over;

  private final Connection client = pair.client();

  TurnsOfThreadsTest() {
    super(ConnectionOptions.DEFAULT.withTimeout(Duration.ofMillis(20)));
  }

  /** A message during whose reading another thread is at work. */
  record SlowlyRead(int value) {
    SlowlyRead {
      if (over != null) {
        untilItIsOver();
      }
    }
  }

  private static void untilItIsOver() {
    long beganNs = System.nanoTime();
    taken.countDown();
    while (!over.getAsBoolean()) {
      assertTrue(System.nanoTime() - beganNs < PATIENCE_NS, "what is waited for does not come");
      Thread.onSpinWait();
    }
    over = null;
  }

  /** A half of an end. */
  enum Half {
    SENDING {
      @Override
      void hold(Connection end) {
        try (SendBuffers.Turn _ = end.begin()) {
          untilItIsOver();
        }
      }

      @Override
      void use(Connection end) {
        end.send("x");
      }
    },
    RECEIVING {
      @Override
      void hold(Connection end) {
        assertEquals(1, end.receive(SlowlyRead.class).value());
      }

      @Override
      void use(Connection end) {
        end.receive();
      }
    };

    abstract void hold(Connection end);

    abstract void use(Connection end);
  }

  @BeforeEach
  void prepare() {
    over = null;
    taken = new CountDownLatch(1);
    pair.server().send(new SlowlyRead(1));
  }

  private CompletableFuture<Void> holding(Half half, BooleanSupplier until) throws Exception {
    over = until;
    CompletableFuture<Void> busy = CompletableFuture.runAsync(() -> half.hold(client));
    assertTrue(taken.await(PATIENCE_NS, TimeUnit.NANOSECONDS));
    return busy;
  }

  @ParameterizedTest
  @EnumSource
  void closingStopsTheQueuePairFirst(Half half) throws Exception {
    CompletableFuture<Void> busy = holding(half, () -> client.qp().state() == QpState.ERR);
    client.close();
    busy.get(PATIENCE_NS, TimeUnit.NANOSECONDS);
    refused(Errno.ENOTCONN, () -> half.use(client));
  }

  /** Its queue pair cannot be stopped any more; the turn of the other thread is waited for. */
  @ParameterizedTest
  @EnumSource
  void anEndWhoseContextWasClosedIsClosedAsWell(Half half) throws Exception {
    FutureTask<Void> closing = new FutureTask<>(client::close, null);
    Thread closer = Thread.ofPlatform().unstarted(closing);
    CompletableFuture<Void> busy =
        holding(half, () -> closer.getState().compareTo(Thread.State.RUNNABLE) > 0);
    client.qp().context().close();
    closer.start();
    closing.get(PATIENCE_NS, TimeUnit.NANOSECONDS);
    busy.handle((_, _) -> null).get(PATIENCE_NS, TimeUnit.NANOSECONDS);
    refused(Errno.ENOTCONN, () -> half.use(client));
  }

  @ParameterizedTest
  @EnumSource
  void aTurnThatDoesNotComeInTimeIsToldAsSuch(Half half) throws Exception {
    CountDownLatch end = new CountDownLatch(1);
    CompletableFuture<Void> busy = holding(half, () -> end.getCount() == 0);
    String told = refused(Errno.ETIMEDOUT, () -> half.use(client)).remedy();
    boolean sending = half == Half.SENDING;
    assertTrue(told.startsWith(sending ? "a request under way was not" : "no message came"), told);
    end.countDown();
    busy.get(PATIENCE_NS, TimeUnit.NANOSECONDS);
  }

  /** Whether it succeeds or not. */
  @Test
  void everyCallGivesItsTurnBack() {
    RemoteBuffer remote = pair.server().expose(64).key();
    RemoteBuffer wrong = new RemoteBuffer(remote.address(), remote.rkey() + 1, 64);
    MemorySegment into = MemorySegment.ofArray(new byte[8]);
    List<Runnable> calls =
        List.of(
            () -> client.send("x"),
            () -> client.write(remote, 0, new byte[8]),
            () -> client.read(remote, 0, into),
            () -> client.fetchAndAdd(remote, 0, 1),
            () -> client.compareAndSwap(remote, 0, 1, 2));
    for (Runnable call : calls) {
      call.run();
      assertFalse(client.outbox().turns().isTaken());
    }
    List<Runnable> failing =
        List.of(
            () -> client.read(wrong, 0, into),
            () -> client.write(remote, 0, new byte[8]),
            () -> client.fetchAndAdd(remote, 0, 1),
            () -> client.send("x"));
    for (Runnable call : failing) {
      assertThrows(VerbsException.class, call::run);
      assertFalse(client.outbox().turns().isTaken());
    }
  }

  @Test
  void aDestinationIsSetInATurn() {
    try (DatagramEnd end = DatagramEnd.open(near)) {
      end.to(new DatagramAddress(pair.server().ownAddress().gid(), 5));
      assertFalse(end.outbox().turns().isTaken());
      DatagramAddress unreachable = new DatagramAddress(Gid.parse("fd00::1"), 5);
      assertThrows(VerbsException.class, () -> end.to(unreachable));
      assertFalse(end.outbox().turns().isTaken());
    }
  }

  @Test
  void aReceiveGivesItsTurnBack() throws Exception {
    client.receive();
    CompletableFuture.runAsync(pair::close).get(PATIENCE_NS, TimeUnit.NANOSECONDS);
    for (Half half : Half.values()) {
      refused(Errno.ENOTCONN, () -> half.use(client));
    }
  }
}
