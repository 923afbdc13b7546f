package org.roce4j.engine.memory;

/**
 * What a key gives access to at one moment: a region, or the part of a region that a window shows.
 */
sealed interface Grant permits Region, Window.Binding {
  /**
   * Where {@code length} bytes at {@code va} lie in the region beneath, as an offset, or -1 if they
   * may not be used so.
   *
   * @param right of {@link org.roce4j.verbs.AccessFlags}
   * @param asking the queue pair that asks
   */
  long locate(long va, long length, int right, Accessor asking);

  /**
   * Announces a copy: a thread that takes the access away waits for its end.
   *
   * @return false if it has been taken away; otherwise {@link #endCopy} must follow
   */
  boolean beginCopy();

  /** The copy is done. */
  void endCopy();

  /** The region whose memory it is. */
  Region region();
}
