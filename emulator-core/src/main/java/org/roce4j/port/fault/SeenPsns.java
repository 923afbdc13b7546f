package org.roce4j.port.fault;

import java.nio.ByteBuffer;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Psn;

/**
 * The highest PSN to each queue pair in each direction, separately for requests and responses; a
 * packet of unknown opcode counts as a request. The table has a fixed size: if two queue pairs
 * share a place, the newer one takes it, and the other's next PSN counts as new.
 */
final class SeenPsns {
  private static final int PLACES = 1 << 12;
  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

  /** Direction, kind and queue pair of each place; 0: free. */
  private final long[] keys = new long[PLACES];

  private final int[] highest = new int[PLACES];

  /** Whether packets of an opcode have a PSN that tells new ones from repeated ones. */
  static boolean counts(int opcode) {
    return opcode != Opcode.CNP.code();
  }

  PacketState see(FaultDirection direction, ByteBuffer buffer, int at, int length) {
    if (length < Bth.SIZE || !counts(Bth.opcode(buffer, at))) {
      return PacketState.NEW;
    }
    Opcode known = Opcode.of(Bth.opcode(buffer, at));
    boolean response = known != null && known.response();
    long key =
        1L << 40
            | (long) direction.ordinal() << 33
            | (response ? 1L << 32 : 0)
            | Bth.destQp(buffer, at);
    int place = (int) (key * MIX >>> 52);
    int psn = Bth.psn(buffer, at);
    if (keys[place] == key && Psn.compare(psn, highest[place]) <= 0) {
      return PacketState.REPEATED;
    }
    keys[place] = key;
    highest[place] = psn;
    return PacketState.NEW;
  }
}
