package org.roce4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every golden packet: read, written again from its fields, and sealed. */
class GoldenPacketTest {
  static Stream<Golden.Vector> packets() {
    return Golden.packets();
  }

  @Test
  void thereAreVectorsForBothIpVersions() {
    assertEquals(178, packets().count());
  }

  @ParameterizedTest
  @MethodSource("packets")
  void decodesToTheFieldsOfTheVector(Golden.Vector v) {
    ByteBuffer b = v.bytes("udp_payload");
    InboundPacket p = new InboundPacket();
    assertEquals(InboundPacket.Verdict.OK, p.decode(b, 0, b.capacity()));
    assertEquals(v.json().get("opcode").asInt(), p.opcode().code());
    assertEquals(v.flag("bth", "se"), p.solicited());
    assertEquals(v.flag("bth", "m"), p.migReq());
    assertEquals(v.number("bth", "padcnt"), p.padCount());
    assertEquals(v.number("bth", "pkey"), p.pkey());
    assertEquals(v.flag("bth", "fecn"), p.fecn());
    assertEquals(v.flag("bth", "becn"), p.becn());
    assertEquals(v.number("bth", "dqpn"), p.destQp());
    assertEquals(v.flag("bth", "ackreq"), p.ackReq());
    assertEquals(v.number("bth", "psn"), p.psn());
    assertEquals(v.json().get("payload_len").asInt(), p.payloadLength());
    assertEquals(v.bytes("payload"), b.slice(p.payloadAt(), p.payloadLength()));
    assertTrue(p.padLegal());
    List<String> names = new ArrayList<>();
    for (JsonNode e : v.json().get("ext")) {
      names.add(e.get("type").asText());
      checkExtension(e, p);
    }
    assertEquals(names.contains("RETH") ? 1 : 0, p.opcode().hasReth() ? 1 : 0);
  }

  private static void checkExtension(JsonNode e, InboundPacket p) {
    switch (e.get("type").asText()) {
      case "RETH" -> {
        assertEquals(hex64(e, "va"), p.rethVa());
        assertEquals(e.get("rkey").asLong(), Integer.toUnsignedLong(p.rethRkey()));
        assertEquals(e.get("dmalen").asLong(), p.rethLength());
      }
      case "AETH" -> {
        assertEquals(e.get("syndrome").asInt(), p.syndrome());
        assertEquals(e.get("msn").asInt(), p.msn());
      }
      case "DETH" -> {
        assertEquals(e.get("qkey").asLong(), Integer.toUnsignedLong(p.qkey()));
        assertEquals(e.get("srcqp").asInt(), p.sourceQp());
      }
      case "AtomicETH" -> {
        assertEquals(hex64(e, "va"), p.atomicVa());
        assertEquals(e.get("rkey").asLong(), Integer.toUnsignedLong(p.atomicRkey()));
        assertEquals(hex64(e, "swap_add"), p.swapOrAdd());
        assertEquals(hex64(e, "compare"), p.compare());
      }
      case "AtomicAckETH" -> assertEquals(hex64(e, "orig"), p.originalData());
      case "ImmDt" -> assertEquals(e.get("imm").asLong(), Integer.toUnsignedLong(p.immediate()));
      case "IETH" ->
          assertEquals(e.get("rkey").asLong(), Integer.toUnsignedLong(p.invalidateRkey()));
      case "XRCETH" -> assertEquals(e.get("srqn").asInt(), p.xrcSrqn());
      case "FETH" -> {
        assertEquals(e.get("placement").asInt(), p.flushPlacement());
        assertEquals(e.get("selectivity").asInt(), p.flushSelectivity());
      }
      case "CNPRSV" -> assertEquals(Opcode.CNP, p.opcode());
      default -> throw new AssertionError(e);
    }
  }

  @ParameterizedTest
  @MethodSource("packets")
  void isWrittenAgainByteForByteInEitherBufferOrder(Golden.Vector v) {
    ByteBuffer wire = v.bytes("udp_payload");
    for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
      ByteBuffer out = ByteBuffer.allocateDirect(wire.capacity() + 8).order(order);
      for (int i = 0; i < out.capacity(); i++) {
        out.put(i, (byte) 0xA5);
      }
      int size = emit(v, out, 4);
      assertEquals(wire.capacity(), size);
      assertEquals(wire, out.slice(4, size));
      assertEquals(0xA5A5A5A5, out.getInt(0), "bytes before the packet");
      assertEquals(0xA5A5A5A5, out.getInt(4 + size), "bytes after the packet");
    }
  }

  private static void setRareBits(Golden.Vector v, ByteBuffer b, int at) {
    if (v.flag("bth", "m")) {
      Bth.setMigReq(b, at);
    }
    if (v.flag("bth", "fecn")) {
      Bth.setFecn(b, at);
    }
    if (v.flag("bth", "becn")) {
      Bth.setBecn(b, at);
    }
  }

  private static int emit(Golden.Vector v, ByteBuffer b, int at) {
    Opcode op = Opcode.of(v.json().get("opcode").asInt());
    ByteBuffer payload = v.bytes("payload");
    int length = payload.capacity();
    Bth.put(
        b,
        at,
        op.code(),
        v.flag("bth", "se"),
        OutboundPacket.pad(length),
        v.number("bth", "pkey"),
        v.number("bth", "dqpn"),
        v.flag("bth", "ackreq"),
        v.number("bth", "psn"));
    setRareBits(v, b, at);
    for (JsonNode e : v.json().get("ext")) {
      putExtension(e, b, at, op);
    }
    b.put(OutboundPacket.payloadAt(op, at), payload, 0, length);
    OutboundPacket.zeroPad(b, at, op, length);
    int size = OutboundPacket.size(op, length);
    Icrc.write(b, OutboundPacket.icrcAt(op, at, length), icrc(v, b, at, size));
    return size;
  }

  private static void putExtension(JsonNode e, ByteBuffer b, int at, Opcode op) {
    switch (e.get("type").asText()) {
      case "RETH" ->
          Reth.put(b, at + op.rethAt(), hex64(e, "va"), hex32(e, "rkey"), e.get("dmalen").asLong());
      case "AETH" -> Aeth.put(b, at + op.aethAt(), e.get("syndrome").asInt(), e.get("msn").asInt());
      case "DETH" -> Deth.put(b, at + op.dethAt(), hex32(e, "qkey"), e.get("srcqp").asInt());
      case "AtomicETH" ->
          AtomicEth.put(
              b,
              at + op.atomicEthAt(),
              hex64(e, "va"),
              hex32(e, "rkey"),
              hex64(e, "swap_add"),
              hex64(e, "compare"));
      case "AtomicAckETH" -> AtomicAckEth.put(b, at + op.atomicAckEthAt(), hex64(e, "orig"));
      case "ImmDt" -> ImmDt.put(b, at + op.immediateAt(), hex32(e, "imm"));
      case "IETH" -> Ieth.put(b, at + op.iethAt(), hex32(e, "rkey"));
      case "XRCETH" -> XrcEth.put(b, at + op.xrcEthAt(), e.get("srqn").asInt());
      case "FETH" ->
          Feth.put(b, at + op.fethAt(), e.get("placement").asInt(), e.get("selectivity").asInt());
      case "CNPRSV" -> b.put(at + Bth.SIZE, new byte[16]);
      default -> throw new AssertionError(e);
    }
  }

  private static int icrc(Golden.Vector v, ByteBuffer b, int at, int size) {
    int sport = v.number("udp", "sport");
    if (v.number("ip", "version") == 4) {
      return new Icrc()
          .ofIpv4(
              (int) low(v, "src"),
              (int) low(v, "dst"),
              sport,
              UdpSourcePort.ROCE_V2,
              v.number("ip", "id"),
              b,
              at,
              size);
    }
    return new Icrc()
        .ofIpv6(
            high(v, "src"),
            low(v, "src"),
            high(v, "dst"),
            low(v, "dst"),
            sport,
            UdpSourcePort.ROCE_V2,
            b,
            at,
            size);
  }

  private static long high(Golden.Vector v, String field) {
    return GidAddress.highOf(address(v, field));
  }

  private static long low(Golden.Vector v, String field) {
    return GidAddress.lowOf(address(v, field));
  }

  private static InetAddress address(Golden.Vector v, String field) {
    return InetAddress.ofLiteral(v.json().get("ip").get(field).asText());
  }

  private static long hex64(JsonNode e, String field) {
    return Long.parseUnsignedLong(e.get(field).asText().substring(2), 16);
  }

  private static int hex32(JsonNode e, String field) {
    return (int) e.get(field).asLong();
  }
}
