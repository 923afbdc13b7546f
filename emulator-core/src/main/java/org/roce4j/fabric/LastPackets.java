package org.roce4j.fabric;

import java.io.IOException;
import java.nio.ByteBuffer;
import org.roce4j.wire.capture.CaptureWriter;

/** The last packets of a capture that grew too long, kept until its end; the rest are counted. */
final class LastPackets {
  private final Kept[] ring;
  private long packets;

  private record Kept(long sentNs, byte[] bytes, String comment) {}

  /**
   * @param most that are kept, 0 or more
   */
  LastPackets(int most) {
    ring = new Kept[most];
  }

  /** Keeps a packet in place of the oldest. */
  void keep(long sentNs, ByteBuffer packet, String comment) {
    if (ring.length > 0) {
      byte[] bytes = new byte[packet.limit()];
      packet.get(0, bytes);
      ring[(int) (packets % ring.length)] = new Kept(sentNs, bytes, comment);
    }
    packets++;
  }

  /** Packets that were not kept. */
  long leftOut() {
    return Math.max(0, packets - ring.length);
  }

  /** Writes them; the first says how many are missing before it. */
  void writeTo(CaptureWriter writer) throws IOException {
    String gap = leftOut() == 0 ? "" : leftOut() + " packets before this one are left out; ";
    for (long i = leftOut(); i < packets; i++) {
      Kept next = ring[(int) (i % ring.length)];
      String comment = (gap + next.comment).replaceFirst("; $", "");
      writer.write(next.sentNs, ByteBuffer.wrap(next.bytes), 0, next.bytes.length, comment);
      gap = "";
    }
  }
}
