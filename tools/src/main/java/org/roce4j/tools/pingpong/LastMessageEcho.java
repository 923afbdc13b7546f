package org.roce4j.tools.pingpong;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import org.roce4j.tools.side.Role;

/** The echo of a C program with one queue pair: exactly our last message, or its fresh buffer. */
final class LastMessageEcho implements Echo {
  private final Role own;
  private final PayloadPattern ours;
  private final byte fill;

  /**
   * @param fill initial content of the C program's buffer
   */
  LastMessageEcho(Role own, PayloadPattern ours, byte fill) {
    this.own = own;
    this.ours = ours;
    this.fill = fill;
  }

  @Override
  public long mismatch(long number, MemorySegment message) {
    long echoed = echoed(number);
    return echoed < 0 ? freshMismatch(message) : ours.mismatch(echoed, message);
  }

  @Override
  public byte due(long number, long offset) {
    long echoed = echoed(number);
    return echoed < 0 ? fill : ours.at(echoed, offset);
  }

  private long echoed(long number) {
    return own == Role.CLIENT ? number : number - 1;
  }

  /** A client with {@code -c} has zeros at page starts. */
  private long freshMismatch(MemorySegment message) {
    for (long i = 0; i < message.byteSize(); i++) {
      byte value = message.get(JAVA_BYTE, i);
      if (value != fill && !(value == 0 && i % PayloadPattern.PAGE == 0)) {
        return i;
      }
    }
    return -1;
  }
}
