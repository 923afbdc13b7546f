package org.roce4j.wire.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.inspect.CaptureInspector;

class CaptureFileTest {
  private static final Bytes PACKET = Frames.golden("RC_SEND_ONLY/v4");
  private static final int LENGTH = PACKET.length();
  static final long TIME = 1_700_000_000_123_456_789L;

  @TempDir Path directory;

  private static List<CapturedFrame> read(ByteBuffer file) throws IOException {
    byte[] bytes = new byte[file.position()];
    file.get(0, bytes);
    return Frames.all(CaptureReader.open(new ByteArrayInputStream(bytes)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.pcap", "a.pcapng", "a"})
  void whatIsWrittenIsReadBack(String name) throws IOException {
    Path file = directory.resolve(name);
    List<CapturedFrame> frames = new ArrayList<>();
    Random random = new Random(7);
    for (int i = 0; i < 200; i++) {
      byte[] bytes = new byte[1 + random.nextInt(i % 50 == 0 ? 200_000 : 5000)];
      random.nextBytes(bytes);
      String comment = name.endsWith(".pcap") || i % 3 != 0 ? "" : "packet " + i + " \u00e9";
      frames.add(new CapturedFrame(TIME + i, LinkType.RAW, bytes.length, Bytes.of(bytes), comment));
    }
    try (CaptureWriter writer =
        CaptureWriter.create(file, LinkType.RAW, CaptureWriter.WHOLE_FRAMES)) {
      for (CapturedFrame frame : frames) {
        writer.write(frame);
      }
    }
    assertEquals(frames, Frames.all(file));
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.pcap", "a.pcapng"})
  void theSnapLengthCutsFramesButNotTheirOriginalLength(String name) throws IOException {
    Path file = directory.resolve(name);
    ByteBuffer b = ByteBuffer.allocateDirect(300);
    for (int i = 0; i < 300; i++) {
      b.put(i, (byte) i);
    }
    try (CaptureWriter writer = CaptureWriter.create(file, LinkType.ETHERNET, 61)) {
      writer.write(TIME, b, 10, 200);
      writer.write(TIME, b, 0, 61);
      writer.flush();
      assertEquals(2, Frames.all(file).size(), "flushed frames are in the file");
    }
    List<CapturedFrame> frames = Frames.all(file);
    assertEquals(
        new CapturedFrame(TIME, LinkType.ETHERNET, 200, Bytes.copy(b, 10, 61), ""), frames.get(0));
    assertEquals(61, frames.get(1).originalLength());
  }

  @Test
  void aSnapLengthMayKeepOneByte() throws IOException {
    Path file = directory.resolve("one.pcapng");
    try (CaptureWriter writer = CaptureWriter.create(file, LinkType.RAW, 1)) {
      writer.write(0, ByteBuffer.allocate(20), 0, 20, "");
    }
    assertEquals(1, Frames.all(file).getFirst().bytes().length());
  }

  @Test
  void shouldRefuseASnapLengthThatKeepsNothingBeforeTouchingTheFile() {
    Path file = directory.resolve("none.pcapng");
    assertThrows(IllegalArgumentException.class, () -> CaptureWriter.create(file, LinkType.RAW, 0));
    assertFalse(Files.exists(file));
  }

  /** As a thread of the program, cancelled by its pool, that sends a packet of a device. */
  @Test
  void anInterruptedThreadLosesNothing() throws IOException {
    Path file = directory.resolve("interrupted.pcapng");
    CapturedFrame frame = new CapturedFrame(TIME, LinkType.RAW, LENGTH, PACKET, "");
    Thread.currentThread().interrupt();
    try (CaptureWriter writer =
        CaptureWriter.create(file, LinkType.RAW, CaptureWriter.WHOLE_FRAMES)) {
      writer.write(frame);
      writer.flush();
      writer.write(frame);
    }
    assertTrue(Thread.interrupted());
    assertEquals(List.of(frame, frame), Frames.all(CaptureReader.open(file)));
  }

  @Test
  void shouldRefuseAFileThatIsNoCapture() throws IOException {
    Path file = directory.resolve("text");
    String neither = "neither a pcap nor a pcapng file";
    for (String[] each :
        List.of(
            new String[] {"", "empty"},
            new String[] {"\u001f\u008b\b\0", "compressed by gzip: unpack it first"},
            new String[] {"a", neither},
            new String[] {"\u001f", neither},
            new String[] {"\u001fx\b\0", neither},
            new String[] {"x\u008b\b\0", neither},
            new String[] {"abc", neither},
            new String[] {"neither pcap nor pcapng", neither})) {
      Files.writeString(file, each[0], StandardCharsets.ISO_8859_1);
      IOException e = assertThrows(IOException.class, () -> CaptureReader.open(file));
      assertEquals(file + " is " + each[1], e.getMessage());
    }
  }

  @Test
  void pcapOfEitherByteOrderAndResolutionIsRead() throws IOException {
    for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
      for (boolean nanoseconds : new boolean[] {false, true}) {
        ByteBuffer file = ByteBuffer.allocate(4096).order(order);
        file.putInt(nanoseconds ? 0xA1B23C4D : 0xA1B2C3D4).putShort((short) 2).putShort((short) 4);
        file.putLong(0).putInt(65535).putInt(LinkType.RAW);
        file.putInt(1_700_000_000).putInt(nanoseconds ? 123_456_789 : 123_456);
        file.putInt(LENGTH).putInt(LENGTH).put(PACKET.toArray());
        long time = nanoseconds ? TIME : 1_700_000_000_123_456_000L;
        assertEquals(
            List.of(new CapturedFrame(time, LinkType.RAW, LENGTH, PACKET, "")), read(file));
      }
    }
  }

  @Test
  void pcapngOfEitherByteOrderWithSeveralInterfacesAndSectionsIsRead() throws IOException {
    ByteBuffer file = ByteBuffer.allocate(16384);
    for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
      file.order(order);
      section(file);
      block(file, 1, interfaceOf(order, LinkType.ETHERNET, -1, 0));
      block(file, 0x0BAD, ByteBuffer.allocate(12));
      block(file, 1, interfaceOf(order, LinkType.RAW, 9, 0));
      block(file, 1, interfaceOf(order, LinkType.RAW, 0x80 | 10, 100));
      block(file, 1, interfaceOf(order, LinkType.RAW, 9, 3));
      block(file, 6, enhanced(order, 1, TIME, "hello"));
      block(file, 6, enhanced(order, 2, 1024 + 512, ""));
      block(file, 6, enhanced(order, 3, 7, ""));
      block(file, 2, obsolete(order, 0, 5));
      block(file, 3, simple(order));
    }
    List<CapturedFrame> section =
        List.of(
            new CapturedFrame(TIME, LinkType.RAW, LENGTH, PACKET, "hello"),
            new CapturedFrame(101_500_000_000L, LinkType.RAW, LENGTH, PACKET, ""),
            new CapturedFrame(3_000_000_007L, LinkType.RAW, LENGTH, PACKET, ""),
            new CapturedFrame(5_000, LinkType.ETHERNET, LENGTH, PACKET, ""),
            new CapturedFrame(0, LinkType.ETHERNET, LENGTH, PACKET, ""));
    List<CapturedFrame> both = new ArrayList<>(section);
    both.addAll(section);
    assertEquals(both, read(file));
  }

  @Test
  void anInterfaceIsOfItsSectionAlone() throws IOException {
    ByteBuffer file = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
    section(file);
    block(file, 1, interfaceOf(file.order(), LinkType.RAW, 9, 0));
    block(file, 1, interfaceOf(file.order(), LinkType.RAW, 9, 0));
    section(file);
    block(file, 1, interfaceOf(file.order(), LinkType.ETHERNET, 9, 0));
    block(file, 6, enhanced(file.order(), 0, TIME, ""));
    block(file, 6, enhanced(file.order(), 1, TIME, ""));
    assertEquals(
        List.of(new CapturedFrame(TIME, LinkType.ETHERNET, LENGTH, PACKET, "")), read(file));
  }

  /** A block's padding, the packet's length and the interface's: the shortest holds. */
  @ParameterizedTest
  @CsvSource({"44,0,44", "44,36,36", "30,0,30", "30,36,30", "30,28,28", "400,36,36"})
  void aSimplePacketIsAsLongAsTheShortestOfItsLengths(int original, int snap, int kept)
      throws IOException {
    ByteBuffer file = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
    section(file);
    block(file, 1, interfaceOf(file.order(), LinkType.RAW, 9, 0).putInt(4, snap));
    byte[] bytes = Arrays.copyOf(PACKET.toArray(), 44);
    block(file, 3, ByteBuffer.allocate(48).order(file.order()).putInt(original).put(bytes));
    Bytes whole = Bytes.of(Arrays.copyOf(bytes, kept));
    assertEquals(List.of(new CapturedFrame(0, LinkType.RAW, original, whole, "")), read(file));
  }

  @Test
  void ofSeveralCommentsTheFirstIsThePackets() throws IOException {
    ByteBuffer file = ByteBuffer.allocate(4096).order(ByteOrder.LITTLE_ENDIAN);
    section(file);
    block(file, 1, interfaceOf(file.order(), LinkType.RAW, 9, 0));
    ByteBuffer packet = enhanced(file.order(), 0, TIME, "first;").rewind();
    ByteBuffer body = ByteBuffer.allocate(packet.capacity() + 12).order(file.order()).put(packet);
    body.position(packet.capacity() - 4);
    body.putShort((short) 1).putShort((short) 6).put("second".getBytes(StandardCharsets.UTF_8));
    block(file, 6, body);
    assertEquals("first;", read(file).getFirst().comment());
  }

  static void section(ByteBuffer file) {
    file.putInt(0x0A0D0D0A).putInt(28).putInt(0x1A2B3C4D).putInt(1 << 16).putLong(-1).putInt(28);
  }

  static void block(ByteBuffer file, int type, ByteBuffer body) {
    int padded = body.capacity() + 3 & ~3;
    file.putInt(type).putInt(12 + padded).put(body.rewind());
    file.put(new byte[padded - body.capacity()]).putInt(12 + padded);
  }

  static ByteBuffer interfaceOf(ByteOrder order, int link, int resolution, long offset) {
    ByteBuffer b = ByteBuffer.allocate(resolution < 0 ? 8 : 32).order(order);
    b.putShort((short) link).putShort((short) 0).putInt(0);
    if (resolution >= 0) {
      b.putShort((short) 9).putShort((short) 1).put((byte) resolution).put(new byte[3]);
      b.putShort((short) 14).putShort((short) 8).putLong(offset).putInt(0);
    }
    return b;
  }

  static ByteBuffer enhanced(ByteOrder order, int number, long units, String comment) {
    byte[] text = comment.getBytes(StandardCharsets.UTF_8);
    int option = text.length == 0 ? 0 : 8 + (text.length + 3 & ~3);
    int padded = LENGTH + 3 & ~3;
    ByteBuffer b = ByteBuffer.allocate(20 + padded + option).order(order);
    b.putInt(number).putInt((int) (units >>> 32)).putInt((int) units);
    b.putInt(LENGTH).putInt(LENGTH).put(PACKET.toArray()).position(20 + padded);
    if (option > 0) {
      b.putShort((short) 1).putShort((short) text.length).put(text);
    }
    return b;
  }

  private static ByteBuffer obsolete(ByteOrder order, int number, long units) {
    ByteBuffer b = enhanced(order, 0, units, "");
    return b.putShort(0, (short) number).putShort(2, (short) 3);
  }

  private static ByteBuffer simple(ByteOrder order) {
    return ByteBuffer.allocate(4 + LENGTH).order(order).putInt(LENGTH).put(PACKET.toArray());
  }

  @Test
  void aFileCutAnywhereGivesTheWholeFramesBeforeTheCutAndSaysSo() throws IOException {
    for (String name : List.of("a.pcap", "a.pcapng")) {
      Path file = directory.resolve(name);
      try (CaptureWriter writer = CaptureWriter.create(file, LinkType.RAW, 96)) {
        for (int i = 0; i < 3; i++) {
          writer.write(TIME, PACKET.buffer(), 0, LENGTH, "c");
        }
      }
      byte[] whole = Files.readAllBytes(file);
      int complete = 0;
      int clean = 0;
      int begun = 0; // by the record that is cut
      for (int length = 4; length <= whole.length; length++) {
        CaptureReader reader = CaptureReader.open(new ByteArrayInputStream(whole, 0, length));
        int frames = Frames.all(reader).size();
        assertTrue(frames >= complete && frames <= 3);
        complete = frames;
        clean += reader.damage().isEmpty() ? 1 : 0;
        if (reader.damage().isEmpty()) {
          begun = length;
        } else {
          assertTrue(reader.damage().endsWith(", at byte " + begun), reader::damage);
        }
        assertNull(reader.next(), "nothing after the end");
      }
      assertEquals(3, complete);
      assertEquals(name.equals("a.pcap") ? 4 : 5, clean, "cuts between records");
    }
  }

  @Property(tries = 1500)
  void mutatedFilesNeverThrow(
      @ForAll boolean pcapng,
      @ForAll @Size(max = 5) List<Integer> places,
      @ForAll byte value,
      @ForAll @IntRange(max = 22) int which)
      throws IOException {
    byte[] bytes = pcapng ? smallPcapng() : Files.readAllBytes(Frames.captures().get(which % 22));
    for (int place : places) {
      bytes[Math.floorMod(place, Math.min(bytes.length, 300))] = value;
    }
    CaptureReader reader = CaptureReader.open(new ByteArrayInputStream(bytes));
    if (reader != null) {
      CaptureInspector.Totals totals = CaptureInspector.inspect(reader, packet -> {});
      assertTrue(totals.packets() >= totals.icrcOk());
    }
  }

  static byte[] smallPcapng() {
    ByteBuffer file = ByteBuffer.allocate(1024).order(ByteOrder.LITTLE_ENDIAN);
    section(file);
    block(file, 1, interfaceOf(file.order(), LinkType.RAW, 9, 0));
    block(file, 6, enhanced(file.order(), 0, TIME, "hello"));
    block(file, 3, simple(file.order()));
    block(file, 2, obsolete(file.order(), 0, 5));
    byte[] bytes = new byte[file.position()];
    file.get(0, bytes);
    return bytes;
  }
}
