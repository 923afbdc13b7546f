package org.roce4j.engine.path;

import org.roce4j.engine.time.Deadline;
import org.roce4j.verbs.Gid;

/**
 * What may be in flight to one peer address, over all queue pairs: a packet that overruns the
 * receive buffer of the peer's socket is lost by our own fault. Counted in bytes of payload plus a
 * fixed charge per packet, because the kernel's bookkeeping weighs more than a small payload.
 * Additive increase while acknowledgements come, a quarter less on loss.
 *
 * <p>Queue pairs that find no room wait in line. A queue pair whose peer is gone must not keep the
 * others waiting: while any wait, the window looks from time to time ({@link #watched}) whether
 * anything sent since the previous look was acknowledged. If so, all that was sent earlier has left
 * the peer's buffer, acknowledged or not, and is forgiven: it counts against its own queue pair
 * only. If nothing was acknowledged at all, a queue pair with nothing in flight may send one packet
 * past the window, to find out. Confined to the engine's owner.
 */
public final class PathWindow {
  /** Charge per packet beside its payload, bytes. */
  public static final int PACKET_CHARGE = 256;

  /** The least time between two looks: a peer that is scheduled out for a moment is not gone. */
  public static final long LEAST_PATIENCE_NS = 1_000_000;

  /**
   * After this time without an acknowledgement, while queue pairs wait, all is forgiven: there may
   * be no queue pair left that could find out by one packet.
   */
  public static final long STANDSTILL_NS = 100_000_000;

  /** What a default Linux receive buffer holds of trained 4 KiB packets, with room to spare. */
  private static final long INITIAL_BYTES = 32L * (4096 + PACKET_CHARGE);

  private static final long LEAST_BYTES = 8L * (4096 + PACKET_CHARGE);

  /** Queue pairs that are asked at one look whether they have nothing in flight. */
  private static final int MOST_ASKED = 64;

  private final Gid peer;
  private final Deadline look;
  private final long leastBytes;
  private final long mostBytes;
  private long limitBytes;

  /** In flight: sent since the last look, sent before it, and what keeps nobody else out. */
  private long recentBytes;

  private long olderBytes;
  private long forgivenBytes;

  private long acknowledgedBytes;
  private long deliveredBytes;
  private boolean usedUp;
  private boolean admitting;
  private final PathShare line = new PathShare(() -> {});
  private final RoundTrip roundTrip = new RoundTrip();

  /** Looks so far; what was sent before the end of period {@link #forgivenUntil} is forgiven. */
  private long period;

  private long forgivenUntil = -1;
  private long intervalNs;

  /** Since a packet was acknowledged that was sent after the look before. */
  private long unprovenNs;

  private boolean proven;
  private boolean waitedFor;
  private long deliveredBefore;

  /** One packet may go past the window. */
  private boolean pass;

  /**
   * @param leastBytes the window never falls below this
   * @param initialBytes where it starts
   * @param mostBytes it never grows above this
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
   * The window of a path that nothing is known about yet.
   *
   * @param watcher called when {@link #look} is due
   */
  public static PathWindow upTo(Gid peer, long mostBytes, Watcher watcher) {
    return new PathWindow(
        peer, LEAST_BYTES, INITIAL_BYTES, Math.max(mostBytes, INITIAL_BYTES), watcher);
  }

  /** Looks after a window while somebody waits: calls {@link #watched}. */
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

  /** Acknowledged or withdrawn. */
  void left(long forgiven, long older, long recent) {
    forgivenBytes -= forgiven;
    olderBytes -= older;
    recentBytes -= recent;
    usedUp &= older + recent == 0;
    assert forgivenBytes >= 0 && olderBytes >= 0 && recentBytes >= 0 : "path window below zero";
  }

  /**
   * Acknowledgements let the window grow by one packet per window acknowledged.
   *
   * @param recent whether what was sent since the last look is among it
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
   * A loss was seen on this path. Halved, as TCP once did, the window settles at two thirds of this
   * where loss is random, and trains are shorter.
   */
  public void lost() {
    acknowledgedBytes = 0;
    limitBytes = Math.max(leastBytes, limitBytes - limitBytes / 4);
  }

  // ---- those that wait

  /** Queues a queue pair that found no room; nobody is admitted until some is made. */
  public void await(PathShare queuePair) {
    queuePair.queue(line);
    usedUp = true;
    waitedFor = true;
  }

  /** When {@link #watched} is to be called, which is while somebody waits. */
  public Deadline look() {
    return look;
  }

  /** Begins to look, because somebody waits. Returns nanoseconds until {@link #watched}. */
  public long watch() {
    unprovenNs = 0;
    return nextPeriod();
  }

  /**
   * Looks whether what is in flight may keep others out any longer.
   *
   * @return nanoseconds until the next look; 0: nobody waits
   */
  public long watched() {
    if (!line.isWaiting() && !waitedFor) {
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
   * The longer nothing is proven, the later is the next look: only a period longer than a round
   * trip can prove anything.
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

  /** Forgives all that was sent before a period; the next one begins at once. */
  private void forgive(long untilPeriod, long bytes) {
    forgivenUntil = untilPeriod;
    forgivenBytes += bytes;
    long kept = olderBytes + recentBytes - bytes;
    olderBytes = 0;
    recentBytes = kept;
    usedUp &= bytes == 0;
  }

  /**
   * Puts a queue pair with nothing in flight first in the line, and lets it send past the window.
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
   * There may be room again.
   *
   * @return whether somebody waits and {@link #admitNext} is to be called now until it returns
   *     false
   */
  public boolean mayAdmit() {
    if (!line.isWaiting() || usedUp || admitting) {
      return false;
    }
    admitting = true;
    return true;
  }

  /** Lets the first that waits try again; false: no room, or nobody waits. */
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

  /** A queue pair that is gone waits no more. */
  public void forget(PathShare queuePair) {
    queuePair.leaveLine();
  }

  /** What was acknowledged since the path is known; what {@link #limitBytes} is measured in. */
  public long deliveredBytes() {
    return deliveredBytes;
  }

  /** Whose address it is. */
  public Gid peer() {
    return peer;
  }

  public RoundTrip roundTrip() {
    return roundTrip;
  }

  public long limitBytes() {
    return limitBytes;
  }

  /** What counts against everybody who wants to send. */
  public long inFlightBytes() {
    return olderBytes + recentBytes;
  }

  /** Whether nothing is in flight, as where nobody has a share. */
  public boolean isEmpty() {
    return olderBytes == 0 && recentBytes == 0 && forgivenBytes == 0;
  }

  /** What is in flight besides, and counts against the queue pairs that sent it. */
  public long forgivenBytes() {
    return forgivenBytes;
  }
}
