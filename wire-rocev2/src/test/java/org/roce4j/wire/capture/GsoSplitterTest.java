package org.roce4j.wire.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Opcode;

class GsoSplitterTest {
  private static final Random RANDOM = new Random(1);

  /** A SEND message cut into packets, as a sender seals them for a train. */
  private static List<RocePacket> message(boolean ipv6, int mtu, int length, int id, int step) {
    List<RocePacket> packets = new ArrayList<>();
    for (int at = 0, k = 0; at < length; at += mtu, k++) {
      byte[] payload = new byte[Math.min(mtu, length - at)];
      RANDOM.nextBytes(payload);
      Opcode op =
          at == 0
              ? Opcode.RC_SEND_FIRST
              : at + mtu < length ? Opcode.RC_SEND_MIDDLE : Opcode.RC_SEND_LAST;
      IpHeader ip =
          ipv6
              ? Ipv6Header.of(0xFD00L << 48, 1, 0xFD00L << 48, 2)
              : Ipv4Header.of(0x7F000001, 0x7F000002, id + k * step & 0xFFFF);
      packets.add(
          RocePacket.of(
              ip, 0xC123, BaseHeader.of(op, 18, false, 100 + k), List.of(), Bytes.of(payload)));
    }
    return packets;
  }

  /** One IP packet of all their UDP payloads, as the kernel hands it to a capture on "lo". */
  private static Bytes train(List<RocePacket> packets) {
    int payload = packets.stream().mapToInt(RocePacket::udpPayloadLength).sum();
    IpHeader ip = packets.getFirst().ip().sized(UdpHeader.SIZE + payload);
    int headers = ip.size() + UdpHeader.SIZE;
    ByteBuffer b = ByteBuffer.allocate(headers + payload);
    ip.emit(b, 0);
    packets.getFirst().udp().sized(payload).emit(b, ip.size());
    b.putShort(headers - 2, (short) 0xFE3B);
    int at = headers;
    for (RocePacket packet : packets) {
      b.put(at, packet.emit().toArray(), headers, packet.udpPayloadLength());
      at += packet.udpPayloadLength();
    }
    return Bytes.copy(b, 0, b.capacity());
  }

  private static List<RocePacket> split(Bytes train) {
    return Dissector.dissect(Frames.raw(train)).stream()
        .map(one -> assertInstanceOf(Dissection.Roce.class, one).packet())
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "false, 1024, 4096, 0, 1",
    "false, 1024, 5000, 0, 1",
    "false, 4096, 61000, 0, 1",
    "false, 256, 1025, 65534, 1",
    "false, 1024, 4000, 7, 0",
    "true, 1024, 4096, 0, 0",
    "true, 4096, 50001, 0, 0"
  })
  void aTrainIsSplitIntoThePacketsThatWereSealed(
      boolean ipv6, int mtu, int length, int id, int step) {
    List<RocePacket> sent = message(ipv6, mtu, length, id, step);
    assertEquals(sent, split(train(sent)));
  }

  @Property(tries = 60)
  void anyTrainIsSplit(
      @ForAll boolean ipv6,
      @ForAll @IntRange(min = 1, max = 4) int mtuCode,
      @ForAll @IntRange(min = 1, max = 12_000) int extra,
      @ForAll @IntRange(max = 0xFFFF) int id) {
    int mtu = 128 << mtuCode;
    List<RocePacket> sent = message(ipv6, mtu, mtu + extra, id, 1);
    assertEquals(sent, split(train(sent)));
  }

  @Test
  void aTrainTooLongForItsLengthFieldIsSplit() {
    List<RocePacket> sent = message(true, 4096, 80_000, 0, 1);
    ByteBuffer b = ByteBuffer.wrap(train(sent).toArray());
    b.putShort(4, (short) 0).putShort(44, (short) 0);
    assertEquals(sent, split(Bytes.copy(b, 0, b.capacity())));
  }

  /** As Linux hands large IPv4 packets to a capture. */
  @Test
  void anIpv4TrainWithoutALengthIsSplit() {
    List<RocePacket> sent = message(false, 4096, 60_000, 0, 1);
    ByteBuffer b = ByteBuffer.wrap(train(sent).toArray()).putShort(2, (short) 0);
    assertEquals(sent, split(Bytes.copy(b, 0, b.capacity())));
  }

  @ParameterizedTest
  @CsvSource({"4", "8", "12"})
  void whatIsTooShortForAPacketEndsNoTrain(int rest) {
    ByteBuffer whole = train(message(false, 1024, 4096, 0, 1)).buffer();
    ByteBuffer longer = ByteBuffer.allocate(whole.capacity() + rest).put(whole.duplicate());
    assertTrue(GsoSplitter.split(longer).isEmpty());
  }

  @Test
  void aTrainWithOneWrongIcrcIsNotGuessedAt() {
    List<RocePacket> sent = message(false, 1024, 4096, 0, 1);
    byte[] bytes = train(sent).toArray();
    bytes[2000] ^= 1;
    List<Dissection> found = Dissector.dissect(Frames.raw(Bytes.of(bytes)));
    assertEquals(1, found.size());
    assertTrue(found.getFirst().toString().contains("ICRC bad"));
  }

  @Test
  void acknowledgementsInATrainAreSplit() {
    List<RocePacket> acks = new ArrayList<>();
    for (int k = 0; k < 5; k++) {
      acks.add(
          RocePacket.of(
              Ipv4Header.of(0x7F000001, 0x7F000002, k),
              0xC123,
              BaseHeader.of(Opcode.RC_ACKNOWLEDGE, 20 + k, false, k),
              List.of(new Extension.Acknowledge(0x1F, k)),
              Bytes.NONE));
    }
    assertEquals(acks, split(train(acks)));
  }

  /** The shortest train: after its first packet nothing but the last remains. */
  @Test
  void twoMessagesWithoutPayloadAreSplit() {
    List<RocePacket> sent = new ArrayList<>();
    for (int k = 0; k < 2; k++) {
      sent.add(
          RocePacket.of(
              Ipv4Header.of(0x7F000001, 0x7F000002, k),
              0xC123,
              BaseHeader.of(Opcode.UC_SEND_ONLY, 20, false, k),
              List.of(),
              Bytes.NONE));
    }
    assertEquals(sent, split(train(sent)));
  }

  @Test
  void anOrdinaryPacketIsNoTrain() {
    assertTrue(GsoSplitter.split(Frames.golden("RC_SEND_FIRST/v4").buffer()).isEmpty());
    assertTrue(GsoSplitter.split(Frames.golden("RC_ACKNOWLEDGE/v6").buffer()).isEmpty());
  }
}
