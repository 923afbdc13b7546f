package org.roce4j.wire.capture;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** IP and UDP headers with the greatest values, and with more bits than their fields hold. */
class IpHeaderTest {
  private final ByteBuffer b = ByteBuffer.allocate(Ipv6Header.SIZE);

  /** 192.168.0.1 to 192.168.0.199, the example of many texts on IP. */
  @Test
  void theChecksumOfAnIpv4HeaderCarriesAround() {
    Ipv4Header.put(b, 0, 0, 0x73, 0, Ipv4Header.DONT_FRAGMENT, 64, 0xc0a8_0001, 0xc0a8_00c7);
    assertEquals((short) 0xb861, b.getShort(10));
    for (int identification : new int[] {0xb863, 0xffff}) { // with the first the carry carries
      Ipv4Header.put(b, 0, 0, 0x73, identification, 0x4000, 64, 0xc0a8_0001, 0xc0a8_00c7);
      assertEquals(0xffff, sum(20));
    }
  }

  /** The ones' complement sum of the words, which is 0xffff with the right checksum. */
  private int sum(int size) {
    int sum = 0;
    for (int at = 0; at < size; at += 2) {
      sum += Short.toUnsignedInt(b.getShort(at));
      sum = (sum & 0xffff) + (sum >>> 16);
    }
    return sum;
  }

  @Test
  void everyFieldOfAnIpv4HeaderIsReadWithoutSign() {
    Ipv4Header.put(b, 0, 0xfe, 0xfffd, 0xfffc, 0xc000, 0xfb, -5, -6);
    Ipv4Header read = Ipv4Header.parse(b, 0);
    int checksum = Short.toUnsignedInt(b.getShort(10));
    assertEquals(new Ipv4Header(0xfe, 0xfffd, 0xfffc, 0xc000, 0xfb, checksum, -5, -6), read);
    assertEquals(0xfffb, read.withIdentification(-5).identification());
  }

  @Test
  void theSurplusBitsOfAnIpv4HeaderAreLost() {
    Ipv4Header.put(b, 0, -1, -2, 3, -4, 5, 6, 7);
    Ipv4Header read = Ipv4Header.parse(b, 0);
    assertEquals(0x45, b.get(0));
    assertEquals(0xff, read.tos());
    assertEquals(0xfffe, read.totalLength());
    assertEquals(3, read.identification());
    assertEquals(0xfffc, read.flagsAndOffset());
    assertEquals(5, read.ttl());
  }

  @Test
  void everyFieldOfAnIpv6HeaderIsReadWithoutSign() {
    Ipv6Header header = new Ipv6Header(0xfe, 0xf_fffd, 0xfffc, 0xfb, -5, -6, -7, -8);
    header.emit(b, 0);
    assertEquals(header, Ipv6Header.parse(b, 0));
    assertEquals(0xfff0, header.sized(-16).payloadLength());
  }

  @Test
  void aNewHeaderHasSixtyFourHopsAndItsTextsAreItsAddresses() {
    Ipv6Header header = Ipv6Header.of(0x2001L << 48, 2, 0xFD00L << 48, 4);
    assertEquals(new Ipv6Header(0, 0, 0, 64, 0x2001L << 48, 2, 0xFD00L << 48, 4), header);
    assertEquals("2001::2", header.sourceText());
    assertEquals("fd00::4", header.destinationText());
    assertEquals(new Ipv4Header(0, 20, 3, 0x4000, 64, 0, 1, 2), Ipv4Header.of(1, 2, 3));
    assertEquals(new UdpHeader(9, 4791, 8, 0), UdpHeader.from(9));
  }

  @Test
  void onlyTheIdentificationOfAnIpv4HeaderIsAnother() {
    assertEquals(
        new Ipv4Header(1, 2, 9, 4, 5, 6, 7, 8),
        new Ipv4Header(1, 2, 3, 4, 5, 6, 7, 8).withIdentification(9));
  }

  @Test
  void theSurplusBitsOfAnIpv6HeaderAreLost() {
    Ipv6Header.put(b, 0, -1, -2, 3, -4, 5, 6, 7, 8);
    assertEquals(new Ipv6Header(0xff, 0xf_fffe, 3, 0xfc, 5, 6, 7, 8), Ipv6Header.parse(b, 0));
    assertEquals(0x6f, b.get(0));
    assertEquals(IpHeader.UDP, b.get(6));
  }

  @Test
  void everyFieldOfAUdpHeaderIsReadWithoutSign() {
    UdpHeader header = new UdpHeader(0xfffe, 0xfffd, 0xfffc, 0xfffb);
    header.emit(b, 0);
    assertEquals(header, UdpHeader.parse(b, 0));
    assertEquals(7, header.sized(0xffff).length());
    UdpHeader.put(b, 0, 1, -2, 3);
    assertEquals(new UdpHeader(1, 0xfffe, 3, 0), UdpHeader.parse(b, 0));
  }
}
