package org.roce4j.wire.capture;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.wire.Bytes;

/**
 * Reads pcapng files: sections of either byte order, any number of interfaces, enhanced, simple and
 * obsolete packet blocks. Other blocks are skipped.
 */
final class PcapngReader extends CaptureReader {
  static final int SECTION_HEADER = 0x0A0D_0D0A;
  static final int BYTE_ORDER_MAGIC = 0x1A2B_3C4D;
  static final int INTERFACE_DESCRIPTION = 1;
  static final int OBSOLETE_PACKET = 2;
  static final int SIMPLE_PACKET = 3;
  static final int ENHANCED_PACKET = 6;

  static final int OPTION_COMMENT = 1;
  static final int OPTION_INTERFACE_NAME = 2;
  static final int OPTION_TIME_RESOLUTION = 9;
  static final int OPTION_TIME_OFFSET = 14;

  private static final BigInteger SECOND_NS = BigInteger.valueOf(1_000_000_000);
  private static final int DEFAULT_RESOLUTION = 6;

  /** Bytes of a block beside its body: type and length before it, length after it. */
  private static final int BLOCK_OVERHEAD = 12;

  private record Interface(
      String name, int linkType, int snapLength, int resolution, long offsetSeconds) {
    long toNs(long units) {
      if (resolution == 9 && offsetSeconds == 0) {
        return units;
      }
      BigInteger perSecond =
          (resolution & 0x80) == 0
              ? BigInteger.TEN.pow(resolution)
              : BigInteger.TWO.pow(resolution & 0x7F);
      BigInteger count = new BigInteger(Long.toUnsignedString(units));
      return count
          .multiply(SECOND_NS)
          .divide(perSecond)
          .add(BigInteger.valueOf(offsetSeconds).multiply(SECOND_NS))
          .longValue();
    }
  }

  private final List<Interface> interfaces = new ArrayList<>();
  private ByteOrder order;

  /** A reader of a stream from which the type of the first section header has been read. */
  PcapngReader(InputStream in) throws IOException {
    super(in);
    beginSection();
  }

  @Override
  public CapturedFrame next() throws IOException {
    while (!isDamaged()) {
      beginRecord();
      ByteBuffer type = read(4, order);
      if (type.capacity() == 0) {
        return null;
      }
      if (type.capacity() < 4) {
        return damaged("a block header is cut short");
      }
      if (type.getInt(0) == SECTION_HEADER) {
        beginSection();
      } else {
        ByteBuffer body = readBody();
        CapturedFrame frame = body == null ? null : interpret(type.getInt(0), body);
        if (frame != null) {
          return frame;
        }
      }
    }
    return null;
  }

  private void beginSection() throws IOException {
    interfaces.clear();
    ByteBuffer start = read(8, ByteOrder.BIG_ENDIAN);
    if (start.capacity() < 8) {
      damaged("a section header is cut short");
      return;
    }
    if (start.getInt(4) == BYTE_ORDER_MAGIC) {
      order = ByteOrder.BIG_ENDIAN;
    } else if (start.getInt(4) == Integer.reverseBytes(BYTE_ORDER_MAGIC)) {
      order = ByteOrder.LITTLE_ENDIAN;
    } else {
      damaged("a section header has no byte order");
      return;
    }
    readRest(start.order(order).getInt(0), 4);
  }

  /** The body of a block whose type has been read, or null after noting damage. */
  private ByteBuffer readBody() throws IOException {
    ByteBuffer length = read(4, order);
    if (length.capacity() < 4) {
      damaged("a block header is cut short");
      return null;
    }
    return readRest(length.getInt(0), 0);
  }

  /**
   * The body of a block of {@code total} bytes, without the first {@code consumed} bytes, which
   * have been read.
   */
  private ByteBuffer readRest(int total, int consumed) throws IOException {
    int rest = total - BLOCK_OVERHEAD - consumed;
    if (total < 0 || total > LARGEST_RECORD || rest < 0 || total % 4 != 0) {
      damaged("a block claims " + Integer.toUnsignedString(total) + " bytes");
      return null;
    }
    ByteBuffer body = read(rest + 4, order);
    if (body.capacity() < rest + 4) {
      damaged("the last block is cut short");
      return null;
    }
    if (body.getInt(rest) != total) {
      damaged("the two lengths of a block differ");
      return null;
    }
    return body.slice(0, rest).order(order);
  }

  private CapturedFrame interpret(int type, ByteBuffer body) {
    return switch (type) {
      case INTERFACE_DESCRIPTION -> {
        addInterface(body);
        yield null;
      }
      case ENHANCED_PACKET, OBSOLETE_PACKET -> packet(type, body);
      case SIMPLE_PACKET -> simplePacket(body);
      default -> null;
    };
  }

  private void addInterface(ByteBuffer body) {
    if (body.capacity() < 8) {
      damaged("an interface description is too short");
      return;
    }
    int resolution = DEFAULT_RESOLUTION;
    long offset = 0;
    String name = "";
    for (Option option : options(body, 8)) {
      if (option.code == OPTION_TIME_RESOLUTION && option.length >= 1) {
        resolution = body.get(option.at) & 0xFF;
      } else if (option.code == OPTION_TIME_OFFSET && option.length >= 8) {
        offset = body.getLong(option.at);
      } else if (option.code == OPTION_INTERFACE_NAME) {
        name = text(body, option);
      }
    }
    interfaces.add(
        new Interface(name, body.getShort(0) & 0xFFFF, body.getInt(4), resolution, offset));
  }

  private CapturedFrame packet(int type, ByteBuffer body) {
    if (body.capacity() < 20) {
      return damaged("a packet block is too short");
    }
    int number = type == OBSOLETE_PACKET ? body.getShort(0) & 0xFFFF : body.getInt(0);
    if (number < 0 || number >= interfaces.size()) {
      return damaged("a packet of an interface that is not described");
    }
    int kept = body.getInt(12);
    if (kept < 0 || kept > body.capacity() - 20) {
      return damaged("a packet is longer than its block");
    }
    Interface source = interfaces.get(number);
    long units = (long) body.getInt(4) << 32 | Integer.toUnsignedLong(body.getInt(8));
    String comment = "";
    for (Option option : options(body, 20 + padded(kept))) {
      if (option.code == OPTION_COMMENT) {
        comment = comment.isEmpty() ? text(body, option) : comment;
      }
    }
    return new CapturedFrame(
        source.toNs(units),
        source.linkType,
        body.getInt(16),
        Bytes.copy(body, 20, kept),
        comment,
        source.name);
  }

  private CapturedFrame simplePacket(ByteBuffer body) {
    if (body.capacity() < 4 || interfaces.isEmpty()) {
      return damaged("a simple packet without an interface");
    }
    Interface source = interfaces.getFirst();
    int original = body.getInt(0);
    int kept = body.capacity() - 4;
    if (original >= 0) {
      kept = Math.min(kept, original);
    }
    if (source.snapLength > 0) {
      kept = Math.min(kept, source.snapLength);
    }
    return new CapturedFrame(
        0, source.linkType, original, Bytes.copy(body, 4, kept), "", source.name);
  }

  private record Option(int code, int at, int length) {}

  private static String text(ByteBuffer body, Option option) {
    byte[] text = new byte[option.length];
    body.get(option.at, text);
    return new String(text, UTF_8);
  }

  /** The options from index {@code at} on, up to the first that is cut short. */
  private static List<Option> options(ByteBuffer body, int at) {
    List<Option> found = new ArrayList<>();
    int next = at;
    while (next + 4 <= body.capacity()) {
      int code = body.getShort(next) & 0xFFFF;
      int length = body.getShort(next + 2) & 0xFFFF;
      if (code == 0 || next + 4 + length > body.capacity()) {
        break;
      }
      found.add(new Option(code, next + 4, length));
      next += 4 + padded(length);
    }
    return found;
  }

  private static int padded(int length) {
    return length + 3 & ~3;
  }
}
