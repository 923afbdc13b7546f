package org.roce4j.simulation;

import org.roce4j.verbs.text.Wording;

/** The bytes {@code [at, at + length)} of a {@link ModelledMemory}, taken for one purpose. */
final class Extent {
  final ModelledMemory memory;
  final Zone zone;
  final int at;
  final int length;

  /** Whether the network may be writing the extent, so that its bytes are not known. */
  boolean undetermined;

  Extent(ModelledMemory memory, Zone zone, int at, int length) {
    this.memory = memory;
    this.zone = zone;
    this.at = at;
    this.length = length;
  }

  int end() {
    return at + length;
  }

  @Override
  public String toString() {
    return Wording.of("bytes %d..%d of %s", at, end(), zone);
  }
}
