package org.roce4j.conformance.table;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** The first eight bytes of some memory as a number in host order. */
record FirstWord(MemorySegment memory) {
  long get() {
    return memory.get(ValueLayout.JAVA_LONG, 0);
  }

  void set(long value) {
    memory.set(ValueLayout.JAVA_LONG, 0, value);
  }
}
