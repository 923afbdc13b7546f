package org.roce4j.port;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.engine.datagram.Path;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Gid;

/** Datagrams whose bytes follow from their number: written, sent, received and compared. */
public final class NumberedDatagrams {
  private NumberedDatagrams() {}

  /** A received datagram, copied. */
  public record Datagram(
      byte[] bytes,
      Gid source,
      int sourcePort,
      Gid local,
      int trafficClass,
      int hopLimit,
      IcrcVerdict icrc) {
    public static Datagram of(Inbound in) {
      byte[] bytes = new byte[in.length()];
      in.buffer().get(in.at(), bytes);
      for (int i = 0; i < bytes.length; i++) {
        assertEquals(
            bytes[i],
            in.memory().get(ValueLayout.JAVA_BYTE, in.at() + i),
            "buffer and memory are views of the same bytes");
      }
      return new Datagram(
          bytes,
          new Gid(in.sourceHigh(), in.sourceLow()),
          in.sourcePort(),
          new Gid(in.localHigh(), in.localLow()),
          in.trafficClass(),
          in.hopLimit(),
          in.icrc());
    }

    /** Everything but its bytes. */
    public String withoutBytes() {
      return "%s:%d to %s, traffic class %d, hop limit %d, %s"
          .formatted(
              source.addressText(), sourcePort, local.addressText(), trafficClass, hopLimit, icrc);
    }
  }

  /** A UDP port that is free on the loopback addresses; not 4791, so that tests run in parallel. */
  public static int freeUdpPort() {
    try (DatagramSocket probe = new DatagramSocket(0)) {
      return probe.getLocalPort();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  public static Path path(Gid from, Gid to, int trafficClass, int hopLimit) {
    return new Path(0, from.high(), from.low(), to.high(), to.low(), trafficClass, hopLimit);
  }

  public static Transmit train(Port port) {
    return new Transmit(
        ByteBuffer.allocateDirect(Transmit.MAX_BYTES), port.capabilities().maxTrain());
  }

  /** Adds a datagram whose bytes follow from its number; false when it does not fit. */
  public static boolean add(Transmit train, Path path, int size, int number) {
    int at = train.claim(path, 0xC000, size);
    if (at < 0) {
      return false;
    }
    ByteBuffer buffer = train.buffer();
    for (int i = 0; i < size; i++) {
      buffer.put(at + i, (byte) (number * 31 + i));
    }
    train.commit(size);
    return true;
  }

  /** Adds a packet whose PSN is its number; false when it does not fit. */
  public static boolean addPacket(
      Transmit train, Path path, int size, int opcode, int destQp, int number) {
    int at = train.claim(path, 0xC123, size);
    if (at < 0) {
      return false;
    }
    ByteBuffer buffer = train.buffer();
    buffer.putInt(at, opcode << 24 | 0xFFFF).putInt(at + 4, destQp).putInt(at + 8, number);
    for (int b = 12; b < size - 4; b++) {
      buffer.put(at + b, (byte) (number + b));
    }
    train.commit(size);
    return true;
  }

  public static void assertPayload(int size, int number, Datagram datagram) {
    assertEquals(size, datagram.bytes().length);
    for (int i = 0; i < size - 4; i++) {
      assertEquals((byte) (number * 31 + i), datagram.bytes()[i], "byte " + i + " of " + number);
    }
  }

  /** Waits for this number of datagrams. */
  public static List<Datagram> receive(Port port, int count) {
    List<Datagram> received = new ArrayList<>();
    long deadline = System.nanoTime() + PortsUnderTest.PATIENCE_NS;
    while (received.size() < count && System.nanoTime() - deadline < 0) {
      if (port.receive(in -> received.add(Datagram.of(in)), 256) == 0) {
        port.await(10_000_000);
      }
    }
    assertEquals(count, received.size(), "datagrams received");
    return received;
  }

  public static boolean haveIpv6() {
    try (DatagramSocket probe = new DatagramSocket(null)) {
      probe.bind(new InetSocketAddress("::1", 0));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
