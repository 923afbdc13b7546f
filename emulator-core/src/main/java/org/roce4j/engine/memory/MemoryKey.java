package org.roce4j.engine.memory;

/**
 * An entry of the {@link KeyTable}: a region or a window. A key is 24 bits that name the entry and
 * a low byte that must match; an entry that is gone or whose low byte moved on matches no key.
 */
public abstract sealed class MemoryKey permits Region, Window {
  /** Written by whichever engine binds a window. */
  private volatile int value;

  private Domain domain;

  MemoryKey(int value, Domain domain) {
    this.value = value;
    domain(domain);
  }

  /** The key that peers and work requests use now. */
  public final int value() {
    return value;
  }

  final void value(int value) {
    this.value = value;
  }

  public final Domain domain() {
    return domain;
  }

  /** Sets the protection domain; null for a key without one. */
  final void domain(Domain named) {
    domain = named == null ? null : named.base();
  }

  /**
   * What the key gives access to now; null for an unbound window. A caller that has found it by a
   * key compares the {@link #value} afterwards: a bind on another engine changes both.
   */
  abstract Grant grant();

  /**
   * Whether {@code [va, va+length)} lies in {@code [start, start+extent)}; all unsigned, no sum
   * that could overflow.
   */
  static boolean within(long va, long length, long start, long extent) {
    long offset = va - start;
    return Long.compareUnsigned(offset, extent) <= 0
        && Long.compareUnsigned(length, extent - offset) <= 0
        && Long.compareUnsigned(va, start) >= 0;
  }
}
