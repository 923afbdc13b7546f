package org.roce4j.fabric;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.UdpSourcePort;
import org.roce4j.wire.capture.CaptureWriter;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.Ipv6Header;
import org.roce4j.wire.capture.LinkType;
import org.roce4j.wire.capture.UdpHeader;

/**
 * Writes every datagram, as its sender sealed it, as an IP packet into a capture file. Timestamps
 * are the virtual clock. What the file refuses is said by {@link #close}, not to the sender.
 */
public final class FabricCapture implements FabricObserver, Closeable {
  private final Consumer<FabricObserver> untap;
  private final CaptureWriter writer;
  private IOException failure;
  private boolean closed;

  /**
   * @param untap ends what the fabric tells an observer
   */
  FabricCapture(Consumer<FabricObserver> untap, Path file, int snapLength) throws IOException {
    this.untap = untap;
    writer = CaptureWriter.create(file, LinkType.RAW, snapLength);
  }

  @Override
  public void sent(long nowNs, FabricDatagram datagram) {
    if (failure == null) {
      try {
        writer.write(nowNs, datagram.buffer, putHeaders(datagram), datagram.packetBytes());
      } catch (IOException e) {
        failure = e;
      }
    }
  }

  /**
   * Ends the capture and completes the file; idempotent.
   *
   * @throws IOException when it could not be written, now or earlier
   */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    untap.accept(this);
    try (writer) {
      if (failure != null) {
        throw failure;
      }
    }
  }

  /** Writes IP and UDP header into the room before BTH and says where they begin. */
  private static int putHeaders(FabricDatagram datagram) {
    ByteBuffer buffer = datagram.buffer;
    int udpLength = UdpHeader.SIZE + datagram.length;
    int udpAt = FabricDatagram.AT - UdpHeader.SIZE;
    UdpHeader.put(buffer, udpAt, datagram.sourcePort, UdpSourcePort.ROCE_V2, udpLength);
    if (datagram.ipv4()) {
      int at = udpAt - Ipv4Header.SIZE;
      Ipv4Header.put(
          buffer,
          at,
          datagram.trafficClass,
          Ipv4Header.SIZE + udpLength,
          datagram.identification,
          Ipv4Header.DONT_FRAGMENT,
          datagram.hopLimit,
          GidAddress.ipv4(datagram.sourceLow),
          GidAddress.ipv4(datagram.destinationLow));
      return at;
    }
    int at = udpAt - Ipv6Header.SIZE;
    Ipv6Header.put(
        buffer,
        at,
        datagram.trafficClass,
        0,
        udpLength,
        datagram.hopLimit,
        datagram.sourceHigh,
        datagram.sourceLow,
        datagram.destinationHigh,
        datagram.destinationLow);
    return at;
  }
}
