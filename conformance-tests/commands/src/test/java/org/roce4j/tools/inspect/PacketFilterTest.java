package org.roce4j.tools.inspect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** Which fields a word of a filter chooses. */
class PacketFilterTest {
  private static final Map<String, Object> PACKET =
      Map.ofEntries(
          Map.entry("number", 7L),
          Map.entry("time", new BigDecimal("1.50")),
          Map.entry("opcode", "RC_SEND_ONLY"),
          Map.entry("solicited", false),
          Map.entry("ackReq", true),
          Map.entry("mark", ""),
          Map.entry("gap", -2),
          Map.entry("comment", "a..b (c)"),
          Map.entry("reth.length", 16L),
          Map.entry("cm.guid", new BigInteger("9000000000000000000")),
          Map.entry("cm.message", "REQ"));

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''                         | true",
        "number=7 opcode=RC_SEND_*  | true",
        "number=7 opcode=UD_*       | false",
        // a field that there is
        "ackReq                     | true",
        "solicited                  | false",
        "mark                       | false",
        "part                       | false",
        "gap                        | true",
        "opcode                     | true",
        "part=1                     | false",
        "part!=1                    | false",
        // ranges, with both ends
        "number=7..9                | true",
        "number=5..7                | true",
        "number=8..9                | false",
        "number=5..6                | false",
        "number=7..7                | true",
        "gap=-3..-1                 | true",
        "gap=-1..3                  | false",
        "reth.length=0x10..0x11     | true",
        "cm.guid=1..0x7ce66c50e2840000 | true",
        "cm.guid=1..0x7ce66c50e283ffff | false",
        "cm.message=1..9            | false",
        "part=1..9                  | false",
        // numbers
        "number=0x7                 | true",
        "number!=7                  | false",
        "number=1,7                 | true",
        "number!=1,7                | false",
        "number!=1,2                | true",
        "time=1.5                   | true",
        "time=1.51                  | false",
        "reth.length=16             | true",
        "reth.length=0x10           | true",
        "reth.length=17             | false",
        "reth.length=1*             | false",
        "reth.length=many           | false",
        // text
        "opcode=rc_send_only        | true",
        "opcode=*only,UD_*          | true",
        "opcode=RC_SEND_*FIRST      | false",
        "cm.message=REQ             | true",
        "cm.message=RE              | false",
        "comment=a..b*              | true",
        "comment=a.*                | true",
        "comment=a*(c)              | true",
        "comment=b                  | false",
        "comment=16                 | false",
        "mark=                      | true",
      })
  void aPacketIsChosenByItsFields(String filter, boolean chosen) {
    assertEquals(chosen, new PacketFilter(filter).test(PACKET));
  }

  @ParameterizedTest
  @ValueSource(strings = {"psn=1,", "psn=", "psn=0x", "psn=..5", "time=1..", "opcode=", "x=1"})
  void whatCanNeverBeIsRefused(String filter) {
    VerbsException e = assertThrows(VerbsException.class, () -> new PacketFilter(filter));
    assertEquals(Errno.EINVAL, e.errno());
  }
}
