package org.roce4j.device;

/** How much memory of its own a device has left to give; belongs to the owner of all engines. */
final class MemoryRoom {
  private long left;

  MemoryRoom(long bytes) {
    left = bytes;
  }

  /** Takes {@code bytes}; false: fewer are left. */
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
