package org.roce4j.fabric;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.StringJoiner;
import java.util.function.Consumer;
import org.roce4j.options.Quantity;
import org.roce4j.wire.GidAddress;
import org.roce4j.wire.UdpSourcePort;
import org.roce4j.wire.capture.CaptureWriter;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.Ipv6Header;
import org.roce4j.wire.capture.LinkType;
import org.roce4j.wire.capture.UdpHeader;

/**
 * Writes every datagram, as its sender sealed it, as an IP packet into a capture file. Timestamps
 * are the virtual clock. What befalls a datagram before the next one is sent is the packet's
 * comment: {@code lost: random loss}. What the file refuses is said by {@link #close}, not to the
 * sender.
 */
public final class FabricCapture implements FabricObserver, Closeable {
  private static final int LONGEST = 1 << 16;

  private final Consumer<FabricObserver> untap;
  private final CaptureWriter writer;

  /** The last packet, which waits for its comment. */
  private final ByteBuffer packet = ByteBuffer.allocateDirect(LONGEST);

  private StringJoiner comment = new StringJoiner("; ");

  /** Packets that may be written before the last ones are kept. */
  private int room;

  private final LastPackets lastPackets;
  private FabricDatagram last;
  private long lastNs;
  private IOException failure;
  private boolean closed;

  /**
   * @param untap ends what the fabric tells an observer
   */
  FabricCapture(Consumer<FabricObserver> untap, Path file, int snapLength, CaptureExtent extent)
      throws IOException {
    this.untap = untap;
    room = extent.first();
    lastPackets = new LastPackets(extent.last());
    writer = CaptureWriter.create(file, LinkType.RAW, snapLength);
  }

  @Override
  public void sent(long nowNs, FabricDatagram datagram) {
    write();
    int at = putHeaders(datagram);
    packet.clear().put(0, datagram.buffer, at, datagram.packetBytes());
    packet.limit(datagram.packetBytes());
    last = datagram;
    lastNs = nowNs;
  }

  @Override
  public void dropped(long nowNs, FabricDatagram datagram, DropReason reason) {
    note(
        datagram,
        reason == DropReason.FILTERED ? "lost" + why(datagram) : "lost: " + reason.text());
  }

  @Override
  public void duplicated(long nowNs, FabricDatagram original, FabricDatagram copy) {
    note(original, "duplicated" + why(original));
  }

  @Override
  public void corrupted(long nowNs, FabricDatagram datagram, int bits) {
    note(datagram, bits + " bits flipped under way" + why(datagram));
  }

  @Override
  public void delayed(long nowNs, FabricDatagram datagram, long delayNs) {
    note(datagram, "held back for " + Quantity.TIME.print(delayNs) + why(datagram));
  }

  private static String why(FabricDatagram datagram) {
    return datagram.fate.reason().isEmpty() ? "" : " by " + datagram.fate.reason();
  }

  private void note(FabricDatagram datagram, String fate) {
    if (datagram == last) {
      comment.add(fate);
    }
  }

  /** Writes the packet that waited. */
  private void write() {
    if (last != null && room == 0) {
      lastPackets.keep(lastNs, packet, comment.toString());
    } else if (last != null && failure == null) {
      room--;
      try {
        writer.write(lastNs, packet, 0, packet.limit(), comment.toString());
      } catch (IOException e) {
        failure = e;
      }
    }
    last = null;
    if (comment.length() > 0) {
      comment = new StringJoiner("; ");
    }
  }

  /** Packets between the first and the last that are kept. */
  public long leftOut() {
    return lastPackets.leftOut();
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
    write();
    try (writer) {
      if (failure != null) {
        throw failure;
      }
      lastPackets.writeTo(writer);
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
