package org.roce4j.tools.perf.traffic;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.roce4j.tools.console.ToolFailure;

/**
 * The bytes of a run that verifies: each depends on the queue pair, on the message's number and on
 * its offset. They are cut from a fixed noise of prime length. Where messages may be lost, a
 * message begins with its number in eight bytes.
 */
final class MessageBytes {
  private static final int PERIOD = 65_521;
  private static final int MESSAGE_STEP = 7_919;
  private static final int LANE_STEP = 4_409;

  private final MemorySegment noise;
  private final boolean numbered;
  private long verified;

  MessageBytes(boolean numbered) {
    byte[] bytes = new byte[2 * PERIOD];
    new SplittableRandom(0x7065_7266L).nextBytes(bytes);
    System.arraycopy(bytes, 0, bytes, PERIOD, PERIOD);
    this.noise = MemorySegment.ofArray(bytes);
    this.numbered = numbered;
  }

  /** Bytes found right so far. */
  long verified() {
    return verified;
  }

  void fill(int lane, long number, MemorySegment message) {
    long size = message.byteSize();
    for (long done = 0; done < size; ) {
      long part = Math.min(PERIOD, size - done);
      MemorySegment.copy(noise, start(lane, number, done), message, done, part);
      done += part;
    }
    if (numbered) {
      message.set(JAVA_LONG_UNALIGNED, 0, number);
    }
  }

  /** The number at the head of a message where messages may be lost, else the expected one. */
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
          String.format(
              "wrong data: byte %d of message %d on queue pair %d is 0x%02x, not 0x%02x",
              wrong,
              number,
              lane,
              message.get(JAVA_BYTE, wrong),
              noise.get(JAVA_BYTE, start(lane, number, wrong))));
    }
    verified += message.byteSize();
  }

  /** The offset of the first wrong byte, or -1. */
  private long mismatch(int lane, long number, MemorySegment message) {
    long size = message.byteSize();
    for (long done = numbered ? Long.BYTES : 0; done < size; ) {
      long part = Math.min(PERIOD, size - done);
      long start = start(lane, number, done);
      long wrong = MemorySegment.mismatch(noise, start, start + part, message, done, done + part);
      if (wrong >= 0) {
        return done + wrong;
      }
      done += part;
    }
    return -1;
  }

  /** Counts bytes that were verified otherwise. */
  void count(long bytes) {
    verified += bytes;
  }

  private static long start(int lane, long number, long offset) {
    return (number % PERIOD * MESSAGE_STEP + (long) lane * LANE_STEP + offset) % PERIOD;
  }
}
