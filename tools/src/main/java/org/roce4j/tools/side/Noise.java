package org.roce4j.tools.side;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import java.util.function.IntUnaryOperator;

/**
 * Bytes that verified messages are cut from. Their period is prime, so that no shift by pages,
 * packets or messages maps them on themselves.
 */
public final class Noise {
  private static final int PERIOD = 65_521;
  private static final int MESSAGE_STEP = 7_919;
  private static final int LANE_STEP = 4_409;

  private final MemorySegment noise;

  /**
   * @param shape changes each byte
   */
  public Noise(long seed, IntUnaryOperator shape) {
    byte[] bytes = new byte[2 * PERIOD];
    new SplittableRandom(seed).nextBytes(bytes);
    for (int i = 0; i < PERIOD; i++) {
      bytes[i] = (byte) shape.applyAsInt(bytes[i]);
      bytes[PERIOD + i] = bytes[i];
    }
    this.noise = MemorySegment.ofArray(bytes);
  }

  /** Writes message {@code number} of a queue pair. */
  public void fill(int lane, long number, MemorySegment message) {
    long size = message.byteSize();
    for (long done = 0; done < size; ) {
      long part = Math.min(PERIOD, size - done);
      MemorySegment.copy(noise, start(lane, number, done), message, done, part);
      done += part;
    }
  }

  /** The offset of the first wrong byte of a message between two offsets, or -1. */
  public long mismatch(int lane, long number, MemorySegment message, long from, long to) {
    for (long done = from; done < to; ) {
      long part = Math.min(PERIOD, to - done);
      long start = start(lane, number, done);
      long wrong = MemorySegment.mismatch(noise, start, start + part, message, done, done + part);
      if (wrong >= 0) {
        return done + wrong;
      }
      done += part;
    }
    return -1;
  }

  /** The byte of a message at an offset. */
  public byte at(int lane, long number, long offset) {
    return noise.get(JAVA_BYTE, start(lane, number, offset));
  }

  private static long start(int lane, long number, long offset) {
    return (number % PERIOD * MESSAGE_STEP + (long) lane * LANE_STEP + offset) % PERIOD;
  }
}
