package org.roce4j.wire.capture;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/** Writes classic pcap with nanoseconds; comments and names of interfaces are dropped. */
public final class PcapWriter extends CaptureWriter {
  private static final long SECOND_NS = 1_000_000_000;

  /** Writes the file header; closing the writer closes the channel. */
  public PcapWriter(WritableByteChannel channel, int linkType, int snapLength) throws IOException {
    super(channel, snapLength);
    room(24)
        .putInt(PcapReader.NANOSECONDS)
        .putShort((short) 2)
        .putShort((short) 4)
        .putLong(0)
        .putInt(this.snapLength)
        .putInt(linkType);
  }

  @Override
  public int declare(String interfaceName) {
    return 0;
  }

  @Override
  public void write(
      int interfaceNumber, long timestampNs, ByteBuffer b, int at, int length, String comment)
      throws IOException {
    int kept = Math.min(length, snapLength);
    room(16)
        .putInt((int) (timestampNs / SECOND_NS))
        .putInt((int) (timestampNs % SECOND_NS))
        .putInt(kept)
        .putInt(length);
    append(b, at, kept);
  }
}
