package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;
import static org.roce4j.port.NumberedDatagrams.add;
import static org.roce4j.port.NumberedDatagrams.assertPayload;
import static org.roce4j.port.NumberedDatagrams.path;
import static org.roce4j.port.NumberedDatagrams.receive;
import static org.roce4j.port.NumberedDatagrams.train;

import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/** The addresses that a port opens; closing releases them. */
interface OpeningContract extends PortsUnderTest {
  @Test
  default void anAddressInUseIsNamedWithAFreeOne() {
    open(options(LEFT));
    VerbsException refused = refused(Errno.EADDRINUSE, () -> provider().open(options(LEFT)));
    String remedy = refused.remedy();
    assertTrue(remedy.contains("127.0.0.1:" + udpPort()), remedy);
    Optional<String> free =
        Pattern.compile("127\\.0\\.0\\.(?!1\\b)\\d+")
            .matcher(remedy)
            .results()
            .map(MatchResult::group)
            .findFirst();
    assertTrue(free.isPresent(), remedy);
    open(options(Gid.parse(free.get())));
  }

  @Test
  default void aFailedOpenLeavesNothingBound() {
    Port taken = open(options(RIGHT));
    assertThrows(VerbsException.class, () -> provider().open(options(LEFT, RIGHT)));
    taken.close();
    open(options(LEFT, RIGHT));
  }

  @Test
  default void aForeignAddressIsRefusedAndOursAreNamed() {
    VerbsException refused =
        refused(Errno.EADDRNOTAVAIL, () -> provider().open(options(Gid.parse("192.0.2.1"))));
    assertTrue(refused.remedy().contains("127.0.0.1"), refused.remedy());
  }

  @Test
  default void closingTwiceIsHarmlessAndFreesTheAddress() {
    Port port = open(options(LEFT));
    port.close();
    port.close();
    assertEquals(0, port.receive(in -> {}, 8));
    port.await(PATIENCE_NS);
    port.wakeup();
    Transmit train = train(port);
    add(train, path(LEFT, LEFT, 0, 64), 32, 1);
    port.send(train);
    open(options(LEFT));
  }

  /** The later one may have the descriptors of the closed one. */
  @Test
  default void aClosedPortDoesNothingToOneThatWasOpenedLater() {
    Port right = open(options(RIGHT));
    Port closed = open(options(LEFT));
    closed.close();
    Port later = open(options(LEFT));
    closed.close();
    Transmit train = train(right);
    add(train, path(LEFT, RIGHT, 0, 64), 32, 1);
    closed.send(train);
    train.clear();
    add(train, path(RIGHT, LEFT, 0, 64), 32, 2);
    right.send(train);
    later.await(PATIENCE_NS);
    assertEquals(0, closed.receive(in -> {}, 8));
    assertPayload(32, 2, receive(later, 1).getFirst());
    train.clear();
    add(train, path(LEFT, RIGHT, 0, 64), 32, 3);
    later.send(train);
    assertPayload(32, 3, receive(right, 1).getFirst());
  }
}
