package org.roce4j.tools.perf.traffic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.roce4j.tools.console.ToolFailure;
import org.roce4j.tools.side.Noise;

/**
 * The bytes of a run that verifies: each depends on the queue pair, on the message's number and on
 * its offset. Where messages may be lost, a message begins with its number in eight bytes.
 */
final class MessageBytes {
  private final Noise noise = new Noise(0x7065_7266L, value -> value);
  private final boolean numbered;
  private long verified;

  MessageBytes(boolean numbered) {
    this.numbered = numbered;
  }

  /** The number of verified bytes so far. */
  long verified() {
    return verified;
  }

  void fill(int lane, long number, MemorySegment message) {
    noise.fill(lane, number, message);
    if (numbered) {
      message.set(JAVA_LONG_UNALIGNED, 0, number);
    }
  }

  /**
   * The number in a message's first bytes if messages may be lost; otherwise the expected number.
   */
  long number(long expected, MemorySegment message) {
    return numbered ? message.get(JAVA_LONG_UNALIGNED, 0) : expected;
  }

  boolean matches(int lane, long number, MemorySegment message) {
    return mismatch(lane, number, message) < 0;
  }

  void check(int lane, long number, MemorySegment message) {
    long wrong = mismatch(lane, number, message);
    if (wrong >= 0) {
      throw ToolFailure.atRunTime(
          "wrong data: byte %d of message %d on queue pair %d is 0x%02x, not 0x%02x",
          wrong, number, lane, message.get(JAVA_BYTE, wrong), noise.at(lane, number, wrong));
    }
    verified += message.byteSize();
  }

  /** The offset of the first wrong byte, or -1. */
  private long mismatch(int lane, long number, MemorySegment message) {
    long from = numbered ? Long.BYTES : 0;
    return noise.mismatch(lane, number, message, from, message.byteSize());
  }

  /** Counts bytes that were verified elsewhere. */
  void count(long bytes) {
    verified += bytes;
  }
}
