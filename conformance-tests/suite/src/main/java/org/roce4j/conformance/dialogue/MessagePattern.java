package org.roce4j.conformance.dialogue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.roce4j.wire.Bytes;

/** The bytes of messages in dialogues: byte i is the same in every message. */
public final class MessagePattern {
  private MessagePattern() {}

  /** Byte {@code i} of every message. */
  public static byte at(long i) {
    return (byte) (i * 31 + (i >>> 8) * 17 + 7);
  }

  /** Bytes {@code [from, to)} of every message. */
  public static Bytes bytes(int from, int to) {
    byte[] bytes = new byte[to - from];
    for (int i = from; i < to; i++) {
      bytes[i - from] = at(i);
    }
    return Bytes.of(bytes);
  }

  /** Fills memory as if it were one message. */
  public static void fill(MemorySegment memory) {
    for (long i = 0; i < memory.byteSize(); i++) {
      memory.set(ValueLayout.JAVA_BYTE, i, at(i));
    }
  }
}
