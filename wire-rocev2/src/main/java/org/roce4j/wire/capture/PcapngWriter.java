package org.roce4j.wire.capture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;

/** Writes pcapng with nanoseconds, named interfaces and comments on frames. */
public final class PcapngWriter extends CaptureWriter {
  private static final int PACKET_OVERHEAD = 32;
  private static final int OPTION_OVERHEAD = 8;

  /** The longest text of an option, in bytes. */
  private static final int LONGEST_COMMENT = 0x7FFF;

  private static final byte[] NO_COMMENT = {};

  private final int linkType;
  private int interfaces;

  /** Writes the section header; closing the writer closes the channel. */
  public PcapngWriter(WritableByteChannel channel, int linkType, int snapLength)
      throws IOException {
    super(channel, snapLength);
    this.linkType = linkType;
    room(28)
        .putInt(PcapngReader.SECTION_HEADER)
        .putInt(28)
        .putInt(PcapngReader.BYTE_ORDER_MAGIC)
        .putShort((short) 1)
        .putShort((short) 0)
        .putLong(-1)
        .putInt(28);
  }

  @Override
  public int declare(String interfaceName) throws IOException {
    byte[] name = encode(interfaceName);
    int total = 32 + (name.length == 0 ? 0 : 4 + padded(name.length));
    room(16)
        .putInt(PcapngReader.INTERFACE_DESCRIPTION)
        .putInt(total)
        .putShort((short) linkType)
        .putShort((short) 0)
        .putInt(snapLength);
    if (name.length > 0) {
      putOption(PcapngReader.OPTION_INTERFACE_NAME, name);
    }
    room(16)
        .putShort((short) PcapngReader.OPTION_TIME_RESOLUTION)
        .putShort((short) 1)
        .putInt(9)
        .putInt(0)
        .putInt(total);
    return interfaces++;
  }

  @Override
  void complete() throws IOException {
    if (interfaces == 0) {
      declare("");
    }
  }

  @Override
  public void write(
      int interfaceNumber, long timestampNs, ByteBuffer b, int at, int length, String comment)
      throws IOException {
    complete();
    byte[] text = comment.isEmpty() ? NO_COMMENT : encode(comment);
    int kept = Math.min(length, snapLength);
    int option = text.length == 0 ? 0 : OPTION_OVERHEAD + padded(text.length);
    int total = PACKET_OVERHEAD + padded(kept) + option;
    room(28)
        .putInt(PcapngReader.ENHANCED_PACKET)
        .putInt(total)
        .putInt(interfaceNumber)
        .putInt((int) (timestampNs >>> 32))
        .putInt((int) timestampNs)
        .putInt(kept)
        .putInt(length);
    append(b, at, kept);
    pad(kept);
    if (text.length > 0) {
      putOption(PcapngReader.OPTION_COMMENT, text);
      room(4).putInt(0);
    }
    room(4).putInt(total);
  }

  private void putOption(int code, byte[] text) throws IOException {
    room(4).putShort((short) code).putShort((short) text.length);
    room(text.length).put(text);
    pad(text.length);
  }

  private static byte[] encode(String comment) {
    byte[] text = comment.getBytes(UTF_8);
    return text.length <= LONGEST_COMMENT ? text : Arrays.copyOf(text, LONGEST_COMMENT);
  }

  private void pad(int length) throws IOException {
    for (int i = length; i < padded(length); i++) {
      room(1).put((byte) 0);
    }
  }

  private static int padded(int length) {
    return length + 3 & ~3;
  }
}
