package org.roce4j.port.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.Port;
import org.roce4j.verbs.Gid;

/** Two addresses of a port that send datagrams to each other, one at a time. */
final class LoneExchange {
  /** A traffic class without ECN. Datagrams that have one leave from the device's port. */
  static final int MARKED = 0x68;

  /** More datagrams than make a socket's reader leave out control data. */
  static final int MANY = LoneArrivals.MANY + 2 * LoneArrivals.EMPTY_READS;

  private static final int SIZE = 80;

  private final Port port;
  private final int udpPort;
  private final Gid one;
  private final Gid other;
  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), Transmit.MAX_SEGMENTS);

  LoneExchange(Port port, int udpPort, Gid one, Gid other) {
    this.port = port;
    this.udpPort = udpPort;
    this.one = one;
    this.other = other;
  }

  /** A sink of a device without UD queue pairs. */
  private record ReadsNoFields(int sourcePort) implements DatagramSink {
    @Override
    public void datagram(Inbound inbound) {
      assertEquals(sourcePort, inbound.sourcePort());
    }

    @Override
    public boolean readsNetworkFields() {
      return false;
    }
  }

  /** Each sends to the other; returns what {@link #send} does. */
  int bothWays(int count, int trafficClass) {
    int sourcePort = 0;
    for (int i = 0; i < count; i++) {
      send(other, one, trafficClass, 1);
      sourcePort = send(one, other, trafficClass, 1);
    }
    return sourcePort;
  }

  /** One sends to the other; returns {@link Transmit#sourcePort}. */
  int send(int datagrams) {
    return send(one, other, 0, datagrams);
  }

  private int send(Gid from, Gid to, int trafficClass, int datagrams) {
    train.clear();
    Path path = NumberedDatagrams.path(from, to, trafficClass, 64);
    for (int i = 0; i < datagrams; i++) {
      assertTrue(NumberedDatagrams.add(train, path, SIZE, i));
    }
    train.sentFrom(1);
    port.send(train);
    int sourcePort = train.sourcePort() == 0 ? udpPort : train.sourcePort();
    int arrived = 0;
    for (int i = 0; i < datagrams; i++) {
      arrived += port.receive(new ReadsNoFields(sourcePort), 8);
    }
    assertEquals(datagrams, arrived);
    assertEquals(0, port.receive(new ReadsNoFields(0), 8), "they come one at a time");
    return train.sourcePort();
  }
}
