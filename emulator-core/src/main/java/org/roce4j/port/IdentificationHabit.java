package org.roce4j.port;

import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Transmit;

/**
 * Where the IPv4 identifications of one pair of addresses stand, as the ICRC of what arrived has
 * told. Whoever can forge a source address can forge these numbers too, so a habit may cost its
 * peer little: it is held against a packet only after nothing has contradicted it for a second, or
 * after so much damage that this packet may well be damage too.
 */
final class IdentificationHabit {
  static final int FORWARD = 512;
  static final int BACKWARD = 64;

  /** What emulators send: 0, or the index within a train, wherever the train was taken apart. */
  static final int TRAIN = Transmit.MAX_SEGMENTS;

  /** How long a habit must have gone uncontradicted before it is held against a packet. */
  static final long HELD_NS = 1_000_000_000;

  /** Or how much damage must have come since: one damaged packet in 65536 has an identification. */
  static final int DAMAGED = 1024;

  private static final long TICK_NS = 1_000_000;

  /** A pause after which half of all identifications would be plausible: start anew. */
  private static final int FORGOTTEN_TICKS = 1 << 15;

  /** Source address in the upper half, local address in the lower. */
  private long pair;

  private int last;
  private long seenNs;
  private long heldSinceNs;
  private int damaged;

  /** Whether the newest packet was like an emulator's. */
  private boolean train;

  /** Becomes that of these addresses, with one packet. */
  void begin(long addresses, int identification, long nowNs) {
    pair = addresses;
    damaged = 0;
    train = identification < TRAIN;
    begin(identification, nowNs);
  }

  private void begin(int identification, long nowNs) {
    last = identification;
    seenNs = nowNs;
    heldSinceNs = nowNs;
  }

  boolean of(long addresses) {
    return pair == addresses;
  }

  boolean silentLongerThan(IdentificationHabit other) {
    return seenNs - other.seenNs < 0;
  }

  /** What the next packet bears if nothing odd happens: saves solving for it. */
  int guess(int trainIndex) {
    return train ? trainIndex : last + 1 & 0xFFFF;
  }

  /** A packet came that is wrong whatever its identification. */
  void damaged() {
    damaged = Math.min(damaged + 1, DAMAGED);
  }

  /** Judges a packet that is right with this identification and with no other. */
  IcrcVerdict judge(int identification, long nowNs) {
    train = identification < TRAIN;
    int ahead = forward(last, identification);
    boolean follows = !train && ahead <= FORWARD;
    if (train || follows || forward(identification, last) <= BACKWARD) {
      // Only what follows moves the habit: what anybody may send says nothing of this peer.
      last = follows ? identification : last;
      seenNs = nowNs;
      return IcrcVerdict.RIGHT;
    }
    long ticks = (nowNs - seenNs) / TICK_NS;
    boolean afterPause = ticks >= FORGOTTEN_TICKS || ahead <= FORWARD + ticks;
    if (!afterPause && (nowNs - heldSinceNs >= HELD_NS || damaged == DAMAGED)) {
      heldSinceNs = nowNs;
      damaged = 0;
      return IcrcVerdict.WRONG;
    }
    begin(identification, nowNs);
    return IcrcVerdict.SOLVED;
  }

  private static int forward(int from, int to) {
    return to - from & 0xFFFF;
  }
}
