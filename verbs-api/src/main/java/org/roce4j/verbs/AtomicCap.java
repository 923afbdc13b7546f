package org.roce4j.verbs;

/**
 * The scope in which atomics are atomic ({@code enum ibv_atomic_cap}, constants {@code
 * IBV_ATOMIC_*}).
 */
public enum AtomicCap {
  /** No atomic operations. */
  NONE(0),
  /** Atomic among the queue pairs of one device. */
  HCA(1),
  /** Also atomic with respect to the processor and other devices. */
  GLOB(2);

  private static final AtomicCap[] BY_VALUE = values();

  private final int value;

  AtomicCap(int value) {
    this.value = value;
  }

  /** Returns the number libibverbs uses. */
  public int value() {
    return value;
  }

  /** Returns the constant with this number, {@code null} when there is none. */
  public static AtomicCap of(int value) {
    return value >= 0 && value < BY_VALUE.length ? BY_VALUE[value] : null;
  }
}
