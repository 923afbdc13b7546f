package org.roce4j.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Assertions;
import org.roce4j.wire.mad.Mad;

/** The messages of connection managers: their records reproduce the bytes that were read. */
class MadFuzzTest {
  @FuzzTest(maxDuration = "1m")
  void whatIsReadIsWrittenAsItWas(byte[] bytes) {
    if (bytes == null) {
      return;
    }
    Assertions.assertNull(Mad.parse(ByteBuffer.wrap(bytes), 0, Math.min(bytes.length, 255)));
    // A mutation of any length is tried as a message of the right length.
    ByteBuffer message = ByteBuffer.wrap(Arrays.copyOf(bytes, Mad.SIZE));
    Mad mad = Mad.parse(message, 0, Mad.SIZE);
    if (mad == null) {
      return;
    }
    Assertions.assertFalse(mad.toString().isEmpty());
    ByteBuffer again = ByteBuffer.allocate(Mad.SIZE);
    mad.emit(again, 0);
    Assertions.assertEquals(mad, Mad.parse(again, 0, Mad.SIZE));
  }
}
