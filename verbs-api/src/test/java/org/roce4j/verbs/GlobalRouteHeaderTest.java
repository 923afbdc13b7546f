package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HexFormat;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class GlobalRouteHeaderTest {
  /** Where the area starts: odd, because receive buffers start anywhere. */
  private static final int AREA = 5;

  /** A header captured from a ConnectX-4 Lx: TOS 0xc2, TTL 64, 10.0.17.1 to 10.0.18.1. */
  private static final String IPV4 = "45c2003c718c4000401191610a0011010a001201";

  /** Traffic class 0xab, flow label 0x12345, payload 44, UDP, hop limit 63, fd77::1 to fd77::2. */
  private static final String IPV6 =
      "6ab12345002c113ffd770000000000000000000000000001fd770000000000000000000000000002";

  @Test
  void ipv4HeaderIsReadFromItsSecondHalf() {
    MemorySegment area = area("00".repeat(20) + IPV4);
    assertTrue(GlobalRouteHeader.isIpv4(area, AREA));
    assertFields(area, 4, "10.0.17.1", "10.0.18.1", 64, 0xc2, 0, 40);
  }

  @Test
  void ipv6HeaderIsReadWhole() {
    MemorySegment area = area(IPV6);
    assertFalse(GlobalRouteHeader.isIpv4(area, AREA));
    assertFields(area, 6, "fd77::1", "fd77::2", 63, 0xab, 0x12345, 44);
  }

  private static void assertFields(
      MemorySegment area,
      int version,
      String sgid,
      String dgid,
      int hopLimit,
      int trafficClass,
      int flowLabel,
      int payloadLength) {
    assertEquals(version, GlobalRouteHeader.version(area, AREA));
    assertEquals(Gid.parse(sgid), GlobalRouteHeader.sgid(area, AREA));
    assertEquals(Gid.parse(dgid), GlobalRouteHeader.dgid(area, AREA));
    assertEquals(hopLimit, GlobalRouteHeader.hopLimit(area, AREA));
    assertEquals(trafficClass, GlobalRouteHeader.trafficClass(area, AREA));
    assertEquals(flowLabel, GlobalRouteHeader.flowLabel(area, AREA));
    assertEquals(17, GlobalRouteHeader.nextHeader(area, AREA));
    assertEquals(payloadLength, GlobalRouteHeader.payloadLength(area, AREA));
  }

  @Test
  void anIpv4LengthThatEndsInItsHeaderLeavesNoPayload() {
    String tooShort = IPV4.replace("003c", "0013");
    assertEquals(0, GlobalRouteHeader.payloadLength(area("00".repeat(20) + tooShort), AREA));
  }

  @Test
  void rightChecksumOutweighsLeftoversThatLookLikeIpv6() {
    assertEquals(4, GlobalRouteHeader.version(area("6".repeat(40) + IPV4), AREA));
  }

  @Test
  void wrongChecksumAfterLeftoversThatLookLikeIpv6MeansIpv6() {
    String spoiled = IPV4.replace("4000401191", "4000401192");
    assertEquals(6, GlobalRouteHeader.version(area("6".repeat(40) + spoiled), AREA));
  }

  @Test
  void checksumIsNotAskedWhenOnlyIpv4IsPossible() {
    String spoiled = IPV4.replace("4000401191", "4000401192");
    assertEquals(4, GlobalRouteHeader.version(area("00".repeat(20) + spoiled), AREA));
  }

  @Test
  void emptyAreaIsNeither() {
    assertEquals(0, GlobalRouteHeader.version(area("00".repeat(40)), AREA));
  }

  @Property
  void anyOneFlippedBitOfTheIpv4HeaderLosesTheChecksum(
      @ForAll @IntRange(max = 8 * 20 - 1) int bit) {
    byte[] bytes = HexFormat.of().parseHex("6".repeat(40) + IPV4);
    bytes[20 + bit / 8] ^= (byte) (1 << bit % 8);
    assertEquals(6, GlobalRouteHeader.version(MemorySegment.ofArray(bytes), 0));
  }

  @Property
  void noBytesMakeItFail(@ForAll @Size(40) byte[] bytes) {
    MemorySegment area = MemorySegment.ofArray(bytes);
    byte[] before = Arrays.copyOf(bytes, bytes.length);
    int version = GlobalRouteHeader.version(area, 0);
    assertTrue(version == 0 || version == 4 || version == 6);
    if (version == 4) {
      assertTrue(GlobalRouteHeader.sgid(area, 0).isIpv4Mapped());
      assertTrue(GlobalRouteHeader.dgid(area, 0).isIpv4Mapped());
    } else {
      assertEquals(Gid.ofBytes(Arrays.copyOfRange(bytes, 8, 24)), GlobalRouteHeader.sgid(area, 0));
      assertEquals(Gid.ofBytes(Arrays.copyOfRange(bytes, 24, 40)), GlobalRouteHeader.dgid(area, 0));
    }
    assertEquals(0, GlobalRouteHeader.hopLimit(area, 0) & ~0xff);
    assertEquals(0, GlobalRouteHeader.trafficClass(area, 0) & ~0xff);
    assertEquals(0, GlobalRouteHeader.flowLabel(area, 0) & ~0xf_ffff);
    assertEquals(0, GlobalRouteHeader.nextHeader(area, 0) & ~0xff);
    assertEquals(0, GlobalRouteHeader.payloadLength(area, 0) & ~0xffff);
    assertTrue(Arrays.equals(before, bytes));
  }

  private static MemorySegment area(String hex) {
    byte[] bytes = new byte[AREA + GlobalRouteHeader.SIZE];
    byte[] header = HexFormat.of().parseHex(hex);
    System.arraycopy(header, 0, bytes, AREA, header.length);
    return MemorySegment.ofArray(bytes);
  }
}
