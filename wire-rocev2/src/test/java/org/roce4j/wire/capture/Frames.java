package org.roce4j.wire.capture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Golden;

/** Frames and files for tests. */
final class Frames {
  private Frames() {}

  /** The captures of Linux soft-RoCE under {@code src/test/resources/pcaps}. */
  static List<Path> captures() {
    try (Stream<Path> files = Files.list(Path.of(Frames.class.getResource("/pcaps").toURI()))) {
      return files.sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  static List<CapturedFrame> all(Path file) throws IOException {
    try (CaptureReader reader = CaptureReader.open(file)) {
      return all(reader);
    }
  }

  static List<CapturedFrame> all(CaptureReader reader) throws IOException {
    List<CapturedFrame> frames = new ArrayList<>();
    for (CapturedFrame frame = reader.next(); frame != null; frame = reader.next()) {
      frames.add(frame);
    }
    return frames;
  }

  /** A whole golden IP packet. */
  static Bytes golden(String name) {
    ByteBuffer b =
        Golden.packets()
            .filter(v -> v.name().equals(name))
            .findFirst()
            .orElseThrow()
            .bytes("ip_packet");
    return Bytes.copy(b, 0, b.capacity());
  }

  /** A frame of a link layer header (in hexadecimal) and what follows. */
  static CapturedFrame frame(int linkType, String header, Bytes rest) {
    byte[] bytes = HexFormat.of().parseHex(header + rest);
    return new CapturedFrame(0, linkType, bytes.length, Bytes.of(bytes), "");
  }

  static CapturedFrame raw(Bytes ipPacket) {
    return frame(LinkType.RAW, "", ipPacket);
  }
}
