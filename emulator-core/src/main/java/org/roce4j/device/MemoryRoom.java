package org.roce4j.device;

/** The amount of device memory that is not allocated. For the owner of all engines. */
final class MemoryRoom {
  private long left;

  MemoryRoom(long bytes) {
    left = bytes;
  }

  /** Takes {@code bytes} bytes; false if fewer are left. */
  boolean take(long bytes) {
    if (bytes > left) {
      return false;
    }
    left -= bytes;
    return true;
  }

  void give(long bytes) {
    left += bytes;
  }

  long left() {
    return left;
  }
}
