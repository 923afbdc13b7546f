package org.roce4j.tools.pingpong;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;

/**
 * The bytes of one direction: every byte depends on the message's number and on its offset, so that
 * a byte from another message, another place or the other direction is noticed. They are cut from a
 * fixed noise of prime length, which copies and compares at memory speed.
 *
 * <p>One exception: the last message of a client bears zero at each multiple of 4096, because that
 * is what {@code ibv_rc_pingpong -c} looks for when it is done. Where several queue pairs share the
 * C program's buffer, nobody knows which message arrives last: there every message of a client
 * does.
 */
final class PayloadPattern {
  /** Prime, so that no shift by pages, packets or messages maps the noise on itself. */
  private static final int PERIOD = 65_521;

  private static final int STEP = 7_919;

  /** Distance of the bytes that the C programs check; a page, whatever the page size is. */
  static final int PAGE = 4096;

  private final MemorySegment noise;
  private final long iterations;
  private final boolean zeroPageStarts;
  private final boolean always;

  /**
   * The bytes that {@code sender} sends in a run of that many messages.
   *
   * @param always whether every message of a client has the zeros, not only the last
   */
  PayloadPattern(Role sender, long iterations, boolean always) {
    byte[] bytes = new byte[2 * PERIOD];
    new SplittableRandom(0x726f_6365L + sender.ordinal()).nextBytes(bytes);
    for (int i = 0; i < PERIOD; i++) {
      bytes[i] = (byte) (bytes[i] & 0xfe | sender.ordinal());
      bytes[PERIOD + i] = bytes[i];
    }
    this.noise = MemorySegment.ofArray(bytes);
    this.iterations = iterations;
    this.zeroPageStarts = sender == Role.CLIENT;
    this.always = always;
  }

  /** Writes message {@code number} (from 0). */
  void fill(long number, MemorySegment message) {
    long size = message.byteSize();
    for (long done = 0; done < size; ) {
      long part = Math.min(PERIOD, size - done);
      MemorySegment.copy(noise, start(number, done), message, done, part);
      done += part;
    }
    if (zeroesPages(number)) {
      for (long page = 0; page < size; page += PAGE) {
        message.set(JAVA_BYTE, page, (byte) 0);
      }
    }
  }

  /**
   * Compares message {@code number} (from 0).
   *
   * @return the offset of the first wrong byte, or -1 if all are right
   */
  long mismatch(long number, MemorySegment message) {
    return mismatch(number, message, 0);
  }

  /** As {@link #mismatch(long, MemorySegment)}, from an offset on. */
  long mismatch(long number, MemorySegment message, long from) {
    long size = message.byteSize();
    if (!zeroesPages(number)) {
      return mismatch(number, message, from, size);
    }
    for (long at = from; at < size; ) {
      long end = Math.min((at / PAGE + 1) * PAGE, size);
      if (at % PAGE == 0 && message.get(JAVA_BYTE, at++) != 0) {
        return at - 1;
      }
      long wrong = mismatch(number, message, at, end);
      if (wrong >= 0) {
        return wrong;
      }
      at = end;
    }
    return -1;
  }

  /** The byte of message {@code number} at that offset. */
  byte at(long number, long offset) {
    if (zeroesPages(number) && offset % PAGE == 0) {
      return 0;
    }
    return noise.get(JAVA_BYTE, start(number, offset));
  }

  private long mismatch(long number, MemorySegment message, long from, long to) {
    for (long done = from; done < to; ) {
      long part = Math.min(PERIOD, to - done);
      long start = start(number, done);
      long wrong = MemorySegment.mismatch(noise, start, start + part, message, done, done + part);
      if (wrong >= 0) {
        return done + wrong;
      }
      done += part;
    }
    return -1;
  }

  private boolean zeroesPages(long number) {
    return zeroPageStarts && (always || number == iterations - 1);
  }

  private static long start(long number, long offset) {
    return (number % PERIOD * STEP + offset) % PERIOD;
  }
}
