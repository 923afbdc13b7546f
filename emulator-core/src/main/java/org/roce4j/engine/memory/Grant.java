package org.roce4j.engine.memory;

/** What a key gives access to at one moment: a region, or the part of one that a window shows. */
sealed interface Grant permits Region, Window.Binding {
  /**
   * Where {@code length} bytes at {@code va} lie in the region beneath, as an offset, or -1 if they
   * may not be used so.
   *
   * @param right of {@link org.roce4j.verbs.AccessFlags}
   * @param asking the domain of the queue pair that asks
   * @param qpNum that queue pair, for windows bound to one
   */
  long locate(long va, long length, int right, Domain asking, int qpNum);

  /** The region whose memory it is. */
  Region region();
}
