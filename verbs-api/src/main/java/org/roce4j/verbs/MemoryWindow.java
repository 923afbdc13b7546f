package org.roce4j.verbs;

/** {@code struct ibv_mw}: remote rights to a part of a region. Thread-safe. */
public interface MemoryWindow extends AutoCloseable {
  /** The domain it was allocated in; it can be bound to regions of that domain only. */
  ProtectionDomain pd();

  /**
   * How it is bound: type 1 to its protection domain, type 2 to one queue pair, which alone may be
   * reached through it.
   */
  MwType type();

  /** A dense number of this object within its context. */
  int handle();

  /** The value for this window in {@code bind_mw.mw}. */
  long nativeHandle();

  /**
   * The current remote key; binding changes its low byte. For type 1 it is the key of the bind that
   * was posted last. Binds of one window on several queue pairs execute in any order, each with its
   * own key.
   */
  int rkey();

  /** {@code ibv_inc_rkey}: the same key with the low byte one higher, modulo 256. */
  static int incrementRkey(int rkey) {
    return (rkey & 0xffffff00) | ((rkey + 1) & 0xff);
  }

  /**
   * {@code ibv_dealloc_mw}; allowed while bound. On return the window gives access to nothing. A
   * type 2 window whose queue pair was destroyed gives access to nothing, but occupies its region
   * until it is closed.
   */
  @Override
  void close();
}
