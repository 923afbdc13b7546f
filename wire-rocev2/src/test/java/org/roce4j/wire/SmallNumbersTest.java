package org.roce4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Small numbers: timeouts, MTUs, partition keys, source ports. */
class SmallNumbersTest {
  @ParameterizedTest
  @CsvSource({"0, 0", "1, 8192", "14, 67108864", "20, 4294967296", "31, 8796093022208", "32, 0"})
  void ackTimeoutIsFourMicrosecondsTimesAPowerOfTwo(int code, long ns) {
    assertEquals(ns, AckTimeout.ns(code));
  }

  @Nested
  class Mtu {
    @ParameterizedTest
    @EnumSource
    void codesAndBytesLeadToTheConstant(PathMtu mtu) {
      assertSame(mtu, PathMtu.ofCode(mtu.code()));
      assertSame(mtu, PathMtu.ofBytes(mtu.bytes()));
      assertEquals("MTU_" + mtu.bytes(), mtu.name());
    }

    @ParameterizedTest
    @CsvSource({
      "0, 256",
      "68, 256",
      "335, 256",
      "591, 256",
      "592, 512",
      "1103, 512",
      "1104, 1024",
      "1500, 1024",
      "2128, 2048",
      "4175, 2048",
      "4176, 4096",
      "4200, 4096",
      "9000, 4096",
      "65536, 4096",
      "-5, 256"
    })
    void portMtuLeavesEightyBytesForHeaders(int netdev, int bytes) {
      assertEquals(bytes, PathMtu.ofNetdev(netdev).bytes());
    }

    @ParameterizedTest
    @CsvSource({"352, 256", "1500, 1024", "4191, 2048", "4192, 4096", "65536, 4096"})
    void routeMtuLeavesNinetySixBytesForHeaders(int netdev, int bytes) {
      assertEquals(bytes, PathMtu.ofRoute(netdev).bytes());
    }

    @Test
    void otherCodesAndBytesAreNoMtu() {
      assertNull(PathMtu.ofCode(0));
      assertNull(PathMtu.ofCode(6));
      assertNull(PathMtu.ofBytes(1500));
      assertNull(PathMtu.ofRoute(351));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0xFFFF, 0xFFFF, true",
    "0xFFFF, 0x7FFF, true",
    "0x7FFF, 0xFFFF, true",
    "0x7FFF, 0x7FFF, false",
    "0x8001, 0x8002, false",
    "0x8001, 0x0001, true",
    "0x8000, 0x8000, false",
    "0x0000, 0x0000, false"
  })
  void partitionKeysMatchWithinAPartitionWhenOneEndIsAFullMember(
      String a, String b, boolean match) {
    assertEquals(match, PKey.match(Integer.decode(a), Integer.decode(b)));
  }

  @ParameterizedTest
  @CsvSource({"0xFFFF, true", "0x8001, true", "0x7FFF, false", "0x0000, false"})
  void theHighestBitOfAPartitionKeyIsThatOfAFullMember(String key, boolean full) {
    assertEquals(full, PKey.isFullMember(Integer.decode(key)));
  }

  @Nested
  class SourcePort {
    /** Ports that Linux soft-RoCE was seen to use. */
    @ParameterizedTest
    @CsvSource({"18, 49476", "19, 49513", "21, 49593", "26, 49828", "28, 49936"})
    void ofAConnectedPairIsWhatLinuxSends(int qpn, int port) {
      assertEquals(port, UdpSourcePort.ofConnection(0, qpn, qpn));
    }

    @ParameterizedTest
    @CsvSource({"1, 55410", "22, 55758", "16777215, 63821"})
    void ofAQueuePairWithoutPeerIsWhatLinuxSends(int qpn, int port) {
      assertEquals(port, UdpSourcePort.ofQp(qpn));
    }

    @Test
    void aFlowLabelGoesFirst() {
      assertEquals(UdpSourcePort.ofFlowLabel(0x12345), UdpSourcePort.ofConnection(0x12345, 1, 2));
      assertEquals(0xC000 | 0x2345 ^ 0x4, UdpSourcePort.ofFlowLabel(0x12345));
    }

    @Test
    void aFlowLabelIsItsLowTwentyBits() {
      assertEquals(UdpSourcePort.ofFlowLabel(0x12345), UdpSourcePort.ofFlowLabel(0xfff1_2345));
      assertEquals(
          UdpSourcePort.ofConnection(0, 1, 2), UdpSourcePort.ofConnection(0xfff0_0000, 1, 2));
    }

    @Test
    void flowLabelOfQueuePairsIsTheProductFoldedTwice() {
      assertEquals(0x132, UdpSourcePort.flowLabelOf(0x11, 0x12));
      assertEquals(0xAC3E3, UdpSourcePort.flowLabelOf(0xABCDEF, 0x123456));
      assertEquals(0xAC3E3, UdpSourcePort.flowLabelOf(0x123456, 0xABCDEF));
    }

    @Test
    void flowLabelOfCmPortsIsCutToTwentyBits() {
      assertEquals(1 * 31 + 2, UdpSourcePort.flowLabelOfCmPorts(1, 2));
      assertEquals(0xF_FFE0, UdpSourcePort.flowLabelOfCmPorts(0xFFFF, 0xFFFF));
    }
  }

  @Property
  void sourcePortsAreDynamicAndTheSameFromEitherEnd(
      @ForAll @IntRange(max = 0xFF_FFFF) int local,
      @ForAll @IntRange(max = 0xFF_FFFF) int remote,
      @ForAll @IntRange(max = 0xF_FFFF) int label) {
    int port = UdpSourcePort.ofConnection(0, local, remote);
    assertEquals(port, UdpSourcePort.ofConnection(0, remote, local));
    for (int any : new int[] {port, UdpSourcePort.ofQp(local), UdpSourcePort.ofFlowLabel(label)}) {
      assertEquals(any, Math.clamp(any, UdpSourcePort.MIN, UdpSourcePort.MAX));
    }
  }
}
