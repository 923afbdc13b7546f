package org.roce4j.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class IcrcTest {
  private static final int SOURCE = 0x0A010203;
  private static final int DESTINATION = 0x0A010204;
  private static final int PORT = UdpSourcePort.ROCE_V2;

  static Stream<Golden.Vector> vectors() {
    return Golden.icrcs();
  }

  static Stream<Golden.Vector> packets() {
    return Golden.packets();
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void equalsTheGoldenVector(Golden.Vector v) {
    String headers = v.text("ip_header") + v.text("udp_header");
    ByteBuffer frame =
        Golden.hex("c0ffee" + headers + v.text("udp_payload_without_icrc") + v.text("icrc_wire"));
    int length = frame.capacity() - 3 - headers.length() / 2;
    int expected = Integer.parseUnsignedInt(v.text("icrc_u32").substring(2), 16);
    assertEquals(expected, new Icrc().ofFrame(frame, 3, length));
    assertEquals(expected, Icrc.read(frame, frame.capacity() - 4));
  }

  @ParameterizedTest
  @MethodSource("vectors")
  void equalsBouncyCastleOnTheGoldenInput(Golden.Vector v) {
    byte[] input = HexFormat.of().parseHex(v.text("crc_input"));
    assertEquals(
        Integer.parseUnsignedInt(v.text("icrc_u32").substring(2), 16), Bzip2BlockCrc.crc32(input));
  }

  @ParameterizedTest
  @MethodSource("packets")
  void isRightInEveryGoldenPacket(Golden.Vector v) {
    ByteBuffer packet = v.bytes("ip_packet");
    int length = packet.capacity() - Golden.ipHeaderSize(packet) - 8;
    assertEquals(Icrc.read(packet, packet.capacity() - 4), new Icrc().ofFrame(packet, 0, length));
  }

  /** Headers that come again are not computed again, whatever their identification. */
  @Property
  void doesNotDependOnThePacketsBefore(
      @ForAll @Size(max = 200) List<@IntRange(max = 31) Integer> headers) {
    Icrc used = new Icrc();
    Random random = new Random(headers.hashCode());
    ByteBuffer packet = ByteBuffer.allocateDirect(160);
    for (int choice : headers) {
      random.ints(packet.capacity()).forEach(value -> packet.put((byte) value));
      packet.clear().put(Bth.CONGESTION, (byte) (random.nextInt(8) == 0 ? 0x80 : 0));
      int source = SOURCE + (choice & 1);
      int destination = DESTINATION + (choice >> 1 & 1);
      int port = PORT + (choice >> 2 & 1);
      int identification = random.nextInt(0x10000);
      int length = 16 + 48 * (choice >> 3);
      assertEquals(
          new Icrc().ofIpv4(source, destination, port, PORT, identification, packet, 0, length),
          used.ofIpv4(source, destination, port, PORT, identification, packet, 0, length));
    }
  }

  @Test
  void isWrittenLeastSignificantByteFirstInEitherBufferOrder() {
    for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
      ByteBuffer b = ByteBuffer.allocate(6).order(order);
      Icrc.write(b, 1, 0x2A00FD82);
      assertArrayEquals(HexFormat.of().parseHex("0082fd002a00"), b.array());
      assertEquals(0x2A00FD82, Icrc.read(b, 1));
    }
  }

  @Test
  void fieldsThatTheNetworkMayChangeDoNotCount() {
    int[] icrc =
        vectors()
            .filter(v -> v.name().startsWith("RC_SEND_ONLY/variant_") && v.name().endsWith("v6"))
            .mapToInt(v -> Integer.parseUnsignedInt(v.text("icrc_u32").substring(2), 16))
            .toArray();
    assertEquals(2, icrc.length);
    assertEquals(icrc[0], icrc[1]);
  }

  @Property(tries = 300)
  void overIpv4EqualsBouncyCastleOverTheMaskedBytes(
      @ForAll int source,
      @ForAll int destination,
      @ForAll @IntRange(max = 0xFFFF) int sourcePort,
      @ForAll @IntRange(max = 0xFFFF) int identification,
      @ForAll @Size(min = 12, max = 600) byte[] body) {
    ByteBuffer input = ByteBuffer.allocate(8 + 20 + 8 + body.length);
    input.putLong(-1);
    input.putShort((short) 0x45FF).putShort((short) (20 + 8 + body.length + 4));
    input.putShort((short) identification).putShort((short) 0x4000);
    input.putShort((short) 0xFF11).putShort((short) -1).putInt(source).putInt(destination);
    input.putShort((short) sourcePort).putShort((short) PORT);
    input.putShort((short) (8 + body.length + 4)).putShort((short) -1);
    int expected = crcOfMaskedBody(input, body);
    for (ByteBuffer packet : copies(body)) {
      assertEquals(
          expected,
          new Icrc()
              .ofIpv4(
                  source,
                  destination,
                  sourcePort,
                  PORT,
                  identification,
                  packet,
                  5,
                  body.length + 4));
    }
  }

  @Property(tries = 300)
  void overIpv6EqualsBouncyCastleOverTheMaskedBytes(
      @ForAll long sh,
      @ForAll long sl,
      @ForAll long dh,
      @ForAll long dl,
      @ForAll @IntRange(max = 0xFFFF) int sourcePort,
      @ForAll @Size(min = 12, max = 600) byte[] body) {
    ByteBuffer input = ByteBuffer.allocate(8 + 40 + 8 + body.length);
    input.putLong(-1);
    input.putInt(0x6FFFFFFF).putShort((short) (8 + body.length + 4)).putShort((short) 0x11FF);
    input.putLong(sh).putLong(sl).putLong(dh).putLong(dl);
    input.putShort((short) sourcePort).putShort((short) PORT);
    input.putShort((short) (8 + body.length + 4)).putShort((short) -1);
    int expected = crcOfMaskedBody(input, body);
    for (ByteBuffer packet : copies(body)) {
      assertEquals(
          expected,
          new Icrc().ofIpv6(sh, sl, dh, dl, sourcePort, PORT, packet, 5, body.length + 4));
    }
  }

  private static int crcOfMaskedBody(ByteBuffer input, byte[] body) {
    int bth = input.position();
    input.put(body);
    input.put(bth + Bth.CONGESTION, (byte) -1);
    byte[] bytes = new byte[input.capacity()];
    input.get(0, bytes);
    CRC32 jdk = new CRC32();
    jdk.update(bytes);
    int independent = Bzip2BlockCrc.crc32(bytes);
    assertEquals(independent, (int) jdk.getValue());
    return independent;
  }

  /** The body at index 5 of a heap, a direct and a little-endian direct buffer. */
  private static ByteBuffer[] copies(byte[] body) {
    int capacity = 5 + body.length + 4;
    return new ByteBuffer[] {
      ByteBuffer.allocate(capacity).put(5, body),
      ByteBuffer.allocateDirect(capacity).put(5, body),
      ByteBuffer.allocateDirect(capacity).order(ByteOrder.LITTLE_ENDIAN).put(5, body)
    };
  }

  @Property(tries = 500)
  void anyIdentificationIsRecovered(
      @ForAll @IntRange(max = 0xFFFF) int identification,
      @ForAll @IntRange(min = 12, max = 4140) int covered,
      @ForAll long seed) {
    ByteBuffer packet = randomPacket(covered, seed);
    Icrc icrc = new Icrc();
    seal(icrc, packet, identification);
    assertEquals(identification, solve(icrc, packet));
    assertEquals(identification, solve(icrc, packet), "again, with the length remembered");
  }

  @Property(tries = 200)
  void whatIsSolvedForADamagedPacketIsNotWhatWasSent(
      @ForAll @IntRange(min = 12, max = 300) int covered,
      @ForAll long seed,
      @ForAll @IntRange(max = 31) int bit) {
    ByteBuffer packet = randomPacket(covered, seed);
    Icrc icrc = new Icrc();
    seal(icrc, packet, 7);
    int at = packet.capacity() - 4;
    int damaged = Icrc.read(packet, at) ^ 1 << bit;
    Icrc.write(packet, at, damaged);
    int solved = solve(icrc, packet);
    assertNotEquals(7, solved);
    if (solved >= 0) {
      seal(icrc, packet, solved);
      assertEquals(damaged, Icrc.read(packet, at));
    }
  }

  @Test
  void oneWrongBitInAnyPlaceOfTheIcrcLeavesNoIdentification() {
    ByteBuffer packet = randomPacket(64, 42);
    Icrc icrc = new Icrc();
    seal(icrc, packet, 0x1234);
    for (int bit = 0; bit < 32; bit++) {
      Icrc.write(packet, 64, Icrc.read(packet, 64) ^ 1 << bit);
      assertEquals(-1, solve(icrc, packet), "bit " + bit);
      Icrc.write(packet, 64, Icrc.read(packet, 64) ^ 1 << bit);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 3, 4, 5, 11, 12, 15})
  void aPacketTooShortForABthIsNoException(int length) {
    ByteBuffer packet = ByteBuffer.allocateDirect(length);
    Icrc icrc = new Icrc();
    icrc.ofIpv4(1, 2, 3, 4, 5, packet, 0, length);
    icrc.ofIpv6(1, 2, 3, 4, 5, 6, packet, 0, length);
    assertEquals(-1, icrc.solveIdentification(1, 2, 3, 4, packet, 0, length));
  }

  @Test
  void positionAndLimitOfThePacketStayAsTheyWere() {
    ByteBuffer packet = ByteBuffer.allocateDirect(200);
    packet.limit(150).position(120);
    new Icrc().ofIpv4(SOURCE, DESTINATION, 0xC000, PORT, 0, packet, 10, 100);
    assertEquals(120, packet.position());
    assertEquals(150, packet.limit());
  }

  @Test
  void oneInstanceServesIpv4AndIpv6InTurn() {
    ByteBuffer packet = randomPacket(100, 1);
    Icrc reused = new Icrc();
    int first = reused.ofIpv4(SOURCE, DESTINATION, 0xC000, PORT, 9, packet, 0, 104);
    int v6 = reused.ofIpv6(1, 2, 3, 4, 0xC000, PORT, packet, 0, 104);
    assertEquals(first, reused.ofIpv4(SOURCE, DESTINATION, 0xC000, PORT, 9, packet, 0, 104));
    assertEquals(new Icrc().ofIpv6(1, 2, 3, 4, 0xC000, PORT, packet, 0, 104), v6);
  }

  private static ByteBuffer randomPacket(int covered, long seed) {
    byte[] bytes = new byte[covered + 4];
    new Random(seed).nextBytes(bytes);
    return ByteBuffer.allocateDirect(bytes.length).put(0, bytes);
  }

  private static void seal(Icrc icrc, ByteBuffer packet, int identification) {
    int length = packet.capacity();
    int value = icrc.ofIpv4(SOURCE, DESTINATION, 0xC123, PORT, identification, packet, 0, length);
    Icrc.write(packet, length - 4, value);
  }

  private static int solve(Icrc icrc, ByteBuffer packet) {
    return icrc.solveIdentification(
        SOURCE, DESTINATION, 0xC123, PORT, packet, 0, packet.capacity());
  }

  @Test
  void theOracleIsACrc32() {
    assertEquals(0xCBF43926, Bzip2BlockCrc.crc32("123456789".getBytes(US_ASCII)));
    byte[] run = new byte[5000];
    Arrays.fill(run, (byte) 7);
    CRC32 jdk = new CRC32();
    jdk.update(run);
    assertEquals((int) jdk.getValue(), Bzip2BlockCrc.crc32(run));
  }
}
