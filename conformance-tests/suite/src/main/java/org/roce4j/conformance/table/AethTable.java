package org.roce4j.conformance.table;

import java.util.ArrayList;
import java.util.List;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.backend.Capability;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.verbs.text.Wording;
import org.roce4j.wire.Aeth;

/** The meaning of every AETH syndrome (wire-format 3, rc-transport 2). */
public final class AethTable {
  private static final int[] CREDITS = {
    0,
    1,
    2,
    3,
    4,
    6,
    8,
    12,
    16,
    24,
    32,
    48,
    64,
    96,
    128,
    192,
    256,
    384,
    512,
    768,
    1024,
    1536,
    2048,
    3072,
    4096,
    6144,
    8192,
    12288,
    16384,
    24576,
    32768,
    Aeth.UNLIMITED
  };

  private AethTable() {}

  /** All rows: one for each of the 256 values of the byte. */
  public static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    for (int value = 0; value < 256; value++) {
      int syndrome = value;
      String kind = kind(syndrome);
      rows.add(
          new Row(
              Wording.of("AETH-%02X", syndrome),
              "rc-transport 2",
              Wording.of("syndrome 0x%02X is %s", syndrome, kind),
              bench -> {
                bench.need(Capability.OWN_WIRE_CODE);
                check(syndrome, kind);
              }));
    }
    return rows;
  }

  private static String kind(int syndrome) {
    return switch (syndrome >> 5) {
      case 0 -> "an ACK";
      case 1 -> "an RNR NAK";
      case 3 -> "a NAK";
      default -> "reserved";
    };
  }

  private static void check(int syndrome, String kind) {
    Expect.equal("being an ACK", kind.equals("an ACK"), Aeth.isAck(syndrome));
    Expect.equal("being an RNR NAK", kind.equals("an RNR NAK"), Aeth.isRnrNak(syndrome));
    Expect.equal("being a NAK", kind.equals("a NAK"), Aeth.isNak(syndrome));
    Expect.equal("being reserved", kind.equals("reserved"), Aeth.isReserved(syndrome));
    Expect.equal("the code", syndrome & 0x1f, Aeth.value(syndrome));
    if (kind.equals("an ACK")) {
      Expect.equal("the credits", CREDITS[syndrome], Aeth.credits(syndrome));
      Expect.equal("the syndrome of these credits", syndrome, Aeth.ack(syndrome));
    }
    if (kind.equals("an RNR NAK")) {
      Expect.equal("the syndrome of this timer", syndrome, Aeth.rnrNak(syndrome & 0x1f));
    }
  }
}
