package org.roce4j.hardware.bindings;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.VerbsException;

/** Reads and writes fields of C structures, unsigned where a field is. */
final class Memory {
  private Memory() {}

  /** The structure that a pointer of libibverbs points to. */
  static MemorySegment at(long address, long size) {
    return MemorySegment.ofAddress(address).reinterpret(size);
  }

  static int u8(MemorySegment structure, long offset) {
    return Byte.toUnsignedInt(structure.get(JAVA_BYTE, offset));
  }

  /**
   * @throws VerbsException EINVAL for a value that the field cannot hold
   */
  static void u8(MemorySegment structure, long offset, int value) {
    demandFits(value, 0xff);
    structure.set(JAVA_BYTE, offset, (byte) value);
  }

  static int u16(MemorySegment structure, long offset) {
    return Short.toUnsignedInt(structure.get(JAVA_SHORT_UNALIGNED, offset));
  }

  /**
   * @throws VerbsException EINVAL for a value that the field cannot hold
   */
  static void u16(MemorySegment structure, long offset, int value) {
    demandFits(value, 0xffff);
    structure.set(JAVA_SHORT_UNALIGNED, offset, (short) value);
  }

  private static void demandFits(int value, int most) {
    if (value < 0 || value > most) {
      throw new VerbsException(
          Errno.EINVAL, value + " does not fit a field of C that takes 0 to " + most);
    }
  }

  static int i32(MemorySegment structure, long offset) {
    return structure.get(JAVA_INT_UNALIGNED, offset);
  }

  static void i32(MemorySegment structure, long offset, int value) {
    structure.set(JAVA_INT_UNALIGNED, offset, value);
  }

  static long i64(MemorySegment structure, long offset) {
    return structure.get(JAVA_LONG_UNALIGNED, offset);
  }

  static void i64(MemorySegment structure, long offset, long value) {
    structure.set(JAVA_LONG_UNALIGNED, offset, value);
  }

  static long network64(MemorySegment structure, long offset) {
    return structure.get(JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN), offset);
  }

  static Gid gid(MemorySegment structure, long offset) {
    return new Gid(network64(structure, offset), network64(structure, offset + Long.BYTES));
  }

  static void gid(MemorySegment structure, long offset, Gid gid) {
    var network = JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    structure.set(network, offset, gid.high());
    structure.set(network, offset + Long.BYTES, gid.low());
  }
}
