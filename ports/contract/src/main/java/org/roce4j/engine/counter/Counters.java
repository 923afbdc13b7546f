package org.roce4j.engine.counter;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The values of all {@link Counter}s. Only the engine's owner writes them. Any thread may read them
 * and sees each value whole, possibly with a delay.
 */
public final class Counters {
  private static final Counter[] ALL = Counter.values();
  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] values = new long[ALL.length];

  /** Adds one. For the engine's owner. */
  public void increment(Counter counter) {
    add(counter, 1);
  }

  /** Adds {@code amount}, 0 or more. For the engine's owner. */
  public void add(Counter counter, long amount) {
    int i = counter.ordinal();
    CELL.setOpaque(values, i, values[i] + amount);
  }

  /** The present value. Any thread may call this. */
  public long get(Counter counter) {
    return (long) CELL.getOpaque(values, counter.ordinal());
  }

  /** The values of all counters by label, in the order of {@link Counter}. */
  public Map<String, Long> snapshot() {
    Map<String, Long> map = new LinkedHashMap<>();
    for (Counter counter : ALL) {
      map.put(counter.label(), get(counter));
    }
    return map;
  }
}
