package org.roce4j.engine.memory;

/**
 * An entry of the {@link KeyTable}: a region or a window. The upper 24 bits of a key name the
 * entry, and the low byte must match. A removed entry, or one whose low byte has changed, matches
 * no old key.
 */
public abstract sealed class MemoryKey permits Region, Window {
  /** Written by the engine that binds a window, which may be any engine. */
  private volatile int value;

  private Domain domain;

  MemoryKey(int value, Domain domain) {
    this.value = value;
    domain(domain);
  }

  /** The current key, for peers and work requests. */
  public final int value() {
    return value;
  }

  final void value(int value) {
    this.value = value;
  }

  public final Domain domain() {
    return domain;
  }

  /** Sets the protection domain; null: the key has none. */
  final void domain(Domain named) {
    domain = named == null ? null : named.base();
  }

  /**
   * The access that the key gives now; null for an unbound window. A caller that found this entry
   * by a key must then compare {@link #value}, because a bind on another engine changes both.
   */
  abstract Grant grant();

  /**
   * Whether {@code [va, va+length)} is within {@code [start, start+extent)}. All numbers are
   * unsigned; no sum overflows.
   */
  static boolean within(long va, long length, long start, long extent) {
    long offset = va - start;
    return Long.compareUnsigned(offset, extent) <= 0
        && Long.compareUnsigned(length, extent - offset) <= 0
        && Long.compareUnsigned(va, start) >= 0;
  }
}
