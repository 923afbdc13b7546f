package org.roce4j.connect;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;

/** Ends of datagrams on one thread, in virtual time. */
class DatagramsOfAPairTest extends ConnectRig {
  private final UdPair ends = UdPair.connect(near, far);
  private final DatagramEnd client = ends.client();
  private final DatagramEnd server = ends.server();

  @Test
  void aMessageSaysWhoSentItAndThatIsWhereAnAnswerGoes() {
    DatagramEnd third = DatagramEnd.open(near);
    assertSame(third, third.to(server.address()));
    third.send("question");
    client.send(new byte[0]);
    Message question = server.receive();
    assertEquals("question", question.text());
    assertEquals(third.address(), question.sender());
    assertEquals("message of 8 bytes from " + third.address(), question.toString());
    Message empty = server.receive();
    assertEquals(0, empty.bytes().length);
    assertEquals(client.address(), empty.sender());
    server.to(question.sender()).send("answer");
    assertEquals("answer", third.receiveString());
    refused(Errno.ETIMEDOUT, () -> client.receive(Duration.ofMillis(1)));
    third.close();
  }

  @Test
  void anEndWithoutDestinationDoesNotSend() {
    try (DatagramEnd end = DatagramEnd.open(near)) {
      refused(Errno.EDESTADDRREQ, () -> end.send("where?"));
      end.to(server.address()).send("there");
      assertEquals("there", server.receiveString());
    }
  }

  @Test
  void aMessageIsOnePacketOfThePort() {
    try (Context device =
            network
                .device(network.options("small", Gid.parse("10.0.0.3")).withActiveMtu(Mtu.MTU_512))
                .open();
        DatagramEnd end = DatagramEnd.open(device)) {
      assertEquals(512, end.messageBytes());
      refused(Errno.EMSGSIZE, () -> end.to(server.address()).send(new byte[513]));
      end.send(new byte[512]);
      assertEquals(512, server.receive().bytes().length);
    }
    try (DatagramEnd end = DatagramEnd.open(near, ConnectionOptions.DEFAULT.withMessageBytes(9))) {
      assertEquals(9, end.messageBytes());
    }
  }

  @Test
  void everyReceiveIsPostedAgain() {
    for (int i = 0; i < 3 * ConnectionOptions.DEFAULT.depth(); i++) {
      client.send("" + i);
      assertEquals("" + i, server.receiveString());
    }
    byte[] into = new byte[3];
    client.send(new byte[] {1, 2, 3});
    assertEquals(3, server.receive(MemorySegment.ofArray(into)));
    assertArrayEquals(new byte[] {1, 2, 3}, into);
  }

  @Test
  void whatTheEndsMadeGoesWithThem() {
    client.to(new DatagramAddress(Gid.parse("10.0.0.9"), 5)).to(server.address());
    client.to(server.address());
    assertTrue(client.toString().startsWith("datagrams of QP 0x"), client.toString());
    ends.close();
    ends.close();
    refused(Errno.ENOTCONN, () -> client.send("late"));
    refused(Errno.ENOTCONN, server::receive);
    refused(Errno.EINVAL, client.qp()::state);
    refused(Errno.EINVAL, server.qp()::state);
  }
}
