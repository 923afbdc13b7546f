package org.roce4j.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Bytes that nobody changes. */
class BytesTest {
  @Test
  void noBytesAreOneObject() {
    assertSame(Bytes.NONE, Bytes.of());
    assertSame(Bytes.NONE, Bytes.zeros(0));
    assertSame(Bytes.NONE, Bytes.copy(ByteBuffer.allocate(4), 2, 0));
  }

  @Test
  void theyEqualBytesOfTheSameValuesAlone() {
    Bytes two = Bytes.of((byte) 1, (byte) 2);
    assertEquals(two, Bytes.copy(ByteBuffer.wrap(new byte[] {0, 1, 2}), 1, 2));
    assertNotEquals(two, Bytes.of((byte) 1, (byte) 3));
    assertNotEquals(two, List.of(1, 2));
    assertNotEquals(null, two);
  }

  @Test
  void arraysGivenAndTakenAreCopies() {
    byte[] given = {1, 2};
    Bytes two = Bytes.of(given);
    given[0] = 9;
    two.toArray()[1] = 9;
    assertEquals("0102", two.toString());
  }
}
