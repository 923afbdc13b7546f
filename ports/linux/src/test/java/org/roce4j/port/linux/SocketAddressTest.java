package org.roce4j.port.linux;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.datagram.Inbound;
import org.roce4j.verbs.Gid;

/** Bytes as the kernel reads and writes them. */
class SocketAddressTest {
  private static final int PORT = 4791;
  private static final int INTERFACE = 7;

  @ParameterizedTest
  @CsvSource({
    "10.1.2.3, 020012b7 0a010203 0000000000000000",
    "2001:db8::5, 0a0012b7 00000000 20010db8000000000000000000000005 00000000",
    "fe80::1, 0a0012b7 00000000 fe800000000000000000000000000001 07000000",
    "febf::1, 0a0012b7 00000000 febf0000000000000000000000000001 07000000",
    "fec0::1, 0a0012b7 00000000 fec00000000000000000000000000001 00000000",
    "ff01::4791, 0a0012b7 00000000 ff010000000000000000000000004791 07000000",
    "ff12::4791, 0a0012b7 00000000 ff120000000000000000000000004791 07000000",
    "ff05::4791, 0a0012b7 00000000 ff050000000000000000000000004791 00000000",
  })
  void anAddressNamesItsInterfaceWhereItMeansSomethingThereAlone(String address, String bytes) {
    Gid gid = Gid.parse(address);
    byte[] expected = HexFormat.of().parseHex(bytes.replace(" ", ""));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment place = arena.allocate(8 + SocketAddress.SIZE).fill((byte) 0x5a);
      int length = SocketAddress.put(place, 8, gid.high(), gid.low(), PORT, INTERFACE);
      assertEquals(expected.length, length);
      byte[] written = new byte[length];
      MemorySegment.copy(place, 8, MemorySegment.ofArray(written), 0, length);
      assertEquals(HexFormat.of().formatHex(expected), HexFormat.of().formatHex(written));
      Inbound datagram = new Inbound();
      SocketAddress.read(place, 8, datagram);
      assertEquals(gid, new Gid(datagram.sourceHigh(), datagram.sourceLow()));
      assertEquals(PORT, datagram.sourcePort());
    }
  }
}
