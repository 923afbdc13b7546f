package org.roce4j.device;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;

/**
 * Reads this process's memory by address through {@code /proc/self/mem}. The read of an unmapped
 * address fails, whereas a load would end the process. One system call; allocates nothing.
 */
final class ProcessMemory {
  private static final RandomAccessFile FILE = open();

  private ProcessMemory() {}

  /** Null if {@code /proc} is missing. */
  private static RandomAccessFile open() {
    try {
      return new RandomAccessFile("/proc/self/mem", "r");
    } catch (IOException e) {
      return null;
    }
  }

  /**
   * Copies bytes from an address.
   *
   * @param to a segment over a byte array
   * @return false if they cannot be read
   */
  static boolean read(long address, long bytes, MemorySegment to, long at) {
    if (FILE == null || address < 0) {
      return false;
    }
    byte[] array = (byte[]) to.heapBase().orElseThrow();
    synchronized (FILE) {
      try {
        FILE.seek(address);
        FILE.readFully(array, (int) at, (int) bytes);
        return true;
      } catch (IOException e) {
        return false;
      }
    }
  }
}
