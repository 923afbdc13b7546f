package org.roce4j.device;

import org.roce4j.wire.Opcode;

/** The rules for the arguments of {@code ibv_wr_flush}. */
final class FlushRule {
  private static final int EVERY_PLACEMENT = 3;

  private FlushRule() {}

  /** The mistake in the arguments, for messages; null: none. */
  static String broken(long length, int placement, int selectivity) {
    if (placement < 1 || placement > EVERY_PLACEMENT) {
      return "placement must be 1 (global visibility), 2 (persistence) or both, not " + placement;
    }
    if (selectivity != 0 && selectivity != 1) {
      return "selectivity must be 0 (the range) or 1 (the memory region), not " + selectivity;
    }
    return length < 0 || length > Opcode.MOST_MESSAGE_BYTES
        ? "a FLUSH names at most 2^31 bytes, not "
            + length
            + ": flush the region, or piece by piece"
        : null;
  }
}
