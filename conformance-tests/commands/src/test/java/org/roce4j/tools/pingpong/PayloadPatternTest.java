package org.roce4j.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.roce4j.tools.side.Role;

class PayloadPatternTest {
  private final PayloadPattern client = new PayloadPattern(Role.CLIENT, 100, false);
  private final PayloadPattern server = new PayloadPattern(Role.SERVER, 100, false);

  @Property(tries = 200)
  void findsTheFirstByteThatDiffers(
      @ForAll @IntRange(min = 1, max = 200_000) int size,
      @ForAll @IntRange(max = 99) int number,
      @ForAll @IntRange(max = 199_999) int place,
      @ForAll boolean fromClient) {
    PayloadPattern pattern = fromClient ? client : server;
    MemorySegment message = MemorySegment.ofArray(new byte[size]);
    pattern.fill(number, message);
    assertEquals(-1, pattern.mismatch(number, message));

    int offset = place % size;
    byte right = message.get(ValueLayout.JAVA_BYTE, offset);
    assertEquals(pattern.at(number, offset), right);
    message.set(ValueLayout.JAVA_BYTE, offset, (byte) (right ^ 0x10));
    assertEquals(offset, pattern.mismatch(number, message));
  }

  @Test
  void noticesEveryByteOfTheOtherDirection() {
    for (int offset = 0; offset < 10_000; offset++) {
      assertNotEquals(client.at(3, offset), server.at(3, offset));
    }
  }

  @Test
  void noticesAMessageOfAnotherNumberAndOnePacketInThePlaceOfAnother() {
    MemorySegment message = MemorySegment.ofArray(new byte[65_536]);
    client.fill(7, message);
    for (int number = 0; number < 99; number++) {
      if (number != 7) {
        assertTrue(client.mismatch(number, message) >= 0, "message " + number);
      }
    }
    for (int mtu = 256; mtu <= 4096; mtu *= 2) {
      MemorySegment swapped = MemorySegment.ofArray(new byte[65_536]);
      swapped.copyFrom(message);
      MemorySegment.copy(message, 0, swapped, mtu, mtu);
      assertTrue(client.mismatch(7, swapped) >= mtu, "MTU " + mtu);
    }
  }

  @Test
  void theClientsLastMessagePassesTheCheckOfTheCProgram() {
    MemorySegment last = MemorySegment.ofArray(new byte[10_000]);
    client.fill(99, last);
    assertEquals(0, last.get(ValueLayout.JAVA_BYTE, 0));
    assertEquals(0, last.get(ValueLayout.JAVA_BYTE, 4096));
    assertEquals(0, last.get(ValueLayout.JAVA_BYTE, 8192));
    assertEquals(-1, client.mismatch(99, last));

    last.set(ValueLayout.JAVA_BYTE, 4096, (byte) 1);
    assertEquals(4096, client.mismatch(99, last));
  }

  @Test
  void aMessageWithoutBytesIsRight() {
    MemorySegment empty = MemorySegment.ofArray(new byte[0]);
    client.fill(0, empty);
    assertEquals(-1, client.mismatch(0, empty));
    assertEquals(-1, client.mismatch(99, empty));
  }
}
