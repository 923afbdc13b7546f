package org.roce4j.conformance.table;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Icrc;
import org.roce4j.wire.InboundPacket;
import org.roce4j.wire.InboundPacket.Verdict;
import org.roce4j.wire.Opcode;

/** Opcode x headers x length, for all 256 opcodes (wire-format 4 and 5). */
public final class WireOpcodeTable {
  private static final int[] PATH_MTUS = {256, 512, 1024, 2048, 4096};
  private static final int LONGEST = 4200;

  private WireOpcodeTable() {}

  private record Entry(
      String name, List<String> headers, int payloadAt, String payload, String direction) {}

  /** All rows. */
  public static List<Row> rows() {
    Map<Integer, Entry> table = new HashMap<>();
    for (String[] cells : TextTable.read("wire-opcodes.txt")) {
      table.put(
          Integer.decode(cells[0]),
          new Entry(
              cells[1], TextTable.words(cells[2]), Integer.parseInt(cells[3]), cells[4], cells[5]));
    }
    List<Row> rows = new ArrayList<>();
    for (int code = 0; code < 256; code++) {
      Entry entry = table.get(code);
      String id = Wording.of("OPC-%02X", code);
      rows.add(entry == null ? unknown(id, code) : known(id, code, entry));
    }
    return rows;
  }

  private static Row unknown(String id, int code) {
    return new Row(
        id,
        "wire-format 4",
        "no such opcode: the packet is dropped",
        bench -> {
          bench.need(Capability.OWN_WIRE_CODE);
          Expect.equal("the opcode's row", null, Opcode.of(code));
          for (int length = 0; length <= 128; length++) {
            Verdict verdict = decode(code, 0, 0, length);
            Expect.that(
                verdict == Verdict.UNKNOWN_OPCODE || verdict == Verdict.TOO_SHORT,
                length + " bytes are taken: " + verdict);
          }
        });
  }

  private static Row known(String id, int code, Entry entry) {
    return new Row(
        id,
        "wire-format 4, 5",
        entry.name() + ": headers " + entry.headers() + ", payload class " + entry.payload(),
        bench -> {
          bench.need(Capability.OWN_WIRE_CODE);
          Opcode opcode = Opcode.of(code);
          Expect.equal("the name", entry.name(), String.valueOf(opcode));
          Expect.equal(
              "the headers", entry.headers(), opcode.headers().stream().map(Enum::name).toList());
          Expect.equal("the payload's offset", entry.payloadAt(), opcode.headerLength());
          Expect.equal("being a request", entry.direction().equals("request"), opcode.request());
          Expect.equal("being a response", entry.direction().equals("response"), opcode.response());
          payloads(opcode, entry.payload());
          lengths(code, entry.payloadAt());
        });
  }

  private static void payloads(Opcode opcode, String payloadClass) {
    for (int mtu : PATH_MTUS) {
      for (int payload = 0; payload <= LONGEST; payload++) {
        boolean legal =
            switch (payloadClass) {
              case "M" -> payload == mtu;
              case "L" -> payload >= 1 && payload <= mtu;
              case "O" -> payload <= mtu;
              case "8" -> payload == 8;
              default -> payload == 0;
            };
        if (opcode.payloadLegal(payload, mtu) != legal) {
          Expect.equal(
              "a payload of " + payload + " at path MTU " + mtu + " being legal", legal, !legal);
        }
      }
    }
  }

  /** At least the headers, the pad that is announced, and the ICRC; TVer 0. */
  private static void lengths(int code, int payloadAt) {
    for (int pad = 0; pad <= 3; pad++) {
      int least = payloadAt + pad + Icrc.SIZE;
      for (int length = 0; length <= least + 8; length++) {
        Expect.equal(
            "the verdict on " + length + " bytes with pad " + pad,
            length >= least ? Verdict.OK : Verdict.TOO_SHORT,
            decode(code, pad, 0, length));
      }
      for (int version = 1; version <= 15; version++) {
        Expect.equal(
            "the verdict on TVer " + version,
            Verdict.BAD_VERSION,
            decode(code, pad, version, least));
      }
    }
  }

  private static Verdict decode(int code, int pad, int version, int length) {
    ByteBuffer packet = ByteBuffer.allocate(Math.max(length, Bth.SIZE));
    packet.put(0, (byte) code);
    packet.put(Bth.FLAGS, (byte) (pad << 4 | version));
    return new InboundPacket().decode(packet.limit(length), 0, length);
  }
}
