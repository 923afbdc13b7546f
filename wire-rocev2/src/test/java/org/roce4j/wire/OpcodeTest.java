package org.roce4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class OpcodeTest {
  private static final Map<String, ExtensionHeader> HEADER_NAMES =
      Map.of(
          "XRCETH", ExtensionHeader.XRCETH,
          "DETH", ExtensionHeader.DETH,
          "FETH", ExtensionHeader.FETH,
          "RETH", ExtensionHeader.RETH,
          "AtomicETH", ExtensionHeader.ATOMIC_ETH,
          "AETH", ExtensionHeader.AETH,
          "AtomicAckETH", ExtensionHeader.ATOMIC_ACK_ETH,
          "ImmDt", ExtensionHeader.IMM_DT,
          "IETH", ExtensionHeader.IETH,
          "CNPRSV", ExtensionHeader.CNP_RESERVED);

  private static final Map<Integer, JsonNode> GOLDEN =
      Golden.opcodes()
          .collect(Collectors.toMap(v -> Integer.decode(v.text("opcode")), Golden.Vector::json));

  static IntStream allCodes() {
    return IntStream.range(0, 256);
  }

  @ParameterizedTest
  @MethodSource("allCodes")
  void everyByteIsTheOpcodeOfTheTableOrUnknown(int code) {
    Opcode opcode = Opcode.of(code);
    JsonNode row = GOLDEN.get(code);
    if (row == null) {
      assertNull(opcode);
      return;
    }
    assertNotNull(opcode);
    assertEquals(code, opcode.code());
    assertEquals(row.get("name").asText(), opcode.name());
    assertEquals(row.get("transport").asText(), opcode.transport().name());
    assertEquals(code >> 5, opcode.transport().code());
    assertEquals(row.get("payload_offset").asInt(), opcode.headerLength());
    List<ExtensionHeader> expected = new ArrayList<>();
    row.get("ext").forEach(name -> expected.add(HEADER_NAMES.get(name.asText())));
    assertEquals(expected, opcode.headers());
  }

  @ParameterizedTest
  @EnumSource
  void headerOffsetsFollowOneAnotherFromTheBth(Opcode opcode) {
    Map<ExtensionHeader, Integer> offsets = new HashMap<>();
    offsets.put(ExtensionHeader.XRCETH, opcode.xrcEthAt());
    offsets.put(ExtensionHeader.DETH, opcode.dethAt());
    offsets.put(ExtensionHeader.FETH, opcode.fethAt());
    offsets.put(ExtensionHeader.RETH, opcode.rethAt());
    offsets.put(ExtensionHeader.ATOMIC_ETH, opcode.atomicEthAt());
    offsets.put(ExtensionHeader.AETH, opcode.aethAt());
    offsets.put(ExtensionHeader.ATOMIC_ACK_ETH, opcode.atomicAckEthAt());
    offsets.put(ExtensionHeader.IMM_DT, opcode.immediateAt());
    offsets.put(ExtensionHeader.IETH, opcode.iethAt());
    int at = Bth.SIZE;
    for (ExtensionHeader header : opcode.headers()) {
      if (header != ExtensionHeader.CNP_RESERVED) {
        assertEquals(at, offsets.remove(header));
      }
      at += header.size();
    }
    assertEquals(at, opcode.headerLength());
    assertTrue(offsets.values().stream().allMatch(offset -> offset == Opcode.ABSENT));
  }

  @ParameterizedTest
  @EnumSource
  void presencePredicatesAgreeWithTheHeaderList(Opcode op) {
    List<ExtensionHeader> headers = op.headers();
    assertEquals(headers.contains(ExtensionHeader.XRCETH), op.hasXrcEth());
    assertEquals(headers.contains(ExtensionHeader.DETH), op.hasDeth());
    assertEquals(headers.contains(ExtensionHeader.FETH), op.hasFeth());
    assertEquals(headers.contains(ExtensionHeader.RETH), op.hasReth());
    assertEquals(headers.contains(ExtensionHeader.ATOMIC_ETH), op.hasAtomicEth());
    assertEquals(headers.contains(ExtensionHeader.AETH), op.hasAeth());
    assertEquals(headers.contains(ExtensionHeader.ATOMIC_ACK_ETH), op.hasAtomicAckEth());
    assertEquals(headers.contains(ExtensionHeader.IMM_DT), op.hasImmediate());
    assertEquals(headers.contains(ExtensionHeader.IETH), op.hasInvalidate());
  }

  @ParameterizedTest
  @EnumSource
  void placeInTheMessageIsTheOneInTheName(Opcode op) {
    assertEquals(
        1, Stream.of(op.first(), op.middle(), op.last(), op.only()).filter(x -> x).count());
    assertEquals(op.name().contains("_FIRST"), op.first());
    assertEquals(op.name().contains("_MIDDLE"), op.middle());
    assertEquals(op.name().contains("_LAST"), op.last());
    assertEquals(op.first() || op.only(), op.starts());
    assertEquals(op.last() || op.only(), op.ends());
  }

  @ParameterizedTest
  @EnumSource
  void traitsLeadBackToTheOpcode(Opcode op) {
    assertSame(
        op,
        Opcode.of(
            op.transport(),
            op.operation(),
            op.starts(),
            op.ends(),
            op.hasImmediate(),
            op.hasInvalidate()));
  }

  @Test
  void traitsThatNoOpcodeHasLeadToNull() {
    Set<Opcode> found = new TreeSet<>();
    int absent = 0;
    for (Transport transport : Transport.values()) {
      for (Operation operation : Operation.values()) {
        for (int bits = 0; bits < 16; bits++) {
          Opcode op =
              Opcode.of(
                  transport,
                  operation,
                  (bits & 1) != 0,
                  (bits & 2) != 0,
                  (bits & 4) != 0,
                  (bits & 8) != 0);
          if (op == null) {
            absent++;
          } else {
            assertTrue(found.add(op), () -> op + " has two sets of traits");
          }
        }
      }
    }
    assertEquals(Opcode.values().length, found.size());
    assertEquals(6 * 11 * 16 - Opcode.values().length, absent);
    assertNull(Opcode.of(Transport.UC, Operation.READ_REQUEST, true, true, false, false));
    assertNull(Opcode.of(Transport.UC, Operation.SEND, true, true, false, true));
    assertNull(Opcode.of(Transport.RC, Operation.SEND, true, false, true, false));
    assertNull(Opcode.of(Transport.UD, Operation.SEND, true, false, false, false));
  }

  @ParameterizedTest
  @EnumSource
  void requestsAndResponsesExcludeEachOther(Opcode op) {
    int low = op.code() & 0x1F;
    boolean expected =
        (op.transport() == Transport.RC || op.transport() == Transport.XRC)
            && low >= 0x0D
            && low <= 0x12;
    assertEquals(expected, op.response());
    assertEquals(!expected && op != Opcode.CNP, op.request());
  }

  @Test
  void codesOutsideAByteAreUnknown() {
    assertNull(Opcode.of(-1));
    assertNull(Opcode.of(256));
  }

  @ParameterizedTest
  @CsvSource({
    "RC_SEND_FIRST,          1024, 0:n 1:n 1023:n 1024:y 1025:n",
    "RC_RDMA_WRITE_MIDDLE,    256, 0:n 255:n 256:y 257:n",
    "RC_SEND_LAST,           1024, 0:n 1:y 1024:y 1025:n",
    "RC_RDMA_READ_RESPONSE_LAST, 4096, 0:n 1:y 4096:y 4097:n",
    "RC_SEND_ONLY,            512, 0:y 1:y 512:y 513:n",
    "UD_SEND_ONLY,           1024, 0:y 1024:y 1025:n",
    "RC_RDMA_READ_REQUEST,   1024, 0:y 1:n 1024:n",
    "RC_ACKNOWLEDGE,         1024, 0:y 4:n",
    "RC_COMPARE_SWAP,        1024, 0:y 8:n",
    "RC_FLUSH,               1024, 0:y 4:n",
    "RC_ATOMIC_WRITE,        1024, 0:n 7:n 8:y 9:n",
    "CNP,                    1024, 0:y 1:n"
  })
  void payloadLegality(Opcode op, int pathMtu, String cases) {
    for (String one : cases.split(" ")) {
      String[] parts = one.split(":");
      assertEquals(parts[1].equals("y"), op.payloadLegal(Integer.parseInt(parts[0]), pathMtu), one);
    }
  }

  @ParameterizedTest
  @EnumSource
  void carriesPayloadWhenSomeLengthIsLegal(Opcode op) {
    assertEquals(
        IntStream.rangeClosed(1, 256).anyMatch(n -> op.payloadLegal(n, 256)), op.carriesPayload());
  }
}
