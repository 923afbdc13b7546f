package org.roce4j.engine.path;

import org.roce4j.engine.time.Deadline;
import org.roce4j.verbs.Gid;

/**
 * Bounds the bytes in flight to one peer address, over all queue pairs, because packets that
 * overrun the receive buffer of the peer's socket are lost. It counts payload bytes plus a fixed
 * charge per packet, because the kernel's bookkeeping takes more memory than a small payload.
 * Acknowledgements increase the window additively; a loss reduces it by a quarter.
 *
 * <p>Queue pairs that find no room wait in line. A queue pair whose peer is gone must not block the
 * others. Therefore, while queue pairs wait, the window checks from time to time ({@link #watched})
 * whether a packet sent since the previous check was acknowledged. If so, all packets sent earlier
 * have left the peer's buffer, acknowledged or not, and are forgiven: they count against their own
 * queue pair only. If nothing was acknowledged, a queue pair with nothing in flight may send one
 * packet beyond the window, as a probe. Confined to the engine's owner.
 */
public final class PathWindow {
  /** Charge per packet in addition to its payload, in bytes. */
  public static final int PACKET_CHARGE = 256;

  /**
   * The least time between two checks, because a peer that is briefly not scheduled is not gone.
   */
  public static final long LEAST_PATIENCE_NS = 1_000_000;

  /**
   * After this time without an acknowledgement, while queue pairs wait, everything is forgiven,
   * because there may be no queue pair that could send a probe.
   */
  public static final long STANDSTILL_NS = 100_000_000;

  /** Less than a default Linux receive buffer holds of 4 KiB packets sent in trains. */
  private static final long INITIAL_BYTES = 32L * (4096 + PACKET_CHARGE);

  private static final long LEAST_BYTES = 8L * (4096 + PACKET_CHARGE);

  /** The greatest number of queue pairs that one check examines for a probe. */
  private static final int MOST_ASKED = 64;

  private final Gid peer;
  private final Deadline look;

  /** The lower bound of {@link #limitBytes}. */
  private final long leastBytes;

  /** The upper bound of {@link #limitBytes}. */
  private final long mostBytes;

  /** The window: payload and {@link #PACKET_CHARGE} of the packets that may be in flight. */
  private long limitBytes;

  /** In-flight bytes sent since the last check. */
  private long recentBytes;

  /** In-flight bytes sent before the last check. */
  private long olderBytes;

  /** In-flight bytes that count only against the queue pairs that sent them. */
  private long forgivenBytes;

  /** Bytes acknowledged since the window last grew or shrank. */
  private long acknowledgedBytes;

  /** Bytes acknowledged since the path is known. */
  private long deliveredBytes;

  /** Whether a queue pair found no room since anything that counts has left. */
  private boolean usedUp;

  /** Whether waiting queue pairs are being resumed. */
  private boolean admitting;

  private final PathShare line = new PathShare(() -> {});
  private final RoundTrip roundTrip = new RoundTrip();

  /**
   * The number of checks so far. Packets sent before the end of period {@link #forgivenUntil} are
   * forgiven.
   */
  private long period;

  /** See {@link #period}; -1: nothing was forgiven. */
  private long forgivenUntil = -1;

  /** The length of the current period. */
  private long intervalNs;

  /**
   * Nanoseconds since a check last found an acknowledgement of a packet sent after the check before
   * it.
   */
  private long unprovenNs;

  /** Whether a packet sent in the current period was acknowledged. */
  private boolean proven;

  /** Whether a queue pair waited at the last check, or found no room since. */
  private boolean waitedFor;

  /** {@link #deliveredBytes} at the last check. */
  private long deliveredBefore;

  /** Whether one packet may be sent beyond the window. */
  private boolean pass;

  /**
   * @param leastBytes lower bound of the window
   * @param initialBytes initial window
   * @param mostBytes upper bound of the window
   */
  public PathWindow(long leastBytes, long initialBytes, long mostBytes) {
    this(Gid.ZERO, leastBytes, initialBytes, mostBytes, (window, nowNs) -> {});
  }

  private PathWindow(
      Gid peer, long leastBytes, long initialBytes, long mostBytes, Watcher watcher) {
    this.peer = peer;
    look = new Deadline(nowNs -> watcher.look(this, nowNs));
    this.leastBytes = leastBytes;
    this.limitBytes = initialBytes;
    this.mostBytes = mostBytes;
  }

  /**
   * The initial window of a path.
   *
   * @param watcher called when {@link #look} is due
   */
  public static PathWindow upTo(Gid peer, long mostBytes, Watcher watcher) {
    return new PathWindow(
        peer, LEAST_BYTES, INITIAL_BYTES, Math.max(mostBytes, INITIAL_BYTES), watcher);
  }

  /** Calls {@link #watched} while queue pairs wait for a window. */
  public interface Watcher {
    void look(PathWindow window, long nowNs);
  }

  /** The charge of {@code packets} packets that carry {@code payloadBytes} together. */
  public static long charge(long packets, long payloadBytes) {
    return payloadBytes + packets * PACKET_CHARGE;
  }

  // ---- what is in flight, as the shares tell

  /** Whether {@code chargeBytes} more may be sent now; an empty path always takes one packet. */
  boolean admits(long chargeBytes) {
    return inFlightBytes() == 0 || pass || hasRoom(chargeBytes);
  }

  boolean hasRoom(long chargeBytes) {
    return inFlightBytes() + chargeBytes <= limitBytes;
  }

  void sent(long chargeBytes) {
    recentBytes += chargeBytes;
    pass = false;
  }

  /** Removes bytes that were acknowledged or withdrawn. */
  void left(long forgiven, long older, long recent) {
    forgivenBytes -= forgiven;
    olderBytes -= older;
    recentBytes -= recent;
    usedUp &= older + recent == 0;
    assert forgivenBytes >= 0 && olderBytes >= 0 && recentBytes >= 0 : "path window below zero";
  }

  /**
   * Grows the window by one packet for each full window that is acknowledged.
   *
   * @param recent whether it includes bytes sent since the last check
   */
  void acknowledged(long chargeBytes, boolean recent) {
    proven |= recent;
    deliveredBytes += chargeBytes;
    acknowledgedBytes += chargeBytes;
    if (acknowledgedBytes >= limitBytes) {
      acknowledgedBytes = 0;
      limitBytes = Math.min(mostBytes, limitBytes + 4096 + PACKET_CHARGE);
    }
  }

  long period() {
    return period;
  }

  long forgivenUntil() {
    return forgivenUntil;
  }

  /**
   * A loss occurred on this path: the window shrinks by a quarter. Halving it, as TCP once did,
   * gives two thirds of this window at random loss, and shorter trains.
   */
  public void lost() {
    acknowledgedBytes = 0;
    limitBytes = Math.max(leastBytes, limitBytes - limitBytes / 4);
  }

  // ---- those that wait

  /** Queues a queue pair that found no room. No other is admitted until there is room again. */
  public void await(PathShare queuePair) {
    queuePair.queue(line);
    usedUp = true;
    waitedFor = true;
  }

  /** The deadline of the next {@link #watched}; set while queue pairs wait. */
  public Deadline look() {
    return look;
  }

  /** Starts the checks, because a queue pair waits. Returns nanoseconds until {@link #watched}. */
  public long watch() {
    unprovenNs = 0;
    return nextPeriod();
  }

  /**
   * Checks whether packets in flight still block other queue pairs.
   *
   * @return nanoseconds until the next check; 0: no queue pair waits
   */
  public long watched() {
    if (!waitedFor) {
      pass = false;
      return 0;
    }
    waitedFor = line.isWaiting();
    unprovenNs = proven ? 0 : unprovenNs + intervalNs;
    if (proven) {
      forgive(period, olderBytes);
    } else if (deliveredBytes == deliveredBefore) {
      if (unprovenNs >= STANDSTILL_NS) {
        forgive(period + 1, olderBytes + recentBytes);
        lost();
      } else {
        letOnePass();
      }
    }
    return nextPeriod();
  }

  /**
   * Starts the next period, which is the longer the longer nothing was acknowledged, because only a
   * period longer than a round trip can prove anything.
   */
  private long nextPeriod() {
    olderBytes += recentBytes;
    recentBytes = 0;
    period++;
    proven = false;
    deliveredBefore = deliveredBytes;
    intervalNs = Math.clamp(unprovenNs, LEAST_PATIENCE_NS, STANDSTILL_NS);
    return intervalNs;
  }

  /** Forgives the packets sent before the end of a period. */
  private void forgive(long untilPeriod, long bytes) {
    forgivenUntil = untilPeriod;
    forgivenBytes += bytes;
    long kept = olderBytes + recentBytes - bytes;
    olderBytes = 0;
    recentBytes = kept;
    usedUp &= bytes == 0;
  }

  /**
   * Moves a queue pair with nothing in flight to the front of the line and lets it send one packet
   * beyond the window.
   */
  private void letOnePass() {
    for (int i = 0; i < MOST_ASKED && line.isWaiting(); i++) {
      PathShare first = line.after();
      if (first.inFlightBytes() == 0) {
        pass = true;
        usedUp = false;
        return;
      }
      first.leaveLine();
      first.queue(line);
    }
  }

  /**
   * Starts admitting if there may be room.
   *
   * @return whether queue pairs wait and the caller must call {@link #admitNext} until it returns
   *     false
   */
  public boolean mayAdmit() {
    if (!line.isWaiting() || usedUp || admitting) {
      return false;
    }
    admitting = true;
    return true;
  }

  /** Resumes the first queue pair in the line; false if there is no room or none waits. */
  public boolean admitNext() {
    admitting = line.isWaiting() && !usedUp && (pass || inFlightBytes() < limitBytes);
    if (!admitting) {
      return false;
    }
    PathShare first = line.after();
    first.leaveLine();
    first.waiter().resume();
    return true;
  }

  /** Removes a destroyed queue pair from the line. */
  public void forget(PathShare queuePair) {
    queuePair.leaveLine();
  }

  /** Bytes acknowledged since the path is known, counted as in {@link #limitBytes}. */
  public long deliveredBytes() {
    return deliveredBytes;
  }

  /** The address of the peer. */
  public Gid peer() {
    return peer;
  }

  public RoundTrip roundTrip() {
    return roundTrip;
  }

  public long limitBytes() {
    return limitBytes;
  }

  /** Bytes in flight that count against every queue pair. */
  public long inFlightBytes() {
    return olderBytes + recentBytes;
  }

  /** Whether nothing is in flight, not even forgiven bytes. */
  public boolean isEmpty() {
    return olderBytes == 0 && recentBytes == 0 && forgivenBytes == 0;
  }

  /** Forgiven bytes in flight, which count only against the queue pairs that sent them. */
  public long forgivenBytes() {
    return forgivenBytes;
  }
}
