package org.roce4j.hardware.bindings;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvDataBuf;

/** Arrays of {@code struct ibv_data_buf}. */
public final class InlineBuffers {
  private InlineBuffers() {}

  /** An array that points to copies of memory of any kind. */
  public static MemorySegment of(Arena arena, List<MemorySegment> buffers) {
    MemorySegment array =
        arena.allocate(Math.max(1L, buffers.size()) * IbvDataBuf.SIZE, Long.BYTES);
    for (int i = 0; i < buffers.size(); i++) {
      MemorySegment data = buffers.get(i);
      MemorySegment copy = arena.allocate(data.byteSize(), Long.BYTES).copyFrom(data);
      long at = (long) i * IbvDataBuf.SIZE;
      Memory.i64(array, at + IbvDataBuf.ADDR, copy.address());
      Memory.i64(array, at + IbvDataBuf.LENGTH, data.byteSize());
    }
    return array;
  }
}
