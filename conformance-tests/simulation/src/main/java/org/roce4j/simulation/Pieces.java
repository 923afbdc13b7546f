package org.roce4j.simulation;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.SplittableRandom;

/** The scattered memory of a request. */
final class Pieces {
  private Pieces() {}

  /**
   * Takes {@code bytes} in up to {@code most} pieces; false, with nothing taken, if there is no
   * room.
   */
  static boolean take(
      List<Extent> pieces, Zone zone, int bytes, int most, SplittableRandom random) {
    int left = bytes;
    while (left > 0) {
      int part =
          pieces.size() == most - 1 || random.nextBoolean() ? left : 1 + random.nextInt(left);
      Extent piece = zone.take(part, 1, random);
      if (piece == null) {
        pieces.forEach(zone::give);
        pieces.clear();
        return false;
      }
      pieces.add(piece);
      left -= part;
    }
    return true;
  }

  /** Visits each piece with its part of the payload, in order. */
  static void forEach(List<Extent> pieces, MemorySegment payload, Visitor visitor) {
    long at = 0;
    for (Extent piece : pieces) {
      long from = Math.min(at, payload.byteSize());
      long to = Math.min(at + piece.length, payload.byteSize());
      visitor.visit(piece, payload.asSlice(from, to - from));
      at += piece.length;
    }
  }

  /** Copies the first {@code bytes} bytes of the pieces, in order. */
  static void gather(List<Extent> pieces, MemorySegment into, int bytes) {
    long at = 0;
    for (Extent piece : pieces) {
      long part = Math.min(piece.length, bytes - at);
      MemorySegment.copy(piece.memory.bytes(piece), 0, into, at, part);
      at += part;
    }
  }

  /** Receives a piece and the bytes at its start. */
  interface Visitor {
    void visit(Extent piece, MemorySegment bytes);
  }
}
