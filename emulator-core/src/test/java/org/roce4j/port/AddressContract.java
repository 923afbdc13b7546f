package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;
import static org.roce4j.port.NumberedDatagrams.add;
import static org.roce4j.port.NumberedDatagrams.path;
import static org.roce4j.port.NumberedDatagrams.receive;
import static org.roce4j.port.NumberedDatagrams.train;

import org.junit.jupiter.api.Test;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;

/** Addresses that are added to an open port and removed. */
interface AddressContract extends PortsUnderTest {
  Gid THIRD = Gid.parse("127.0.0.3");
  Gid FOURTH = Gid.parse("127.0.0.4");

  @Test
  default void anAddressMoreIsSentFromAndReceivedUnder() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    right.add(THIRD);
    Transmit train = train(left);
    add(train, path(LEFT, THIRD, 0, 64), 32, 1);
    left.send(train);
    assertEquals(THIRD, receive(right, 1).getFirst().local());
    train.clear();
    add(train, path(THIRD, LEFT, 0, 64), 32, 2);
    right.send(train);
    assertEquals(THIRD, receive(left, 1).getFirst().source());
  }

  @Test
  default void aRemovedAddressIsSilentAndFree() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT, THIRD));
    Transmit train = train(left);
    add(train, path(THIRD, LEFT, 0, 64), 32, 1);
    right.send(train);
    receive(left, 1);
    right.remove(THIRD);
    right.remove(THIRD);
    right.send(train);
    assertEquals(1, right.counters().get(Counter.SEND_ERROR));
    train.clear();
    add(train, path(LEFT, THIRD, 0, 64), 32, 2);
    left.send(train);
    train.clear();
    add(train, path(LEFT, RIGHT, 0, 64), 32, 3);
    left.send(train);
    assertEquals(RIGHT, receive(right, 1).getFirst().local());
    open(options(THIRD));
  }

  /** The new socket may get the file descriptor of the closed one. */
  @Test
  default void anAddressThatComesAfterAnotherWentSendsNothingOfThat() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT, THIRD));
    Transmit train = train(left);
    add(train, path(THIRD, LEFT, 0, 64), 32, 1);
    right.send(train);
    receive(left, 1);
    right.remove(THIRD);
    right.add(FOURTH);
    right.send(train);
    assertEquals(1, right.counters().get(Counter.SEND_ERROR));
  }

  @Test
  default void anAddressThatIsTakenChangesNothing() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    refused(Errno.EADDRINUSE, () -> right.add(LEFT));
    Transmit train = train(left);
    add(train, path(LEFT, RIGHT, 0, 64), 32, 3);
    left.send(train);
    assertEquals(RIGHT, receive(right, 1).getFirst().local());
  }

  /**
   * A waiting thread receives on an added address, and a removed address does not keep it awake.
   */
  @Test
  default void awaitHearsTheAddressesOfTheMomentAndNoOthers() {
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    Transmit train = train(left);
    add(train, path(LEFT, THIRD, 0, 64), 32, 1);
    for (int i = 0; i < 2; i++) {
      right.add(THIRD);
      right.await(1); // ends the wake-up of the call itself
      left.send(train);
      long start = System.nanoTime();
      right.await(PATIENCE_NS);
      right.await(PATIENCE_NS); // the datagram is still queued
      assertTrue(System.nanoTime() - start < PATIENCE_NS / 2, "await lasted to its limit");
      receive(right, 1);
      right.remove(THIRD);
    }
    assertSleeps(right);
  }
}
