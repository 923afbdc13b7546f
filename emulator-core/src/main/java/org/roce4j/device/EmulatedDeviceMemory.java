package org.roce4j.device;

import java.lang.foreign.MemorySegment;
import org.roce4j.engine.memory.OwnMemory;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.Wrapper;

/** A part of the device's own memory. The total is a limit of the device. */
final class EmulatedDeviceMemory extends EmulatedObject implements DeviceMemory {
  /** The greatest alignment: 1 MiB. */
  private static final int MOST_LOG_ALIGN = 20;

  private final long length;
  private final long alignment;
  private OwnMemory bytes;
  private int regions;

  EmulatedDeviceMemory(ContextObjects objects, long length, int logAlignReq) {
    super(objects, ObjectKind.DEVICE_MEMORY);
    this.length = length;
    alignment = 1L << logAlignReq;
  }

  /** Refuses attributes that no emulated device supports. */
  static void check(long length, int logAlignReq, long most) {
    RequiredArgument.checkRange(length, 1, most, "length");
    RequiredArgument.checkRange(logAlignReq, 0, MOST_LOG_ALIGN, "log_align_req");
  }

  /** Checks the device memory that a caller names, and the range for a region. */
  static EmulatedDeviceMemory check(
      ContextObjects objects, DeviceMemory named, long offset, long length) {
    if (!(Wrapper.innermost(named) instanceof EmulatedDeviceMemory own && own.objects == objects)) {
      throw RequiredArgument.foreign(named, "deviceMemory");
    }
    own.requireOpen();
    if (length < 1 || !own.bytes.holds(offset, length)) {
      throw Errno.EINVAL.refusal(
          "offset %d and length %d must name bytes of the %d that there are",
          offset, length, own.length);
    }
    return own;
  }

  @Override
  void enter() {
    if (!device.room().take(length)) {
      throw Errno.ENOMEM.refusal(
          "the device has %d bytes of memory left; free some", device.room().left());
    }
    boolean made = false;
    try {
      bytes = new OwnMemory(length, alignment);
      made = true;
    } finally {
      if (!made) {
        device.room().give(length);
      }
    }
  }

  /**
   * Counts a region over a range of this memory, and returns the range. For the owner of all
   * engines.
   */
  MemorySegment join(long offset, long partLength) {
    requireOpen();
    regions++;
    return bytes.part(offset, partLength);
  }

  void left() {
    regions--;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public void copyTo(long offset, MemorySegment from) {
    RequiredArgument.check(from, "from");
    require(offset, from);
    copied(bytes.copyIn(offset, from));
  }

  @Override
  public void copyFrom(MemorySegment to, long offset) {
    RequiredArgument.check(to, "to");
    require(offset, to);
    copied(!to.isReadOnly() && bytes.copyOut(to, offset));
  }

  private void require(long offset, MemorySegment other) {
    requireOpen();
    if (!bytes.holds(offset, other.byteSize())) {
      throw Errno.EFAULT.refusal(
          "%d bytes from offset %d on are not all in the %d that there are",
          other.byteSize(), offset, length);
    }
  }

  private void copied(boolean done) {
    if (!done) {
      requireNotDestroyed();
      throw Errno.EFAULT.refusal("the program's memory is freed, read-only or another thread's");
    }
  }

  @Override
  boolean isUsed() {
    return regions > 0;
  }

  @Override
  void destroy() {
    checkDestroyable();
    bytes.free();
    device.room().give(length);
  }
}
