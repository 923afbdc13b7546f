package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.port.NumberedDatagrams.add;
import static org.roce4j.port.NumberedDatagrams.path;
import static org.roce4j.port.NumberedDatagrams.receive;
import static org.roce4j.port.NumberedDatagrams.train;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Gid;

/** Events that end {@link Port#await}, and events that do not. */
interface WaitingContract extends PortsUnderTest {
  @Test
  default void wakeupEndsAnAwaitInProgress() throws InterruptedException {
    Port port = open(options(LEFT));
    Thread waker =
        Thread.ofPlatform()
            .start(
                () -> {
                  LockSupport.parkNanos(20_000_000);
                  port.wakeup();
                });
    long start = System.nanoTime();
    port.await(PATIENCE_NS);
    assertTrue(System.nanoTime() - start < PATIENCE_NS / 2, "await lasted to its limit");
    waker.join();
  }

  /** A port for any thread is for all threads; another port is for its first thread only. */
  @Test
  default void anAdoptedPortIsAdoptedByNoOther() throws InterruptedException {
    Port port = open(options(LEFT));
    port.adopt();
    Class<?>[] thrown = new Class<?>[1];
    Thread.ofPlatform()
        .start(
            () -> {
              try {
                port.adopt();
              } catch (IllegalStateException e) {
                thrown[0] = e.getClass();
              }
            })
        .join();
    assertEquals(port.capabilities().anyThread() ? null : IllegalStateException.class, thrown[0]);
  }

  @Test
  default void wakeupBeforehandEndsTheNextAwait() {
    Port port = open(options(LEFT));
    for (int i = 0; i < 3; i++) {
      port.wakeup();
      port.wakeup();
      long start = System.nanoTime();
      port.await(PATIENCE_NS);
      assertTrue(System.nanoTime() - start < PATIENCE_NS / 2, "await lasted to its limit");
    }
  }

  @Test
  default void anArrivalEndsAwait() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    Transmit train = train(left);
    add(train, path(LEFT, RIGHT, 0, 64), 32, 1);
    left.send(train);
    long start = System.nanoTime();
    right.await(PATIENCE_NS);
    right.await(PATIENCE_NS); // the datagram is still queued
    assertTrue(System.nanoTime() - start < PATIENCE_NS / 2, "await lasted to its limit");
    receive(right, 1);
  }

  /** A port that always ends a wait early burns a processor. */
  @Test
  default void withNothingToWaitForAwaitSleeps() {
    Port port = open(options(LEFT));
    Gid group = Gid.parse("239.255.47.93");
    port.wakeup();
    if (port.capabilities().multicast()) {
      port.join(group, LEFT);
      port.leave(group, LEFT);
    }
    Transmit train = train(port);
    add(train, path(LEFT, LEFT, 0, 64), 32, 1);
    port.send(train);
    receive(port, 1);
    assertSleeps(port);
  }

  @Test
  default void awaitKeepsItsLimit() {
    Port port = open(options(LEFT));
    long start = System.nanoTime();
    port.await(30_000_000);
    long lasted = System.nanoTime() - start;
    assertTrue(lasted < PATIENCE_NS / 2, "lasted " + lasted);
    port.await(0);
  }

  @Test
  default void closingEndsAnAwaitInProgress() throws InterruptedException {
    Port port = openForAnother(options(LEFT));
    AtomicBoolean closing = new AtomicBoolean();
    Thread waiter =
        Thread.ofPlatform()
            .start(
                () -> {
                  port.adopt();
                  do {
                    // The call may return early.
                    port.await(Long.MAX_VALUE);
                  } while (!closing.get());
                });
    LockSupport.parkNanos(50_000_000);
    closing.set(true);
    port.close();
    waiter.join(PATIENCE_NS / 1_000_000);
    assertFalse(waiter.isAlive(), "closing did not end the wait");
    open(options(LEFT));
  }
}
