package org.roce4j.engine.memory;

/**
 * An entry of the {@link KeyTable}: a region or a window. A key is 24 bits that name the entry and
 * a low byte that must match; an entry that is gone or whose low byte moved on matches no key.
 */
public abstract sealed class MemoryKey permits Region, Window {
  private int value;
  private Domain domain;

  MemoryKey(int value, Domain domain) {
    this.value = value;
    this.domain = domain;
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

  final void domain(Domain domain) {
    this.domain = domain;
  }

  /**
   * Where {@code length} bytes at {@code va} lie in the region beneath, as an offset, or -1 if they
   * may not be used so.
   *
   * @param qpNum the queue pair that asks, for windows bound to one
   * @param right of {@link org.roce4j.verbs.AccessFlags}
   */
  abstract long locate(long va, long length, int right, Domain domain, int qpNum);

  /** The region whose memory this key gives access to; null for an unbound window. */
  abstract Region region();

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
