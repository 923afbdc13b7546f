package org.roce4j.simulation;

import java.util.List;
import org.roce4j.verbs.text.Wording;

/** A posted receive request. */
final class PostedReceive {
  final long wrId;
  final List<Extent> pieces;
  final int capacity;

  PostedReceive(long wrId, List<Extent> pieces) {
    this.wrId = wrId;
    this.pieces = pieces;
    this.capacity = pieces.stream().mapToInt(piece -> piece.length).sum();
  }

  @Override
  public String toString() {
    return Wording.of("receive of up to %d bytes, wr_id=0x%x", capacity, wrId);
  }
}
