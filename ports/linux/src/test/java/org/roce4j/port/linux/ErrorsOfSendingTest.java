package org.roce4j.port.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.NumberedDatagrams.Datagram;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;

/** What the kernel may answer to a datagram or a train, and what becomes of it. */
@EnabledOnOs(OS.LINUX)
class ErrorsOfSendingTest {
  /** A send is tried without its errno, and then with it. */
  private static final int BOTH_CALLS = 2;

  private static final Gid LEFT = Gid.parse("127.0.0.1");
  private static final Gid RIGHT = Gid.parse("127.0.0.2");
  private static final int SIZE = 80;

  private final int udpPort = NumberedDatagrams.freeUdpPort();
  private final Port left = new FailingLibc().provider().open(options(LEFT));
  private final Port right = new LinuxPortProvider().open(options(RIGHT));
  private final Path path = NumberedDatagrams.path(LEFT, RIGHT, 0, 64);
  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), Transmit.MAX_SEGMENTS);

  private PortOptions options(Gid gid) {
    return PortOptions.of(List.of(gid)).withUdpPort(udpPort);
  }

  @AfterEach
  void close() {
    SystemCalls.failSends(0, 0);
    left.close();
    right.close();
  }

  /** Sends a train; the number of its datagrams that arrive, all of them right. */
  private int arriving(int datagrams) {
    train.clear();
    for (int i = 0; i < datagrams; i++) {
      assertTrue(NumberedDatagrams.add(train, path, SIZE, i));
    }
    left.send(train);
    List<Datagram> arrived = new ArrayList<>();
    while (right.receive(in -> arrived.add(Datagram.of(in)), 256) > 0) {
      assertTrue(arrived.size() <= datagrams);
    }
    arrived.forEach(each -> assertEquals(IcrcVerdict.RIGHT, each.icrc()));
    return arrived.size();
  }

  private long lost() {
    return left.counters().get(Counter.SEND_ERROR);
  }

  private long refusedTrains() {
    return left.counters().get(Counter.GSO_REFUSED);
  }

  /** No error of this datagram, or none that lasts. */
  @ParameterizedTest
  @EnumSource(names = {"EAGAIN", "EINTR", "ECONNREFUSED"})
  void aDatagramIsSentAgainOnce(Errno errno) {
    SystemCalls.failSends(BOTH_CALLS, errno.number());
    assertEquals(1, arriving(1));
    assertEquals(0, lost());
    SystemCalls.failSends(BOTH_CALLS + 1, errno.number());
    assertEquals(0, arriving(1));
    assertEquals(1, lost());
  }

  @ParameterizedTest
  @EnumSource(names = {"EPERM", "ENETUNREACH", "ENOBUFS", "EMSGSIZE"})
  void aDatagramThatIsRefusedIsLost(Errno errno) {
    SystemCalls.failSends(BOTH_CALLS, errno.number());
    assertEquals(0, arriving(1));
    assertEquals(1, lost());
    assertEquals(0, refusedTrains());
    assertEquals(1, arriving(1));
  }

  @ParameterizedTest
  @EnumSource(names = {"EIO", "EINVAL", "EMSGSIZE", "EOPNOTSUPP"})
  void aTrainThatIsRefusedGoesSinglyAndNoneIsTriedAgain(Errno errno) {
    SystemCalls.failSends(BOTH_CALLS, errno.number());
    assertEquals(3, arriving(3));
    assertEquals(1, refusedTrains());
    assertEquals(0, lost());
    SystemCalls.failSends(BOTH_CALLS, errno.number());
    assertEquals(2, arriving(3));
    assertEquals(1, refusedTrains());
    assertEquals(1, lost());
  }

  /** The kernel refuses more than trains, so the next train is tried. */
  @Test
  void aTrainOfDatagramsThatAreRefusedTooIsNoReasonToSendSingly() {
    SystemCalls.failSends(2 * BOTH_CALLS, Errno.EIO.number());
    assertEquals(2, arriving(3));
    assertEquals(1, lost());
    SystemCalls.failSends(BOTH_CALLS, Errno.EIO.number());
    assertEquals(3, arriving(3));
    assertEquals(2, refusedTrains());
  }

  @Test
  void aTrainIsLostWhenNoMoreCanBeSentAtAll() {
    SystemCalls.failSends(BOTH_CALLS, Errno.ENETUNREACH.number());
    assertEquals(0, arriving(3));
    assertEquals(3, lost());
    assertEquals(0, refusedTrains());
  }
}
