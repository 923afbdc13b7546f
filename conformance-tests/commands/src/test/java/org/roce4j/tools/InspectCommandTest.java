package org.roce4j.tools;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.tools.console.Json;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.capture.BaseHeader;
import org.roce4j.wire.capture.CaptureWriter;
import org.roce4j.wire.capture.Ipv4Header;
import org.roce4j.wire.capture.LinkType;
import org.roce4j.wire.capture.RocePacket;

class InspectCommandTest extends CommandFixture {
  @TempDir private Path directory;

  private Path capture;

  @BeforeEach
  void copyACaptureOfSoftRoce() throws IOException {
    capture = captureOfSoftRoce(directory);
  }

  @Test
  void endsWithTheTotalsAndSucceedsWhenAllIsRight() {
    assertEquals(0, inspect(capture.toString()));
    String last = out.toString().lines().reduce("", (first, second) -> second);
    assertTrue(
        last.matches("(\\d+) packets, \\1 icrc ok, 0 icrc bad, 0 malformed"), out.toString());
  }

  @Test
  void failsWhenAnIcrcIsWrong() throws IOException {
    byte[] bytes = Files.readAllBytes(capture);
    bytes[bytes.length - 1] ^= 1;
    Files.write(capture, bytes);

    assertEquals(1, inspect(capture.toString()));
    assertTrue(out.toString().contains(" 1 icrc bad, "), out.toString());
    assertEquals("", err.toString());
  }

  @Test
  void failsWhenTheFileIsCutShort() throws IOException {
    byte[] bytes = Files.readAllBytes(capture);
    Files.write(capture, Arrays.copyOf(bytes, bytes.length - 5));

    assertEquals(1, inspect(capture.toString()));
    assertTrue(out.toString().contains("the file is damaged"), out.toString());
  }

  @Test
  void jsonHasAnObjectForEachPacketAndTheTotals() {
    assertEquals(0, inspect("--json", capture.toString()));
    List<String> lines = out.toString().lines().toList();
    assertEquals(13, lines.size());
    Map<?, ?> second = (Map<?, ?>) Json.read(lines.get(1));
    assertEquals("RC_ACKNOWLEDGE", second.get("opcode"));
    assertEquals(0x12, second.get("qpn"));
    assertEquals(1, second.get("aeth.msn"));
    assertEquals(0, second.get("relativePsn"));
    assertEquals(2, second.get("number"));
    assertEquals(0.001145, second.get("time"));
    assertEquals(
        "{\"packets\":12,\"icrcOk\":12,\"icrcBad\":0,\"malformed\":0,\"truncated\":0,"
            + "\"skippedFrames\":0,\"unread\":null,\"damage\":null,\"allRight\":true}",
        lines.getLast());
  }

  /** A right packet with 40 bytes, which may be changed. */
  private static ByteBuffer sound() {
    BaseHeader bth =
        new BaseHeader(
            Opcode.RC_SEND_ONLY, false, false, 0, 0xFFFF, false, false, 0, 7, false, 0, 9);
    RocePacket packet =
        RocePacket.of(
            Ipv4Header.of(0x0a000001, 0x0a000002, 0), 49152, bth, List.of(), Bytes.zeros(40));
    return ByteBuffer.allocate(128).put(packet.emit().buffer()).flip();
  }

  /** A number of packets of each kind, so that none stands for another. */
  @Test
  void jsonCountsEachKindOfPacket() throws IOException {
    ByteBuffer right = sound();
    int end = right.limit();
    ByteBuffer wrong = copy(right).put(end - 1, (byte) ~right.get(end - 1));
    ByteBuffer malformed = copy(right).putShort(2, (short) 40);
    ByteBuffer foreign = copy(right).put(9, (byte) 6); // TCP
    try (CaptureWriter writer = CaptureWriter.create(capture, LinkType.RAW, 1000)) {
      for (ByteBuffer each : List.of(right, right, right, right, right, wrong, wrong)) {
        writer.write(0, each, 0, end);
      }
      for (int i = 0; i < 3; i++) {
        writer.write(0, malformed, 0, 40);
      }
      for (int i = 0; i < 4; i++) {
        writer.write(0, foreign, 0, end);
      }
    }
    assertEquals(1, inspect("--json", "--filter", "icrc=ok", capture.toString()));
    assertEquals(
        "{\"packets\":10,\"chosen\":5,\"icrcOk\":5,\"icrcBad\":2,\"malformed\":3,\"truncated\":0,"
            + "\"skippedFrames\":4,\"unread\":null,\"damage\":null,\"allRight\":false}",
        out.toString().lines().toList().getLast());
  }

  private static ByteBuffer copy(ByteBuffer bytes) {
    return ByteBuffer.allocate(128).put(bytes.duplicate()).flip();
  }

  /** The last line and the exit status agree. */
  @ParameterizedTest
  @CsvSource({"0, 0, true", "1, 0, false", "0, 5, false", "0, 60, false"})
  void jsonIsRightWhenTheExitStatusIs(int flipped, int cut, boolean right) throws IOException {
    byte[] bytes = Files.readAllBytes(capture);
    bytes[bytes.length - 1] ^= (byte) flipped;
    Files.write(capture, Arrays.copyOf(bytes, bytes.length - cut));
    assertEquals(right ? 0 : 1, inspect("--json", capture.toString()));
    List<String> lines = out.toString().lines().toList();
    assertEquals(right, ((Map<?, ?>) Json.read(lines.getLast())).get("allRight"));
  }

  /** Each flag of the base header has a key of its own. */
  @ParameterizedTest
  @ValueSource(strings = {"solicited", "fecn", "becn", "ackReq"})
  void jsonNamesEachFlag(String flag) throws IOException {
    BaseHeader bth =
        new BaseHeader(
            Opcode.RC_SEND_ONLY,
            flag.equals("solicited"),
            false,
            0,
            0x7FFF,
            flag.equals("fecn"),
            flag.equals("becn"),
            0,
            0x123,
            flag.equals("ackReq"),
            0,
            0x456);
    RocePacket packet =
        RocePacket.of(
            Ipv4Header.of(0x0a000001, 0x0a000002, 0), 49152, bth, List.of(), Bytes.zeros(8));
    try (CaptureWriter writer =
        CaptureWriter.create(capture, LinkType.RAW, CaptureWriter.WHOLE_FRAMES)) {
      ByteBuffer bytes = packet.emit().buffer();
      writer.write(0, bytes, 0, bytes.limit());
    }
    assertEquals(0, inspect("--json", capture.toString()));
    Map<?, ?> fields = (Map<?, ?>) Json.read(out.toString().lines().findFirst().orElseThrow());
    for (String each : List.of("solicited", "fecn", "becn", "ackReq")) {
      assertEquals(each.equals(flag), fields.get(each), each);
    }
    assertEquals(0x7FFF, fields.get("pkey"));
    assertEquals(0x123, fields.get("qpn"));
    assertEquals(0x456, fields.get("psn"));
    assertEquals(8, fields.get("payload"));
  }

  /**
   * All keys of the line of a packet that the capture cut short, and of a record that is no packet.
   */
  @Test
  void jsonTellsWhatEachPacketIs() throws IOException {
    ByteBuffer bytes = sound();
    try (CaptureWriter writer = CaptureWriter.create(capture, LinkType.RAW, 60)) {
      writer.write(0, bytes, 0, bytes.limit());
      writer.write(1_000, bytes.putShort(2, (short) 40), 0, 40);
    }
    assertEquals(1, inspect("--json", capture.toString()));
    List<Map<String, Object>> found = new ArrayList<>();
    for (String line : out.toString().lines().toList()) {
      Map<String, Object> fields = new TreeMap<>();
      ((Map<?, ?>) Json.read(line)).forEach((key, value) -> fields.put(key.toString(), value));
      fields.remove("time");
      found.add(fields);
    }
    assertEquals(
        "{destination=10.0.0.2, icrc=unknown, mark=, number=1, source=10.0.0.1,"
            + " what=RC SEND Only QP 0x000007 PSN 9 ICRC not captured (24 bytes missing)}",
        found.getFirst().toString());
    assertEquals(
        "{destination=10.0.0.2, icrc=unknown, mark=, number=2, source=10.0.0.1,"
            + " what=malformed: UDP length 64, but IP carries 20}",
        found.get(1).toString());
    assertEquals(
        "{allRight=false, damage=null, icrcBad=0, icrcOk=0, malformed=1, packets=2,"
            + " skippedFrames=0, truncated=1, unread=null}",
        found.getLast().toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          opcode=RC_SEND_*                         | 6
          opcode=rc_send_only source=10.77.0.3     | 3
          opcode!=RC_SEND_ONLY                     | 6
          qpn=0x12                                 | 12
          qpn=19                                   | 0
          psn=6687364..6687365                     | 4
          psn=6687364,7854465                      | 4
          aeth.msn=2..3                            | 4
          ackReq                                   | 6
          mark                                     | 0
          icrc=ok                                  | 12
          mark=                                    | 12
          number=3..5                              | 3
          time=0.001..0.0045                       | 2
          payload=0x40                             | 6
          """)
  void aFilterChoosesPackets(String filter, int packets) {
    assertEquals(0, inspect("--filter", filter, capture.toString()));
    assertEquals(packets + 3, out.toString().lines().count(), out.toString());
    assertTrue(out.toString().contains(packets + " of 12 packets chosen"), out.toString());
    assertTrue(out.toString().contains("12 packets, 12 icrc ok"), out.toString());
  }

  /** Keys, ids and addresses with their highest bit set, and GIDs. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "deth.qkey=0x80010000",
        "deth.qkey=2147549184",
        "cm.localId=0x8bd13614",
        "cm.localId=0x8bd13614..0xffffffffffffffff",
        "cm.primary.local=10.77.0.3"
      })
  void aFilterKnowsNumbersWithoutSign(String filter) {
    Path file = Path.of("../../wire-rocev2/src/test/resources/pcaps/cm_rping.pcap");
    assertEquals(0, inspect("--filter", filter, file.toString()));
    assertTrue(out.toString().contains(" REQ "), out.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          colour=red           | 'colour=red' names no field; there are:
          nonsense             | 'nonsense' names no field
          psn=0x..5            | psn=0x..5: give a number, or a range such as 10..20
          qpn=1..x             | qpn=1..x: give a number
          psn=first            | psn=first: give a number
          psn=20..10           | psn=20..10: the range ends before it begins
          mark=retransmision   | mark=retransmision is never so; there are: retransmission gap late
          service=ROCE         | service=ROCE is never so; there are: RC
          opcode=RC_SENT_*     | opcode=RC_SENT_* is never so; there are: RC_SEND_FIRST
          ackReq=yes           | ackReq=yes is never so; there are: true false
          icrc=ok,wrong        | icrc=ok,wrong is never so; there are: ok bad unknown
          """)
  void aFilterThatCannotBeIsOneLine(String filter, String told) {
    assertEquals(2, inspect("--filter", filter, capture.toString()));
    assertOneLine("--filter: " + told);
  }

  /**
   * A capture that a device writes names the device; that of tcpdump has one interface without a
   * name.
   */
  @Test
  void theInterfaceIsNamedWhereTheFileNamesIt() {
    Path ours = directory.resolve("p.pcapng");
    assertEquals(
        0, run("pingpong", "--transport", "fabric", "--iters", "1", "--capture", ours.toString()));
    out.getBuffer().setLength(0);
    assertEquals(0, inspect("--filter", "interface=fabric1", ours.toString()));
    String first = out.toString().lines().findFirst().orElseThrow();
    assertTrue(
        first.matches(" +\\d+ [\\d.]+ fabric1 127\\.0\\.0\\.2 > 127\\.0\\.0\\.1 RC .*"), first);
  }

  @Test
  void sequenceNumbersCanBeRelative() {
    assertEquals(0, inspect("--relative", capture.toString()));
    assertTrue(out.toString().contains(" PSN +2 AckReq payload 64 ICRC ok"), out.toString());
  }

  @Test
  void aMissingFileIsOneLine() {
    assertEquals(2, inspect(directory.resolve("no.pcap").toString()));
    assertOneLine("there is no file");
  }

  @Test
  void aDirectoryIsOneLine() {
    assertEquals(2, inspect(directory.toString()));
    assertOneLine("is a directory");
  }

  @Test
  void aFileOfAnotherFormatIsOneLine() throws IOException {
    Files.writeString(capture, "PK and something else");
    assertEquals(2, inspect(capture.toString()));
    assertOneLine("neither a pcap nor a pcapng file");
  }

  @Test
  void noFileIsAWrongCommandLine() {
    assertEquals(2, inspect());
    assertOneLine("FILE");
  }

  private void assertOneLine(String part) {
    assertTrue(err.toString().contains(part), err.toString());
    assertTrue(err.toString().startsWith("roce4j inspect: "), err.toString());
    assertEquals(1, err.toString().lines().count(), err.toString());
    assertEquals("", out.toString());
  }

  private int inspect(String... args) {
    return command("inspect", args);
  }
}
