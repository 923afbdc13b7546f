package org.roce4j.wire.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.ExtensionHeader;
import org.roce4j.wire.Golden;
import org.roce4j.wire.Opcode;

class RocePacketTest {
  static Stream<Golden.Vector> packets() {
    return Golden.packets();
  }

  static RocePacket parse(ByteBuffer ipPacket) {
    List<Dissection> found = Dissector.dissectIp(ipPacket);
    assertEquals(1, found.size());
    return assertInstanceOf(Dissection.Roce.class, found.getFirst()).packet();
  }

  @ParameterizedTest
  @MethodSource("packets")
  void everyGoldenPacketIsEmittedByteForByteWithTheRightIcrc(Golden.Vector v) {
    RocePacket packet = parse(v.bytes("ip_packet"));
    assertEquals(v.text("ip_packet"), packet.emit().toString());
    assertEquals(v.text("payload"), packet.payload().toString());
    assertEquals(v.number("udp", "sport"), packet.udp().sourcePort());
    assertTrue(packet.icrcRight());
    assertTrue(packet.toString().endsWith("ICRC ok"), packet::toString);
  }

  @ParameterizedTest
  @MethodSource("packets")
  void finishingAGoldenPacketChangesNothingButTheUdpChecksum(Golden.Vector v) {
    RocePacket packet = parse(v.bytes("ip_packet"));
    RocePacket finished = packet.finished();
    assertEquals(packet.ip(), finished.ip());
    assertEquals(packet.bth(), finished.bth());
    assertEquals(packet.icrc(), finished.icrc());
    assertEquals(packet.payload(), finished.payload());
    assertEquals(0, finished.udp().checksum());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "RC_SEND_FIRST/v4 | RC SEND First QP 0x000012 PSN 11259375 payload 256 ICRC ok",
        "RC_SEND_ONLY_WITH_IMMEDIATE/v4 | RC SEND Only Immediate QP 0x000012 PSN 11259375 AckReq SE"
            + " immediate 0xcafebabe payload 4 ICRC ok",
        "RC_RDMA_READ_REQUEST/v6 | RC RDMA READ Request QP 0x000012 PSN 11259375 AckReq VA"
            + " 0x00007f1122334450 R_Key 0x00012a5b DMA length 1000 ICRC ok",
        "RC_ACKNOWLEDGE/rnr_timer12/v4 | RC Acknowledge QP 0x000012 PSN 16777215 RNR NAK wait 0.64"
            + " ms MSN 65535 ICRC ok",
        "RC_ACKNOWLEDGE/nak_remacc/v4 | RC Acknowledge QP 0x000012 PSN 16777215 NAK remote access"
            + " error MSN 65535 ICRC ok",
        "RC_ACKNOWLEDGE/ack_credit13/v4 | RC Acknowledge QP 0x000012 PSN 16777215 ACK credits 96"
            + " MSN 65535 ICRC ok",
        "CNP/v4 | CNP QP 0x0000d2 PSN 0 BECN ICRC ok"
      })
  void readsLikeADissectorLine(String name, String line) {
    Golden.Vector v = packets().filter(one -> one.name().equals(name)).findFirst().orElseThrow();
    assertEquals(line, parse(v.bytes("ip_packet")).toString());
  }

  @Test
  void aWrongIcrcIsShownWithTheRightOne() {
    RocePacket packet = send(Bytes.of((byte) 1, (byte) 2));
    RocePacket damaged = packet.withIcrc(~packet.icrc());
    assertFalse(damaged.icrcRight());
    assertTrue(
        damaged
            .toString()
            .endsWith(
                String.format(
                    "ICRC bad (0x%08x, should be 0x%08x)", ~packet.icrc(), packet.icrc())));
    assertEquals(packet.toString(), packet.textWithoutIcrc() + " ICRC ok");
  }

  @Test
  void shouldRefuseHeadersThatTheOpcodeDoesNotHave() {
    BaseHeader bth = BaseHeader.of(Opcode.RC_SEND_ONLY, 1, false, 0);
    List<Extension> extensions = List.of(new Extension.Immediate(1));
    Ipv4Header ip = Ipv4Header.of(1, 2, 0);
    assertThrows(
        IllegalArgumentException.class,
        () -> RocePacket.of(ip, 0xC000, bth, extensions, Bytes.NONE));
  }

  @Test
  void shouldRefuseAPadThatIsNotOfItsCount() {
    RocePacket packet = send(Bytes.of((byte) 1));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            new RocePacket(
                packet.ip(),
                packet.udp(),
                packet.bth(),
                packet.extensions(),
                packet.payload(),
                Bytes.zeros(2),
                packet.icrc()));
  }

  /** An empty SEND has a payload of 0 bytes; an acknowledgement has none, unless it is wrong. */
  @Test
  void thePayloadIsSaidWhereThereIsOneOrShouldBe() {
    assertTrue(send(Bytes.NONE).textWithoutIcrc().endsWith(" AckReq payload 0"));
    assertEquals("RC Acknowledge QP 0x000007 PSN 1 ACK MSN 2", ack(Bytes.NONE).textWithoutIcrc());
    assertTrue(ack(Bytes.zeros(4)).textWithoutIcrc().endsWith(" MSN 2 payload 4"));
  }

  private static RocePacket ack(Bytes payload) {
    return RocePacket.of(
        Ipv4Header.of(1, 2, 0),
        0xC000,
        BaseHeader.of(Opcode.RC_ACKNOWLEDGE, 7, false, 1),
        List.of(new Extension.Acknowledge(0x1F, 2)),
        payload);
  }

  @ParameterizedTest
  @CsvSource({
    "RC_SEND_MIDDLE, RC SEND Middle",
    "RC_SEND_LAST_WITH_INVALIDATE, RC SEND Last Invalidate",
    "RC_SEND_ONLY_WITH_INVALIDATE, RC SEND Only Invalidate",
    "RC_RDMA_WRITE_LAST_WITH_IMMEDIATE, RC RDMA WRITE Last Immediate",
    "RC_RDMA_READ_RESPONSE_MIDDLE, RC RDMA READ Response Middle",
    "UC_RDMA_WRITE_MIDDLE, UC RDMA WRITE Middle",
    "RC_COMPARE_SWAP, RC Compare Swap",
    "RC_FETCH_ADD, RC Fetch Add",
    "RC_ATOMIC_ACKNOWLEDGE, RC Atomic Acknowledge",
    "RC_FLUSH, RC Flush",
    "RC_ATOMIC_WRITE, RC Atomic Write",
    "CNP, CNP"
  })
  void opcodesReadLikeADissectors(Opcode opcode, String text) {
    assertEquals(text, OpcodeText.of(opcode));
  }

  static RocePacket send(Bytes payload) {
    return RocePacket.of(
        Ipv4Header.of(0x0A000001, 0x0A000002, 0),
        0xC000,
        BaseHeader.of(Opcode.RC_SEND_ONLY, 18, true, 5),
        List.of(),
        payload);
  }

  @Provide
  Arbitrary<Opcode> opcodes() {
    return Arbitraries.of(Opcode.class);
  }

  @Property(tries = 1500)
  void whatIsBuiltIsEmittedAndReadBackEqual(
      @ForAll("opcodes") Opcode opcode,
      @ForAll boolean ipv6,
      @ForAll @Size(6) List<Long> numbers,
      @ForAll @IntRange(max = 0xFFFFFF) int qp,
      @ForAll @IntRange(max = 0xFFFFFF) int psn,
      @ForAll @IntRange(max = 0x7F) int flags,
      @ForAll @Size(max = 300) byte[] payload) {
    IpHeader ip =
        ipv6
            ? new Ipv6Header(
                flags, psn & 0xFFFFF, 0, 9, numbers.get(0), numbers.get(1), numbers.get(2), 7)
            : new Ipv4Header(flags, 0, psn & 0xFFFF, 0x4000, 9, 0, (int) (long) numbers.get(0), qp);
    BaseHeader bth =
        new BaseHeader(
            opcode,
            (flags & 1) != 0,
            (flags & 2) != 0,
            0,
            psn & 0xFFFF,
            (flags & 4) != 0,
            (flags & 8) != 0,
            flags & 0x3F,
            qp,
            (flags & 16) != 0,
            flags,
            psn);
    List<Extension> extensions =
        opcode.headers().stream().map(header -> extension(header, numbers)).toList();
    RocePacket packet = RocePacket.of(ip, psn & 0xFFFF, bth, extensions, Bytes.of(payload));
    Bytes bytes = packet.emit();
    RocePacket read = parse(bytes.buffer());
    assertEquals(packet, read);
    assertEquals(bytes, read.emit());
    assertTrue(read.icrcRight());
  }

  private static Extension extension(ExtensionHeader header, List<Long> numbers) {
    ByteBuffer random = ByteBuffer.allocate(48);
    numbers.forEach(random::putLong);
    return Extension.parse(header, random, 0);
  }

  @Property(tries = 300)
  void everyBitOfAnExtensionHeaderIsKept(
      @ForAll @Size(6) List<Long> numbers, @ForAll @IntRange(max = 9) int which) {
    ExtensionHeader header = ExtensionHeader.values()[which];
    ByteBuffer random = ByteBuffer.allocate(48);
    numbers.forEach(random::putLong);
    ByteBuffer out = ByteBuffer.allocate(48);
    Extension.parse(header, random, 3).emit(out, 3);
    assertEquals(random.slice(3, header.size()), out.slice(3, header.size()));
  }
}
