package org.roce4j.fabric;

/** A 64-bit hash of all events so far: equal runs have equal digests. */
final class RunDigest {
  private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

  private long hash = MULTIPLIER;

  long value() {
    return hash;
  }

  void add(long nowNs, int what, FabricDatagram datagram) {
    add(nowNs);
    add((long) what << 32 | datagram.length);
    add(datagram.sourceHigh);
    add(datagram.sourceLow);
    add(datagram.destinationHigh);
    add(datagram.destinationLow);
    add(
        (long) datagram.sourcePort << 32
            | datagram.identification << 16
            | datagram.trafficClass << 8
            | datagram.hopLimit);
    int at = FabricDatagram.AT;
    int end = at + datagram.length;
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      add(datagram.buffer.getLong(at));
    }
    for (; at < end; at++) {
      add(datagram.buffer.get(at));
    }
  }

  private void add(long value) {
    long mixed = (hash ^ value) * MULTIPLIER;
    hash = mixed ^ mixed >>> 29;
  }
}
