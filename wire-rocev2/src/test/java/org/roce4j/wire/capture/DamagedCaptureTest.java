package org.roce4j.wire.capture;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.roce4j.wire.capture.CaptureFileTest.TIME;
import static org.roce4j.wire.capture.CaptureFileTest.block;
import static org.roce4j.wire.capture.CaptureFileTest.enhanced;
import static org.roce4j.wire.capture.CaptureFileTest.interfaceOf;
import static org.roce4j.wire.capture.CaptureFileTest.section;
import static org.roce4j.wire.capture.CaptureFileTest.smallPcapng;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.inspect.CaptureInspector;

/** What is wrong within a capture file ends its frames and is named, with its place. */
class DamagedCaptureTest {
  private static final Bytes PACKET = Frames.golden("RC_SEND_ONLY/v4");

  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

  @TempDir private Path directory;

  private static void assertDamage(String damage, byte[] file) throws IOException {
    CaptureReader reader = CaptureReader.open(new ByteArrayInputStream(file));
    Frames.all(reader);
    assertEquals(damage, reader.damage());
    assertNull(reader.next(), "nothing after the damage");
    assertEquals(damage, reader.damage());
  }

  private static byte[] bytes(ByteBuffer file) {
    byte[] bytes = new byte[file.position()];
    file.get(0, bytes);
    return bytes;
  }

  /** The section header begins at 0, the interface at 28, the first packet at 72. */
  @ParameterizedTest
  @CsvSource({
    "8, 0, 'a section header has no byte order, at byte 0'",
    "4, 24, 'the two lengths of a block differ, at byte 0'",
    "4, 12, 'a block claims 12 bytes, at byte 0'",
    "4, 30, 'a block claims 30 bytes, at byte 0'",
    "24, 32, 'the two lengths of a block differ, at byte 0'",
    "32, -4, 'a block claims 4294967292 bytes, at byte 28'",
    "32, -2147483648, 'a block claims 2147483648 bytes, at byte 28'",
    "32, 8, 'a block claims 8 bytes, at byte 28'",
    "32, 46, 'a block claims 46 bytes, at byte 28'",
    "32, 16777220, 'a block claims 16777220 bytes, at byte 28'",
    "68, 40, 'the two lengths of a block differ, at byte 28'",
    "80, 1, 'a packet of an interface that is not described, at byte 72'",
    "80, -1, 'a packet of an interface that is not described, at byte 72'",
    "92, -1, 'a packet is longer than its block, at byte 72'",
    "92, 4000, 'a packet is longer than its block, at byte 72'"
  })
  void pcapng(int at, int value, String damage) throws IOException {
    ByteBuffer file = ByteBuffer.wrap(smallPcapng()).order(ByteOrder.LITTLE_ENDIAN);
    assertDamage(damage, file.putInt(at, value).array());
  }

  @ParameterizedTest
  @CsvSource({
    "1, 4, 'an interface description is too short, at byte 28'",
    "6, 16, 'a packet block is too short, at byte 28'",
    "2, 16, 'a packet block is too short, at byte 28'",
    "3, 8, 'a simple packet without an interface, at byte 28'"
  })
  void aBlockThatCannotHoldWhatItIs(int type, int size, String damage) throws IOException {
    ByteBuffer file = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);
    section(file);
    block(file, type, ByteBuffer.allocate(size));
    assertDamage(damage, bytes(file));
  }

  @Test
  void aSimplePacketWithoutItsLength() throws IOException {
    ByteBuffer file = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);
    section(file);
    block(file, 1, interfaceOf(file.order(), LinkType.RAW, 9, 0));
    block(file, 3, ByteBuffer.allocate(0));
    assertDamage("a simple packet without an interface, at byte 72", bytes(file));
  }

  private static ByteBuffer pcap(int seconds, int kept) {
    ByteBuffer file = ByteBuffer.allocate(256).order(ByteOrder.LITTLE_ENDIAN);
    file.putInt(0xA1B23C4D).putInt(0x40002).putLong(0).putInt(65535).putInt(LinkType.RAW);
    file.putInt(seconds).putInt(5).putInt(kept).putInt(PACKET.length()).put(PACKET.toArray());
    return file;
  }

  @ParameterizedTest
  @CsvSource({"-1, 4294967295", "16777217, 16777217"})
  void pcap(int kept, String claimed) throws IOException {
    assertDamage(
        "a record claims " + claimed + " bytes, at byte 24", bytes(pcap(1_700_000_000, kept)));
  }

  /** The 32 bits of a pcap's seconds are unsigned. */
  @Test
  void whatWasCapturedAfter2038HasItsTime() throws IOException {
    byte[] file = bytes(pcap((int) 2_500_000_000L, PACKET.length()));
    CapturedFrame frame = CaptureReader.open(new ByteArrayInputStream(file)).next();
    assertEquals(2_500_000_000_000_000_005L, frame.timestampNs());
    Path copy = directory.resolve("copy.pcap");
    try (CaptureWriter writer = CaptureWriter.create(copy, LinkType.RAW, 200)) {
      writer.write(frame);
    }
    assertEquals(List.of(frame), Frames.all(copy));
  }

  /** Each option has its length, and what stands behind their end is none. */
  @Test
  void anInterfaceHasTheNameThatIsItsName() throws IOException {
    ByteBuffer file = ByteBuffer.allocate(512).order(ByteOrder.LITTLE_ENDIAN);
    ByteBuffer body = ByteBuffer.allocate(72).order(file.order());
    body.putShort((short) LinkType.RAW).putShort((short) 0).putInt(0);
    body.putInt(4 << 16 | 2).put("eth7".getBytes(UTF_8));
    body.putInt(4 << 16 | 3).put("card".getBytes(UTF_8));
    body.putInt(1 << 16 | 9).putInt(9);
    body.putInt(9); // a resolution of no bytes
    body.putInt(4 << 16 | 14).putInt(77); // half an offset
    body.putInt(8 << 16 | 6).putLong(77); // an address
    body.putInt(0).putInt(4 << 16 | 2).put("none".getBytes(UTF_8));
    section(file);
    block(file, 1, body);
    block(file, 6, enhanced(file.order(), 0, TIME, ""));
    CapturedFrame frame = CaptureReader.open(new ByteArrayInputStream(bytes(file))).next();
    assertEquals("eth7", frame.interfaceName());
    assertEquals(TIME, frame.timestampNs());
  }

  @Test
  void anOptionOfAPacketThatIsNoCommentIsNone() throws IOException {
    ByteBuffer file = ByteBuffer.allocate(512).order(ByteOrder.LITTLE_ENDIAN);
    section(file);
    block(file, 1, interfaceOf(file.order(), LinkType.RAW, 9, 0));
    ByteBuffer packet = enhanced(file.order(), 0, TIME, "four");
    block(file, 6, packet.putShort(packet.capacity() - 12, (short) 2));
    CapturedFrame frame = CaptureReader.open(new ByteArrayInputStream(bytes(file))).next();
    assertEquals("", frame.comment());
  }

  @Test
  void aCommentTooLongForItsOptionIsCut() throws IOException {
    Path file = directory.resolve("long.pcapng");
    CapturedFrame frame =
        new CapturedFrame(TIME, LinkType.RAW, PACKET.length(), PACKET, "x".repeat(70_000));
    try (CaptureWriter writer = CaptureWriter.create(file, LinkType.RAW, 200)) {
      writer.write(frame);
      writer.write(frame);
    }
    List<CapturedFrame> read = Frames.all(file);
    assertEquals(2, read.size());
    assertEquals("x".repeat(0x7FFF), read.getLast().comment());
  }

  /** Programs refuse a pcapng without an interface. */
  @Test
  void aFileWithoutAPacketHasItsInterface() throws IOException {
    Path file = directory.resolve("empty.pcapng");
    CaptureWriter.create(file, LinkType.RAW, 200).close();
    ByteBuffer written = ByteBuffer.wrap(Files.readAllBytes(file)).order(ByteOrder.LITTLE_ENDIAN);
    assertEquals(1, written.getInt(28));
    assertEquals(LinkType.RAW, written.getShort(36));
  }

  @Test
  void aWriterThatKeepsNothingIsRefused() {
    WritableByteChannel nowhere = Channels.newChannel(OutputStream.nullOutputStream());
    assertThrows(IllegalArgumentException.class, () -> new PcapWriter(nowhere, LinkType.RAW, 0));
    assertThrows(IllegalArgumentException.class, () -> new PcapngWriter(nowhere, LinkType.RAW, -1));
  }

  @ParameterizedTest
  @CsvSource({"a.pcap", "a.pcapng"})
  void noFileStaysOpen(String name) throws IOException {
    Path file = directory.resolve(name);
    assumeTrue(Files.isDirectory(DESCRIPTORS), "this system does not list descriptors");
    CaptureWriter writer = CaptureWriter.create(file, LinkType.RAW, 200);
    writer.write(TIME, PACKET.buffer(), 0, PACKET.length());
    assertTrue(isOpen(file));
    writer.close();
    writer.close();
    assertFalse(isOpen(file), "written");
    CaptureReader reader = CaptureReader.open(file);
    assertTrue(isOpen(file));
    reader.close();
    assertFalse(isOpen(file), "read");
    CaptureInspector.inspect(file, packet -> {});
    assertFalse(isOpen(file), "inspected");
    Files.writeString(file, "no capture");
    assertThrows(IOException.class, () -> CaptureReader.open(file));
    assertFalse(isOpen(file), "refused");
    assertThrows(IOException.class, () -> CaptureReader.open(directory));
    assertFalse(isOpen(directory), "not readable");
  }

  private static boolean isOpen(Path file) throws IOException {
    Path real = file.toRealPath();
    try (Stream<Path> all = Files.list(DESCRIPTORS)) {
      return all.anyMatch(descriptor -> real.equals(target(descriptor)));
    }
  }

  private static Path target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor);
    } catch (NoSuchFileException closedMeanwhile) {
      return descriptor;
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }
}
