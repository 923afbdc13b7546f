package org.roce4j.engine.responder;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.ValueLayout;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.Inbound;

/** The header in front of a datagram, built from the reports of a socket (wire-format 8.2). */
class NetworkHeaderTest {
  private static final long MAPPED = 0xffffL << 32;

  private static byte[] header(Inbound inbound, int udpPayload) {
    NetworkHeader header = new NetworkHeader();
    header.write(inbound, udpPayload);
    return header.memory().toArray(ValueLayout.JAVA_BYTE);
  }

  private static Inbound ipv4(int source, int destination) {
    return new Inbound()
        .source(0, MAPPED | Integer.toUnsignedLong(source), 0xc000)
        .local(0, MAPPED | Integer.toUnsignedLong(destination));
  }

  @Test
  void anUnknownTosReadsZeroAndAnUnknownTtl64() {
    byte[] header = header(ipv4(0x0a000002, 0x0a000001), 32);
    assertEquals(0, header[21]);
    assertEquals(64, header[28]);
  }

  @Test
  void anUnknownTrafficClassReadsZeroAndAnUnknownHopLimit64() {
    Inbound inbound = new Inbound().source(0xfd00L << 48, 2, 0xc000).local(0xfd00L << 48, 1);
    byte[] header = header(inbound, 32);
    assertEquals("6000000000281140", HexFormat.of().formatHex(header, 0, 8));
  }

  @Test
  void whatTheSocketTellsStandsWhereTheHeadersHaveIt() {
    Inbound ipv4 = ipv4(0x0a000002, 0x0a000001).network(0xb7, 17);
    assertEquals(
        "0".repeat(40) + "45b7003c00004000" + "1111" + "54f8" + "0a0000020a000001",
        HexFormat.of().formatHex(header(ipv4, 32)));
    Inbound ipv6 =
        new Inbound().source(0xfd00L << 48, 2, 0xc000).local(0xfd00L << 48, 1).network(0xb7, 17);
    assertEquals(
        "6b70000000281111"
            + "fd000000000000000000000000000002"
            + "fd000000000000000000000000000001",
        HexFormat.of().formatHex(header(ipv6, 32)));
  }

  @Test
  void anAddressThatOnlyEndsLikeAnIpv4OneIsIpv6() {
    Inbound inbound = new Inbound().source(1, MAPPED | 5, 0xc000).local(1, MAPPED | 6);
    assertEquals(0x60, header(inbound, 32)[0]);
  }

  @Test
  void nothingIsLeftOfTheHeaderBefore() {
    Inbound ipv6 = new Inbound().source(-1, -1, 0xc000).local(-1, -1).network(255, 255);
    Inbound ipv4 = ipv4(0x0a000002, 0x0a000001);
    NetworkHeader reused = new NetworkHeader();
    for (Inbound each : new Inbound[] {ipv6, ipv4, ipv6}) {
      reused.write(each, 32);
      assertArrayEquals(header(each, 32), reused.memory().toArray(ValueLayout.JAVA_BYTE));
    }
  }

  /** Every header sum, including sums that carry twice. */
  @Test
  void theChecksumOfEveryIpv4HeaderIsRight() {
    for (int low = 0; low <= 0xffff; low++) {
      byte[] header = header(ipv4(0xffff0000 | low, 0xfffe1234), 32);
      int sum = 0;
      for (int i = 20; i < 40; i += 2) {
        sum += (header[i] & 0xff) << 8 | header[i + 1] & 0xff;
      }
      while (sum > 0xffff) {
        sum = (sum & 0xffff) + (sum >>> 16);
      }
      assertEquals(0xffff, sum, "with source address ...%04x".formatted(low));
    }
  }
}
