package org.roce4j.tools.pingpong;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import org.roce4j.tools.side.Noise;
import org.roce4j.tools.side.Role;

/**
 * The bytes of one direction: every byte depends on the message's number and on its offset, so that
 * a byte from another message, another place or the other direction is noticed. They are cut from a
 * fixed noise of prime length, so that they are copied and compared at memory speed.
 *
 * <p>One exception: the last message of a client has zero at each multiple of 4096, because {@code
 * ibv_rc_pingpong -c} looks for that when it is done. If several queue pairs share the C program's
 * buffer, the last message to arrive is not known; then every message of a client has the zeros.
 */
final class PayloadPattern {
  /** Distance of the bytes that the C programs check; a page, whatever the page size is. */
  static final int PAGE = 4096;

  private final Noise noise;
  private final long iterations;
  private final boolean zeroPageStarts;
  private final boolean always;

  /**
   * The bytes that {@code sender} sends in a run of {@code iterations} messages.
   *
   * @param always whether every message of a client has the zeros, not only the last
   */
  PayloadPattern(Role sender, long iterations, boolean always) {
    int own = sender.ordinal();
    this.noise = new Noise(0x726f_6365L + own, value -> value & 0xfe | own);
    this.iterations = iterations;
    this.zeroPageStarts = sender == Role.CLIENT;
    this.always = always;
  }

  /** Writes message {@code number} (from 0). */
  void fill(long number, MemorySegment message) {
    noise.fill(0, number, message);
    if (zeroesPages(number)) {
      for (long page = 0; page < message.byteSize(); page += PAGE) {
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
      return noise.mismatch(0, number, message, from, size);
    }
    for (long at = from; at < size; ) {
      long end = Math.min((at / PAGE + 1) * PAGE, size);
      if (at % PAGE == 0 && message.get(JAVA_BYTE, at++) != 0) {
        return at - 1;
      }
      long wrong = noise.mismatch(0, number, message, at, end);
      if (wrong >= 0) {
        return wrong;
      }
      at = end;
    }
    return -1;
  }

  /** The byte of message {@code number} at that offset. */
  byte at(long number, long offset) {
    return zeroesPages(number) && offset % PAGE == 0 ? 0 : noise.at(0, number, offset);
  }

  private boolean zeroesPages(long number) {
    return zeroPageStarts && (always || number == iterations - 1);
  }
}
