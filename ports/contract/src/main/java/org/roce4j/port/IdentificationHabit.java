package org.roce4j.port;

import org.roce4j.engine.datagram.IcrcVerdict;
import org.roce4j.engine.datagram.Transmit;

/**
 * The recent IPv4 identifications of one counter of a peer, computed from ICRCs. An attacker that
 * forges a source address can forge identifications too, so a habit must not cost its peer many
 * packets: it refuses a packet only if nothing has contradicted it for a second, or after {@value
 * #DAMAGED} damaged packets, when this one is probably damaged too.
 */
final class IdentificationHabit {
  static final int FORWARD = 512;
  static final int BACKWARD = 64;

  /** Emulators send identifications below this: 0, or the index within a train. */
  static final int TRAIN = Transmit.MAX_SEGMENTS;

  /** A habit refuses packets after this many nanoseconds without contradiction. */
  static final long HELD_NS = 1_000_000_000;

  /**
   * It also refuses packets after this many damaged ones, because one damaged packet in 65536 seems
   * right for some identification.
   */
  static final int DAMAGED = 1024;

  private static final long TICK_NS = 1_000_000;

  /** A pause in milliseconds after which every identification is plausible. */
  private static final int FORGOTTEN_TICKS = 1 << 15;

  /** The pair of addresses: source in the upper half, local in the lower. */
  private long pair;

  /** The UDP source port, if it has a counter of its own; else 0. */
  private int port;

  private int last;
  private long seenNs;
  private long heldSinceNs;
  private int damaged;

  /** Whether the newest identification was below {@link #TRAIN}. */
  private boolean train;

  /** Starts the habit of a counter with one identification. */
  void begin(long addresses, int ofPort, int identification, long nowNs) {
    pair = addresses;
    port = ofPort;
    damaged = 0;
    train = identification < TRAIN;
    begin(identification, nowNs);
  }

  private void begin(int identification, long nowNs) {
    last = identification;
    seenNs = nowNs;
    heldSinceNs = nowNs;
  }

  boolean of(long addresses, int ofPort) {
    return pair == addresses && port == ofPort;
  }

  boolean silentLongerThan(IdentificationHabit other) {
    return seenNs - other.seenNs < 0;
  }

  /** The identification expected of the next packet. If it is right, none need be computed. */
  int guess(int trainIndex) {
    return train ? trainIndex : last + 1 & 0xFFFF;
  }

  /** Counts a packet whose ICRC is wrong for every identification. */
  void damaged() {
    damaged = Math.min(damaged + 1, DAMAGED);
  }

  /** Judges a packet whose ICRC is right for this identification only. */
  IcrcVerdict judge(int identification, long nowNs) {
    train = identification < TRAIN;
    int ahead = forward(last, identification);
    boolean follows = !train && ahead <= FORWARD;
    if (train || follows || forward(identification, last) <= BACKWARD) {
      // Only an identification that follows the last one moves the habit; values below TRAIN do
      // not.
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
