package org.roce4j.port.fault;

import java.nio.ByteBuffer;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;
import org.roce4j.wire.Psn;

/**
 * The highest PSN of each queue pair, either way, of requests and of responses apart. A table of
 * fixed size: where two meet, the newer one takes the place, and what follows counts as new.
 */
final class SeenPsns {
  private static final int PLACES = 1 << 12;
  private static final int OPERATION = 0x1F;
  private static final int FIRST_RESPONSE = 0x0D;
  private static final int LAST_RESPONSE = 0x12;
  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;

  /** 0: nobody's. */
  private final long[] keys = new long[PLACES];

  private final int[] highest = new int[PLACES];

  PacketState see(FaultDirection direction, ByteBuffer buffer, int at, int length) {
    if (length < Bth.SIZE || Bth.opcode(buffer, at) == Opcode.CNP.code()) {
      return PacketState.NEW;
    }
    int operation = Bth.opcode(buffer, at) & OPERATION;
    boolean response = operation >= FIRST_RESPONSE && operation <= LAST_RESPONSE;
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
