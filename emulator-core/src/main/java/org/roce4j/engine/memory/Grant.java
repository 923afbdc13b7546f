package org.roce4j.engine.memory;

/**
 * The access that a key gives at one moment: to a region, or to the part of a region that a window
 * covers.
 */
sealed interface Grant permits Region, Window.Binding {
  /**
   * The offset in the region of {@code length} bytes at {@code va}; -1 if the access is not
   * allowed.
   *
   * @param right right of {@link org.roce4j.verbs.AccessFlags}
   * @param asking the queue pair that accesses the memory
   */
  long locate(long va, long length, int right, Accessor asking);

  /**
   * Begins a copy. A thread that revokes the access waits for the end of the copy.
   *
   * @return false if the access was revoked; otherwise {@link #endCopy} must follow
   */
  boolean beginCopy();

  /** The copy is done. */
  void endCopy();

  /** The region whose memory is accessed. */
  Region region();
}
