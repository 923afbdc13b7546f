package org.roce4j.port.netty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.roce4j.port.NumberedDatagrams.add;
import static org.roce4j.port.NumberedDatagrams.path;
import static org.roce4j.port.NumberedDatagrams.train;

import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.IdentificationRule;
import org.roce4j.port.Port;
import org.roce4j.port.PortCapabilities;
import org.roce4j.port.PortProvider;
import org.roce4j.verbs.Gid;

class NettyEpollPortTest extends NettyPortContract {
  private static final int SOL_SOCKET = 1;
  private static final int SO_NO_CHECK = 11;

  /** With a train in each, more than the port keeps. */
  private static final int SOCKETS = 80;

  @BeforeEach
  void needsEpoll() {
    assumeTrue(Epoll.isAvailable(), "Netty's epoll library does not load here");
  }

  @Override
  public PortProvider provider() {
    return new NettyPortProvider();
  }

  @Override
  public void refuseTrains(int descriptor) {
    try {
      new Socket(descriptor).setIntOpt(SOL_SOCKET, SO_NO_CHECK, 1);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The port has a queue for datagrams that Netty reads while nobody receives. */
  @Test
  void whatFindsThePortsQueueFullIsCounted() {
    Gid[] many = new Gid[SOCKETS];
    Arrays.setAll(many, i -> Gid.ofIpv4(0x7f00_0100 + i));
    Port left = open(options(Gid.parse("127.0.0.1")));
    Port right = open(options(many));
    Transmit train = train(left);
    int sent = 0;
    for (Gid to : many) {
      train.clear();
      Path path = path(Gid.parse("127.0.0.1"), to, 0, 64);
      while (add(train, path, 32, sent)) {
        sent++;
      }
      left.send(train);
    }
    right.await(1); // reads once from each socket
    int received = 0;
    for (int more = -1; more != 0; received += more) {
      more = right.receive(in -> {}, 256);
    }
    long dropped = right.counters().get(Counter.SOCKET_RECEIVE_DROPPED);
    assertTrue(dropped > 0, "nothing was dropped");
    assertEquals(sent, received + dropped);
  }

  @Test
  void epollIsPreferred() {
    assertEquals("netty-epoll", open(options(Gid.parse("127.0.0.1"))).capabilities().name());
  }

  /** The kernel counts the segments of a train in their identifications. */
  @Test
  void whatItPromisesIsOfItsTransport() {
    assertEquals(
        new PortCapabilities(
            "netty-epoll", false, 64, IdentificationRule.TRAIN_INDEX, true, false, false, true),
        open(options(LEFT)).capabilities());
  }
}
