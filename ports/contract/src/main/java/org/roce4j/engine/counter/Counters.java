package org.roce4j.engine.counter;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A table of {@link Counter}s. Written by the engine's owner alone; read by any thread, which sees
 * each value whole and eventually.
 */
public final class Counters {
  private static final Counter[] ALL = Counter.values();
  private static final VarHandle CELL = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] values = new long[ALL.length];

  /** One more; the engine's owner. */
  public void increment(Counter counter) {
    add(counter, 1);
  }

  /** {@code amount} more, 0 or more; the engine's owner. */
  public void add(Counter counter, long amount) {
    int i = counter.ordinal();
    CELL.setOpaque(values, i, values[i] + amount);
  }

  /** How many so far; any thread. */
  public long get(Counter counter) {
    return (long) CELL.getOpaque(values, counter.ordinal());
  }

  /** All counters by label, in the order of {@link Counter}. */
  public Map<String, Long> snapshot() {
    Map<String, Long> map = new LinkedHashMap<>();
    for (Counter counter : ALL) {
      map.put(counter.label(), get(counter));
    }
    return map;
  }
}
