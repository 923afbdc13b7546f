package org.roce4j.port.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/** Ports on the same addresses, one for each engine: a datagram arrives at that of its DestQP. */
@EnabledOnOs(OS.LINUX)
class SharedAddressTest {
  private static final Gid OWN = Gid.parse("127.0.0.1");
  private static final Gid ADDED = Gid.parse("127.0.0.3");
  private static final Gid PEER = Gid.parse("127.0.0.2");

  private final int udpPort = NumberedDatagrams.freeUdpPort();
  private final List<Port> opened = new ArrayList<>();
  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), Transmit.MAX_SEGMENTS);

  private List<Port> open(Gid gid, int count) {
    PortOptions options = PortOptions.of(List.of(gid)).withUdpPort(udpPort);
    List<Port> ports = new LinuxPortProvider().openSeveral(options, count);
    opened.addAll(ports);
    return ports;
  }

  @AfterEach
  void close() {
    opened.forEach(Port::close);
  }

  private void arrivesAtThatOfItsQueuePair(Gid to, List<Port> ports) {
    Port peer = opened.getFirst();
    for (int qp = 0x10_0000; qp < 0x10_0000 + 3 * ports.size(); qp++) {
      train.clear();
      NumberedDatagrams.addPacket(train, NumberedDatagrams.path(PEER, to, 0, 64), 60, 4, qp, qp);
      peer.send(train);
      for (int i = 0; i < ports.size(); i++) {
        int due = i == qp % ports.size() ? 1 : 0;
        assertEquals(due, ports.get(i).receive(in -> {}, 8), "port " + i + " of queue pair " + qp);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  void aDatagramArrivesAtThePortOfItsQueuePair(int count) {
    open(PEER, 1);
    List<Port> ports = open(OWN, count);
    assertEquals(count, ports.size());
    arrivesAtThatOfItsQueuePair(OWN, ports);
  }

  /** Another program may share its addresses, but takes no datagrams of ours. */
  @Test
  void aPortThatIsAloneSharesItsAddressWithNobody() throws IOException {
    open(OWN, 1);
    try (DatagramChannel foreign = sharing()) {
      assertThrows(BindException.class, () -> foreign.bind(own()));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void anAddressThatAnotherProgramHoldsIsRefusedThoughItShares(int count) throws IOException {
    try (DatagramChannel foreign = sharing()) {
      foreign.bind(own());
      VerbsException e = assertThrows(VerbsException.class, () -> open(OWN, count));
      assertEquals(Errno.EADDRINUSE, e.errno());
    }
  }

  private static DatagramChannel sharing() throws IOException {
    return DatagramChannel.open(StandardProtocolFamily.INET)
        .setOption(StandardSocketOptions.SO_REUSEPORT, true);
  }

  private InetSocketAddress own() {
    return new InetSocketAddress(OWN.toInetAddress(), udpPort);
  }

  @Test
  void anAddressThatAllPortsAddIsSharedToo() {
    open(PEER, 1);
    List<Port> ports = open(OWN, 4);
    ports.forEach(port -> port.add(ADDED));
    arrivesAtThatOfItsQueuePair(ADDED, ports);
    arrivesAtThatOfItsQueuePair(OWN, ports);
  }
}
