package org.roce4j.wire.capture;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.roce4j.wire.Bytes;

/** Reads classic pcap files, with microseconds or nanoseconds. */
final class PcapReader extends CaptureReader {
  static final int MICROSECONDS = 0xA1B2_C3D4;
  static final int NANOSECONDS = 0xA1B2_3C4D;

  private static final int REST_OF_FILE_HEADER = 20;
  private static final int LINK_TYPE_AT = 16;
  private static final int RECORD_HEADER = 16;
  private static final long SECOND_NS = 1_000_000_000;

  private final ByteOrder order;
  private final int fractionNs;
  private int linkType;

  PcapReader(InputStream in, ByteOrder order, boolean nanoseconds) throws IOException {
    super(in);
    this.order = order;
    this.fractionNs = nanoseconds ? 1 : 1000;
    ByteBuffer header = read(REST_OF_FILE_HEADER, order);
    if (header.capacity() < REST_OF_FILE_HEADER) {
      damaged("the file header is cut short");
    } else {
      linkType = header.getInt(LINK_TYPE_AT) & 0xFFFF;
    }
  }

  @Override
  public CapturedFrame next() throws IOException {
    if (isDamaged()) {
      return null;
    }
    beginRecord();
    ByteBuffer header = read(RECORD_HEADER, order);
    if (header.capacity() == 0) {
      return null;
    }
    if (header.capacity() < RECORD_HEADER) {
      return damaged("a record header is cut short");
    }
    int kept = header.getInt(8);
    if (kept < 0 || kept > LARGEST_RECORD) {
      return damaged("a record claims " + Integer.toUnsignedString(kept) + " bytes");
    }
    ByteBuffer bytes = read(kept, order);
    if (bytes.capacity() < kept) {
      return damaged("the last record is cut short");
    }
    long timestampNs =
        Integer.toUnsignedLong(header.getInt(0)) * SECOND_NS
            + Integer.toUnsignedLong(header.getInt(4)) * fractionNs;
    int original = header.getInt(12);
    return new CapturedFrame(timestampNs, linkType, original, Bytes.copy(bytes, 0, kept), "");
  }
}
