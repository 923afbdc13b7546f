package org.roce4j.tools.pingpong;

import java.lang.foreign.MemorySegment;

/**
 * The bytes that a C program may send. Its sends and receives share one buffer, so it sends back
 * the message that it received last. This class derives the possible bytes from our own messages.
 */
interface Echo {
  /** We have posted message {@code number} of {@link PayloadPattern}. */
  default void posted(long number) {}

  /** The peer has acknowledged it: its bytes are in the peer's buffer, or were. */
  default void acknowledged(long number) {}

  /**
   * Compares the message with the possible bytes of the peer's message {@code number}.
   *
   * @return the offset of the first wrong byte, or -1 if all are right
   */
  long mismatch(long number, MemorySegment message);

  /** A correct byte, for the message. */
  byte due(long number, long offset);
}
