package org.roce4j.verbs;

/** {@code struct ibv_mw}: remote rights to a part of a region. Thread-safe. */
public interface MemoryWindow extends AutoCloseable {
  /** The domain it was allocated in; the region that it is bound to is of the same. */
  ProtectionDomain pd();

  /**
   * Who binds it: type 1 by its domain alone, type 2 by one queue pair, which alone is served
   * through it.
   */
  MwType type();

  /** A dense number of this object within its context. */
  int handle();

  /** What stands for this window in {@code bind_mw.mw}. */
  long nativeHandle();

  /**
   * The current remote key; binding changes its low byte. Of type 1 it is the key of the bind that
   * was posted last. Binds of one window that are posted to several queue pairs are carried out in
   * any order, each with a key of its own.
   */
  int rkey();

  /** {@code ibv_inc_rkey}: the same key with the low byte one higher, modulo 256. */
  static int incrementRkey(int rkey) {
    return (rkey & 0xffffff00) | ((rkey + 1) & 0xff);
  }

  /**
   * {@code ibv_dealloc_mw}; allowed while bound. On return nothing is reached through the window
   * any more. A type 2 window whose queue pair was destroyed gives access to nothing, but occupies
   * its region until it is closed.
   */
  @Override
  void close();
}
