package org.roce4j.port.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.net.DatagramSocket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.port.DatagramSink;
import org.roce4j.port.Port;
import org.roce4j.port.PortOptions;
import org.roce4j.verbs.Gid;

class LinuxPortAllocationTest {
  private static final Gid LEFT = Gid.parse("127.0.0.1");
  private static final Gid RIGHT = Gid.parse("127.0.0.2");
  private static final int DATAGRAMS = 100_000;

  private final DatagramSink sink = in -> this.received++;
  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES), Transmit.MAX_SEGMENTS);
  private int received;

  @Test
  void sendingAndReceivingTrainsAllocatesNothing() throws SocketException {
    measure(15, 1040);
  }

  @Test
  void sendingAndReceivingSinglyAllocatesNothing() throws SocketException {
    measure(1, 60);
  }

  private void measure(int segments, int size) throws SocketException {
    LinuxPortProvider provider = new LinuxPortProvider();
    assumeTrue(provider.unavailable().isEmpty());
    int udpPort;
    try (DatagramSocket probe = new DatagramSocket(0)) {
      udpPort = probe.getLocalPort();
    }
    try (Port left = open(provider, LEFT, udpPort);
        Port right = open(provider, RIGHT, udpPort)) {
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      // Code that is not compiled yet boxes and allocates; what counts is where it settles.
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 12 && least > 1000; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        exchange(left, right, segments, size);
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      assertTrue(least <= 1000, least + " bytes for " + DATAGRAMS + " datagrams");
      assertEquals(0, right.counters().get(Counter.ICRC_ERROR));
    }
  }

  private static Port open(LinuxPortProvider provider, Gid address, int udpPort) {
    return provider.open(PortOptions.of(List.of(address)).withUdpPort(udpPort));
  }

  private void exchange(Port left, Port right, int segments, int size) {
    Path path = new Path(0, LEFT.high(), LEFT.low(), RIGHT.high(), RIGHT.low(), 0, 64);
    received = 0;
    for (int sent = 0; sent < DATAGRAMS; sent += segments) {
      train.clear();
      for (int i = 0; i < segments; i++) {
        train.claim(path, 0, size);
        train.commit(size);
      }
      left.send(train);
      right.await(0);
      right.receive(sink, 64);
    }
    assertTrue(received > DATAGRAMS * 9 / 10, "received " + received);
  }
}
