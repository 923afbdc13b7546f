package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.roce4j.device.Refusals.refused;
import static org.roce4j.port.NumberedDatagrams.add;
import static org.roce4j.port.NumberedDatagrams.path;
import static org.roce4j.port.NumberedDatagrams.receive;
import static org.roce4j.port.NumberedDatagrams.train;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.NumberedDatagrams.Datagram;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;

/** Multicast groups. */
interface GroupContract extends PortsUnderTest {
  @Test
  default void aGroupThatIsJoinedDuringAnAwaitIsHeardByIt() throws InterruptedException {
    Gid group = Gid.parse("239.255.47.94");
    Port left = open(options(LEFT));
    Port right = openForAnother(options(RIGHT));
    assumeTrue(right.capabilities().multicast());
    AtomicBoolean heard = new AtomicBoolean();
    Thread waiter =
        Thread.ofPlatform()
            .start(
                () -> {
                  right.adopt();
                  while (!heard.get()) {
                    right.await(4 * PATIENCE_NS); // the join must end it
                    right.receive(in -> heard.set(true), 8);
                  }
                  right.close();
                });
    LockSupport.parkNanos(50_000_000);
    right.join(group, RIGHT);
    Transmit train = train(left);
    add(train, path(LEFT, group, 0, 1), 32, 1);
    long start = System.nanoTime();
    do {
      left.send(train); // a thread of the port may not have joined yet
    } while (!waiter.join(Duration.ofMillis(50)) && System.nanoTime() - start < PATIENCE_NS);
    assertFalse(waiter.isAlive(), "a thread that waits does not hear the group");
  }

  @Test
  default void membersOfAGroupReceiveWhatIsSentToIt() {
    Gid group = Gid.parse("239.255.47.91");
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    assumeTrue(right.capabilities().multicast());
    Transmit train = train(left);
    Path path = path(LEFT, group, 0, 1);
    right.join(group, RIGHT);
    right.join(group, RIGHT);
    add(train, path, 32, 4);
    left.send(train);
    receive(right, 1);
    right.await(1);
    assertEquals(0, right.receive(in -> {}, 8), "a group that is joined twice is heard once");
    right.leave(group, RIGHT);
    train.clear();
    add(train, path, 32, 5);
    left.send(train);
    Datagram datagram = receive(right, 1).getFirst();
    assertEquals(group, datagram.local());
    assertEquals(LEFT, datagram.source());
    assertEquals(IcrcVerdict.RIGHT, datagram.icrc());
    right.leave(group, RIGHT);
    left.send(train);
    train.clear();
    add(train, path(LEFT, RIGHT, 0, 64), 32, 6);
    left.send(train);
    assertEquals(RIGHT, receive(right, 1).getFirst().local());
  }

  @Test
  default void aGroupThatWasLeftCanBeJoinedAgain() {
    Gid group = Gid.parse("239.255.47.93");
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    assumeTrue(right.capabilities().multicast());
    Transmit train = train(left);
    for (int round = 0; round < 3; round++) {
      right.join(group, RIGHT);
      train.clear();
      add(train, path(LEFT, group, 0, 1), 32, round);
      left.send(train);
      assertEquals(group, receive(right, 1).getFirst().local());
      right.leave(group, RIGHT);
    }
  }

  /** A datagram to a group is heard by each address that has joined. */
  @Test
  default void eachMembershipEndsAlone() {
    Gid one = Gid.parse("239.255.47.95");
    Gid other = Gid.parse("239.255.47.96");
    Gid third = Gid.parse("127.0.0.3");
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT, third));
    assumeTrue(right.capabilities().multicast());
    right.join(one, RIGHT);
    right.join(one, third);
    right.join(other, third);
    assertEquals(List.of(one + " by " + RIGHT, one + " by " + third), heard(left, one, right, 2));
    assertEquals(List.of(other + " by " + third), heard(left, other, right, 1));
    right.leave(one, third);
    assertEquals(List.of(one + " by " + RIGHT), heard(left, one, right, 1));
    assertEquals(List.of(other + " by " + third), heard(left, other, right, 1));
  }

  @Test
  default void aMembershipOutlastsOtherAddressesOfItsPort() {
    Gid group = Gid.parse("239.255.47.97");
    Gid third = Gid.parse("127.0.0.3");
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    assumeTrue(right.capabilities().multicast());
    right.join(group, RIGHT);
    right.add(third);
    assertEquals(List.of(group + " by " + RIGHT), heard(left, group, right, 1));
    right.remove(third);
    assertEquals(List.of(group + " by " + RIGHT), heard(left, group, right, 1));
    right.leave(group, RIGHT);
    right.add(third);
    right.join(group, third);
    assertEquals(List.of(group + " by " + third), heard(left, group, right, 1));
  }

  /** Sends to a group; what a port hears of it, and by which of its addresses. */
  private List<String> heard(Port from, Gid group, Port by, int count) {
    Transmit train = train(from);
    add(train, path(LEFT, group, 0, 1), 32, 1);
    from.send(train);
    List<String> heard = new ArrayList<>();
    long start = System.nanoTime();
    while (heard.size() < count && System.nanoTime() - start < PATIENCE_NS) {
      by.receive(
          in ->
              heard.add(
                  new Gid(in.localHigh(), in.localLow())
                      + " by "
                      + new Gid(in.heardHigh(), in.heardLow())),
          8);
      by.await(1_000_000);
    }
    Collections.sort(heard);
    return heard;
  }

  @Test
  default void aDatagramToAGroupHasTheHopLimitOfItsPathAndEndsAnAwait() {
    Gid group = Gid.parse("239.255.47.92");
    Port left = open(options(LEFT));
    Port right = open(options(RIGHT));
    assumeTrue(right.capabilities().multicast());
    right.join(group, RIGHT);
    right.await(1); // the wake-up of the join itself is over
    right.await(1);
    Transmit train = train(left);
    for (int hopLimit : new int[] {64, 3}) {
      train.clear();
      add(train, path(LEFT, group, 0, hopLimit), 32, hopLimit);
      long start = System.nanoTime();
      left.send(train);
      right.await(PATIENCE_NS);
      assertTrue(System.nanoTime() - start < PATIENCE_NS, "the arrival woke nobody");
      Datagram datagram = receive(right, 1).getFirst();
      boolean told = right.capabilities().hopLimitIn();
      assertEquals(told ? hopLimit : Inbound.UNKNOWN, datagram.hopLimit());
    }
    right.leave(group, RIGHT);
  }

  @Test
  default void joiningWhatIsNoGroupIsRefused() {
    Port port = open(options(LEFT));
    assumeTrue(port.capabilities().multicast());
    refused(Errno.EINVAL, () -> port.join(RIGHT, LEFT));
  }

  @Test
  default void aGroupIsJoinedByAnAddressOfThePortAndOfItsFamily() {
    Port port = open(options(LEFT));
    assumeTrue(port.capabilities().multicast());
    refused(Errno.EINVAL, () -> port.join(Gid.parse("239.255.47.98"), RIGHT));
    refused(Errno.EINVAL, () -> port.join(Gid.parse("ff15::1234"), LEFT));
  }
}
