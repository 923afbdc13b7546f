package org.roce4j.verbs;

/** {@code struct ibv_mw}: remote rights to a part of a region. Thread-safe. */
public interface MemoryWindow extends AutoCloseable {
  ProtectionDomain pd();

  MwType type();

  /** A dense number of this object within its context. */
  int handle();

  /** What stands for this window in {@code bind_mw.mw}. */
  long nativeHandle();

  /** The current remote key; binding changes its low byte. */
  int rkey();

  /** {@code ibv_inc_rkey}: the same key with the low byte one higher, modulo 256. */
  static int incrementRkey(int rkey) {
    return (rkey & 0xffffff00) | ((rkey + 1) & 0xff);
  }

  /** {@code ibv_dealloc_mw}; allowed while bound. */
  @Override
  void close();
}
