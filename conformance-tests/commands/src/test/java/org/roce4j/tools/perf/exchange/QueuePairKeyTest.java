package org.roce4j.tools.perf.exchange;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.Gid;

class QueuePairKeyTest {
  /** The key of ib_write_bw 4.5 on rxe. */
  private static final String RECORDED =
      "0000:0001:000011:b2cb81:000002c9:00007fcd0bc3a000:"
          + "00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4d:00:02:00000000:\0";

  @Test
  void theTextOfTheCProgramIsReadAndWritten() {
    QueuePairKey key =
        new QueuePairKey(0, 1, 0x11, 0xb2cb81, 0x2c9, 0x7fcd0bc3a000L, Gid.parse("10.77.0.2"), 0);
    assertEquals(key, QueuePairKey.decode(ascii(RECORDED)).orElseThrow());
    assertArrayEquals(ascii(RECORDED), key.encode());
  }

  @Property(tries = 100)
  void whatIsWrittenIsRead(
      @ForAll @IntRange(max = 0xffff) int outReads,
      @ForAll @IntRange(max = 0xffffff) int qpn,
      @ForAll @IntRange(max = 0xffffff) int psn,
      @ForAll int rkey,
      @ForAll long address,
      @ForAll long gid) {
    QueuePairKey key =
        new QueuePairKey(0, outReads, qpn, psn, rkey, address, new Gid(~gid, gid), 7);
    byte[] message = key.encode();
    assertEquals(QueuePairKey.LENGTH, message.length);
    assertEquals(key, QueuePairKey.decode(message).orElseThrow());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "0000:0001:000011:b2cb81:000002c9:00007fcd0bc3a000:00000000:\0",
        "0000:0001:000011:b2cb81:000002c9:00007fcd0bc3a000:"
            + "00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4d:00:0x:00000000:\0",
        "0000:0001:-00011:b2cb81:000002c9:00007fcd0bc3a000:"
            + "00:00:00:00:00:00:00:00:00:00:ff:ff:0a:4d:00:02:00000000:\0",
      })
  void otherTextIsRefused(String text) {
    assertTrue(QueuePairKey.decode(ascii(text)).isEmpty());
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  @Test
  void overRdmaCmItIsTheStructureOfTheCPrograms() {
    Gid gid = Gid.parse("10.77.0.2");
    QueuePairKey key = new QueuePairKey(1, 16, 0x12, 0xABCDEF, 0x2c9, 0x7fcd_0bc3_a000L, gid, 3);
    byte[] message = key.encodeBinary();
    assertEquals(56, message.length);
    assertEquals(0x10, message[7]);
    assertEquals(0x7f, message[26]);
    assertEquals(Optional.of(key), QueuePairKey.decodeBinary(message));
    message[8] = 1;
    assertEquals(Optional.empty(), QueuePairKey.decodeBinary(message), "a QPN has 24 bits");
  }
}
