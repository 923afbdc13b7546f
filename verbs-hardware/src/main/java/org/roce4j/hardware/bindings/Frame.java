package org.roce4j.hardware.bindings;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;

/**
 * The memory of one control verb: its structures, and the errno it leaves behind. Confined to the
 * thread that made it.
 */
public final class Frame implements AutoCloseable {
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment errno = arena.allocate(Linker.Option.captureStateLayout());

  /** Zeroed memory for a structure of {@link Structures}. */
  public MemorySegment structure(int size) {
    return arena.allocate(size, Long.BYTES);
  }

  /** A string of C. */
  MemorySegment text(String text) {
    return arena.allocateFrom(text);
  }

  /** The errno that the last function called with this frame left. */
  public int errno() {
    return errno.get(JAVA_INT, 0);
  }

  MemorySegment state() {
    return errno;
  }

  @Override
  public void close() {
    arena.close();
  }
}
