package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.device.Refusals;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/** Each kind of end has the queue pair that its options describe, and names its peer. */
@Timeout(60)
class OptionsOfEndsTest {
  private static final ConnectionOptions SECOND_PORT =
      ConnectionOptions.DEFAULT
          .withPortNum(2)
          .withGidIndex(1)
          .withTimeout(Duration.ofMillis(1))
          .withMessageBytes(700)
          .withDepth(4)
          .withAttributes(attr -> attr.pathMtu(Mtu.MTU_512).minRnrTimer(5).retryCnt(2));

  @AutoClose private final FabricDevices network = new FabricDevices(FabricOptions.of(1));
  private final Context near = open("near", "10.0.0.1", "10.0.1.1", "10.0.1.2");
  private final Context far = open("far", "10.0.0.9", "10.0.1.9", "10.0.1.10");

  private Context open(String name, String first, String second, String more) {
    DeviceOptions options = network.options(name, Gid.parse(first));
    return network.device(options.withPort(Gid.parse(second), Gid.parse(more))).open();
  }

  private static void asAsked(MessageEnd end) {
    QpAttr attr = end.qp().query();
    assertEquals(2, attr.portNum());
    assertEquals(4, attr.cap().maxSendWr());
    assertEquals(4, attr.cap().maxRecvWr());
    assertEquals(700, end.messageBytes());
  }

  private static void connectedAsAsked(Connection end, Connection peer) {
    asAsked(end);
    QpAttr attr = end.qp().query();
    assertEquals(Mtu.MTU_512, attr.pathMtu());
    assertEquals(5, attr.minRnrTimer());
    assertEquals(2, attr.retryCnt());
    assertEquals(2, attr.ahAttr().portNum());
    assertEquals(1, attr.ahAttr().grh().sgidIndex());
    assertEquals(peer.ownAddress().gid(), attr.ahAttr().grh().dgid());
    assertEquals(peer.qp().qpNum(), attr.destQpNum());
    assertEquals(peer.ownAddress().psn(), attr.rqPsn());
    assertEquals(end.ownAddress().psn(), attr.sqPsn());
    String name =
        "%s (QP 0x%x)".formatted(peer.ownAddress().gid().addressText(), peer.qp().qpNum());
    assertEquals("connection of QP 0x%x with %s".formatted(end.qp().qpNum(), name), end.toString());
    String told = Refusals.refused(Errno.ETIMEDOUT, end::receive).remedy();
    assertTrue(told.startsWith("no message came from " + name + " within 0.001s"), told);
  }

  @Test
  void pairs() {
    try (RcPair pair = RcPair.connect(near, far, SECOND_PORT)) {
      assertEquals(Gid.parse("10.0.1.2"), pair.client().ownAddress().gid());
      connectedAsAsked(pair.client(), pair.server());
      connectedAsAsked(pair.server(), pair.client());
    }
  }

  @Test
  void endsThatListenAndCall() throws Exception {
    ConnectionOptions patient = SECOND_PORT.withTimeout(Duration.ofSeconds(20));
    try (Listener listener = Connection.listen(near, 0, patient)) {
      CompletableFuture<Connection> accepted = CompletableFuture.supplyAsync(listener::accept);
      try (Connection client = Connection.connect(far, "127.0.0.1", listener.port(), patient);
          Connection server = accepted.get(20, TimeUnit.SECONDS)) {
        for (Connection each : List.of(client, server)) {
          asAsked(each);
          assertEquals(Mtu.MTU_512, each.qp().query().pathMtu());
          assertEquals(2, each.qp().query().ahAttr().portNum());
        }
        client.send("hello");
        assertEquals("hello", server.receiveString());
      }
    }
  }

  @Test
  void datagrams() {
    try (UdPair pair = UdPair.connect(near, far, SECOND_PORT)) {
      asAsked(pair.client());
      assertEquals(Gid.parse("10.0.1.2"), pair.client().address().gid());
      assertEquals(Gid.parse("10.0.1.10"), pair.server().address().gid());
      DatagramEnd client = pair.client();
      assertEquals(
          "datagrams of QP 0x%x of 10.0.1.2".formatted(client.qp().qpNum()), client.toString());
      String told = Refusals.refused(Errno.ETIMEDOUT, client::receive).remedy();
      assertTrue(told.startsWith("no message came from " + pair.server().address()), told);
      pair.client().send(new byte[700]);
      Message message = pair.server().receive(Duration.ofSeconds(1));
      assertEquals(700, message.bytes().length);
      assertEquals(client.address(), message.sender());
    }
  }

  /** The longest duration there is counts neither as a short one nor as an error. */
  @Test
  void patienceWithoutEnd() throws Exception {
    ConnectionOptions patient =
        ConnectionOptions.DEFAULT.withTimeout(ChronoUnit.FOREVER.getDuration());
    try (UdPair pair = UdPair.connect(near, far, patient)) {
      pair.client().send("hello"); // under way still when it is waited for
      assertEquals("hello", pair.server().receiveString());
    }
    try (Listener listener = Connection.listen(near, 0, patient)) {
      CompletableFuture<Connection> accepted = CompletableFuture.supplyAsync(listener::accept);
      try (Connection client = Connection.connect(far, "127.0.0.1", listener.port(), patient);
          Connection server = accepted.get(20, TimeUnit.SECONDS)) {
        client.send("hello");
        assertEquals("hello", server.receiveString());
      }
    }
  }

  /** A buffer holds the result of an atomic, however short the messages are. */
  @Test
  void messagesOfOneByte() {
    try (RcPair pair = RcPair.connect(near, far, ConnectionOptions.DEFAULT.withMessageBytes(1))) {
      ExposedBuffer exposed = pair.server().expose(16);
      exposed.memory().set(ValueLayout.JAVA_LONG, 8, -7);
      for (int i = 0; i < ConnectionOptions.DEFAULT.depth(); i++) {
        assertEquals(-7 + i, pair.client().fetchAndAdd(exposed.key(), 8, 1));
      }
      pair.client().write(exposed.key(), 1, new byte[] {1, 2, 3});
      assertArrayEquals(new byte[] {0, 1, 2, 3}, pair.client().read(exposed.key(), 0, 4));
      pair.client().send(new byte[] {9});
      assertArrayEquals(new byte[] {9}, pair.server().receive().bytes());
    }
  }

  /** Where one end says a path MTU, both have it. */
  @Test
  void pathMtuOfOneEnd() {
    ConnectionOptions usual = ConnectionOptions.DEFAULT;
    ConnectionOptions small = usual.withPathMtu(Mtu.MTU_256);
    for (boolean first : List.of(true, false)) {
      try (RcPair pair = RcPair.connect(near, first ? small : usual, far, first ? usual : small)) {
        assertEquals(Mtu.MTU_256, pair.client().qp().query().pathMtu());
        assertEquals(Mtu.MTU_256, pair.server().qp().query().pathMtu());
      }
    }
  }

  @Test
  void pathMtuOfEachEnd() {
    ConnectionOptions usual = ConnectionOptions.DEFAULT;
    try (RcPair pair =
        RcPair.connect(near, usual.withPathMtu(Mtu.MTU_256), far, usual.withPathMtu(Mtu.MTU_512))) {
      assertEquals(Mtu.MTU_256, pair.client().qp().query().pathMtu());
      assertEquals(Mtu.MTU_512, pair.server().qp().query().pathMtu());
    }
  }

  /** The bytes of an RDMA WRITE with immediate data are where they were written. */
  @Test
  void writeWithImmediateDataHasNoBytes() {
    try (RcPair pair = RcPair.connect(near, far);
        SendRequestList write = new SendRequestList(1, 1, 0)) {
      RemoteBuffer remote = pair.server().expose(8).key();
      ExposedBuffer source = pair.client().expose(8);
      write.add().opcode(WrOpcode.RDMA_WRITE_WITH_IMM).immediate(42);
      write.remote(remote.address(), remote.rkey()).sge(source.region(), 0, 8);
      pair.client().qp().postSendOrThrow(write);
      Message message = pair.server().receive();
      assertEquals(0, message.bytes().length);
      assertEquals(42, message.immediate().orElseThrow());
    }
  }
}
