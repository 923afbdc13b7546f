package org.roce4j.hardware;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BiFunction;
import org.roce4j.hardware.bindings.Frame;
import org.roce4j.hardware.bindings.MemoryExtensions;
import org.roce4j.hardware.bindings.Refusal;
import org.roce4j.verbs.DeviceMemory;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.VerbsException;

/** {@code struct ibv_dm}. */
final class HardwareDeviceMemory extends HardwareObject implements DeviceMemory {
  /** The length of imported memory, which libibverbs does not report. */
  static final long UNKNOWN = -1;

  private final long length;

  /**
   * @param length bytes, or {@link #UNKNOWN}: imported
   */
  HardwareDeviceMemory(HardwareContext context, long address, long length) {
    super(context, address, Kind.DEVICE_MEMORY, MemoryExtensions.dmHandle(address));
    this.length = length;
  }

  @Override
  int destroy(Frame frame) {
    if (length == UNKNOWN) {
      library.later().unimportDm(frame, address);
      return 0;
    }
    return context.memory().freeDm(frame, address);
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public void copyTo(long offset, MemorySegment from) {
    RequiredArgument.check(from, "from");
    copy(
        "ibv_memcpy_to_dm",
        offset,
        from.byteSize(),
        (frame, passed) -> {
          passed.copyFrom(from);
          return MemoryExtensions.copyTo(frame, address, offset, passed);
        });
  }

  @Override
  public void copyFrom(MemorySegment to, long offset) {
    RequiredArgument.check(to, "to");
    copy(
        "ibv_memcpy_from_dm",
        offset,
        to.byteSize(),
        (frame, passed) -> {
          int errno = MemoryExtensions.copyFrom(frame, passed, address, offset);
          if (errno == 0) {
            to.copyFrom(passed);
          }
          return errno;
        });
  }

  /** The driver is given memory of its own: the program's may be on the heap. */
  private void copy(
      String verb, long offset, long bytes, BiFunction<Frame, MemorySegment, Integer> call) {
    inside(
        () -> {
          if (offset < 0 || length != UNKNOWN && (bytes > length || offset > length - bytes)) {
            throw Errno.EFAULT.refusal(
                "%d bytes from offset %d on are not all in the %d that there are",
                bytes, offset, length);
          }
          try (Frame frame = new Frame();
              Arena arena = Arena.ofConfined()) {
            int errno = call.apply(frame, arena.allocate(bytes, Long.BYTES));
            if (errno != 0) {
              throw Refusal.of(verb, errno);
            }
          } catch (IllegalStateException
              | IllegalArgumentException
              | WrongThreadException
              | UnsupportedOperationException e) {
            throw new VerbsException(
                Errno.EFAULT, "the program's memory is freed, read-only or another thread's", e);
          }
          return null;
        });
  }
}
