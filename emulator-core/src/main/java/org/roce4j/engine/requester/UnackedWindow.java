package org.roce4j.engine.requester;

import org.roce4j.engine.path.PathWindow;
import org.roce4j.engine.queue.SendQueue;
import org.roce4j.wire.Psn;

/**
 * The requester's PSN bookkeeping: the PSNs of each request, the packets sent and acknowledged.
 * PSNs are 64-bit numbers that never wrap; their low 24 bits travel. The bookkeeping is per request
 * and not per packet, so a window of any size costs the same.
 */
final class UnackedWindow {
  /** A requester is at most this far ahead of its oldest unacknowledged PSN (R16). */
  private static final long MOST_AHEAD = 1L << (Psn.BITS - 1);

  private final SendQueue queue;

  /** Oldest unacknowledged PSN. */
  private long oldest;

  /** PSN of the next packet to send; below {@link #highest} while going back. */
  private long next;

  /** The first PSN that was never sent. */
  private long highest;

  /** Index of the request that the next packet belongs to. */
  private long sending;

  /** Index of the first request without PSNs. */
  private long started;

  /** Requests that have PSNs, are not retired, and are answered only by data of their own. */
  private int dataOperations;

  UnackedWindow(SendQueue queue) {
    this.queue = queue;
  }

  /** Nothing outstanding; the next request starts at this PSN. */
  void restart(long psn) {
    oldest = psn;
    next = psn;
    highest = psn;
    sending = queue.head();
    started = queue.head();
    dataOperations = 0;
  }

  /** Oldest unacknowledged PSN. */
  long oldest() {
    return oldest;
  }

  /** PSN of the next packet to send. */
  long next() {
    return next;
  }

  /** The first PSN that was never sent. */
  long highest() {
    return highest;
  }

  boolean outstanding() {
    return oldest < highest;
  }

  /** Whether a next packet of {@code psns} PSNs would be too far ahead (R16). */
  boolean tooFarAhead(int psns) {
    return next + psns - oldest > MOST_AHEAD && outstanding();
  }

  /** Whether the next packet was sent before. */
  boolean resending() {
    return next < highest;
  }

  /**
   * Index of the request that the next packet belongs to; equals {@link #started} if no started
   * request has packets left to send.
   */
  long sending() {
    return sending;
  }

  /** Index of the first request without PSNs. */
  long started() {
    return started;
  }

  int dataOperations() {
    return dataOperations;
  }

  /** Whether a request that has PSNs is answered only by data of its own. */
  boolean needsResponse(int slot) {
    return dataOperations > 0 && RequestKind.of(queue.opcode(slot)).needsResponse();
  }

  /** Gives a request its PSNs; its first packet is sent next. */
  void begin(int slot, int packetCount, int packetsPerRead, boolean needsResponse) {
    queue.started(slot, highest, packetCount, packetsPerRead);
    if (needsResponse) {
      dataOperations++;
    }
    started++;
    if (packetCount == 0) {
      sending = started;
    }
  }

  long firstPsn(int slot) {
    return queue.firstPsn(slot);
  }

  /** The last PSN of a request; for an operation without PSNs, the PSN before its first. */
  long lastPsn(int slot) {
    return queue.firstPsn(slot) + queue.packets(slot) - 1;
  }

  int packets(int slot) {
    return queue.packets(slot);
  }

  /** The next packet's number within its request. */
  int nextIndex() {
    return (int) (next - queue.firstPsn(queue.slot(sending)));
  }

  /**
   * The PSN after the READ request packet that {@code psn} belongs to: a READ is split at fixed
   * PSNs.
   */
  long readEnd(int slot, long psn) {
    int each = queue.packetsPerRead(slot);
    long end = lastPsn(slot) + 1;
    if (each >= queue.packets(slot)) {
      return end;
    }
    long first = queue.firstPsn(slot);
    long part = (psn - first) / each + 1;
    return Math.min(first + part * each, end);
  }

  /** Whether a READ request packet begins at {@code psn} when nothing is lost. */
  boolean readStart(int slot, long psn) {
    long number = psn - queue.firstPsn(slot);
    return number == 0
        || (queue.packetsPerRead(slot) < queue.packets(slot)
            && number % queue.packetsPerRead(slot) == 0);
  }

  /** {@code psns} PSNs from {@link #next} on were sent. */
  void sent(long psns) {
    next += psns;
    highest = Math.max(highest, next);
    if (next > lastPsn(queue.slot(sending))) {
      sending++;
      skipLocal();
    }
  }

  private void skipLocal() {
    while (sending < started && queue.packets(queue.slot(sending)) == 0) {
      sending++;
    }
  }

  /** All PSNs before {@code psn} are acknowledged. */
  void acknowledge(long psn) {
    oldest = psn;
    if (next < oldest) {
      next = oldest;
    }
  }

  /** The oldest request was retired. */
  void retired(boolean neededResponse) {
    if (neededResponse) {
      dataOperations--;
    }
    if (sending < queue.head()) {
      sending = queue.head();
    }
    skipLocal();
  }

  /** Sends again from the oldest unacknowledged PSN. */
  void goBack() {
    next = oldest;
    sending = queue.head();
    skipLocal();
  }

  /** Charge of packets {@code [from, to)} of a request against the path's window. */
  long charge(int slot, int pathMtu, long from, long to) {
    return PathWindow.charge(
        to - from, Segmentation.payloadBetween(queue.length(slot), pathMtu, from, to));
  }
}
