package org.roce4j.device;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;

/**
 * This process's memory by its addresses, as a file: reading an address that holds nothing fails,
 * where a load would end the process. One system call, which allocates nothing.
 */
final class ProcessMemory {
  private static final RandomAccessFile FILE = open();

  private ProcessMemory() {}

  /** Where Linux's file system of processes is missing there is none. */
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
   * @param to memory of a byte array
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
