package org.roce4j.port.linux;

import org.roce4j.engine.datagram.Ecn;

/**
 * Decides how a socket is read, by the way its datagrams arrive. {@code recvfrom} takes 0.3 us less
 * than {@code recvmsg} with control data, a sixteenth of the half round trip of 64 bytes, but tells
 * neither TOS nor TTL nor the segment size of a train. So a socket is read without control data
 * only while all of these hold:
 *
 * <ul>
 *   <li>Datagrams come a few at a time, as in a ping-pong. Bursts are rare.
 *   <li>Receive offload is off, so that the kernel splits trains.
 *   <li>Nobody reads TOS and TTL of every datagram.
 *   <li>No sender uses ECN. A sender that does marks all its datagrams in the two low bits of the
 *       TOS (RFC 3168, section 5). One datagram in {@value #SAMPLE} is read with control data,
 *       which tell the TOS and the datagrams that the kernel has dropped. So a congestion mark can
 *       be missed only in the first datagrams of a sender that begins to use ECN.
 * </ul>
 *
 * <p>Not thread-safe: it belongs to the thread that receives.
 */
final class LoneArrivals {
  /** The score from which control data are left out: datagrams, few of them in bursts. */
  static final int MANY = 1024;

  /** The score below which control data are read again. */
  static final int FEW = 512;

  /** Datagrams without an empty read between them that are a burst. */
  static final int BURST = 4;

  /** The points that a burst costs. A thread that was not scheduled for a while finds one. */
  static final int BURST_COST = 64;

  /** Datagrams without an empty read between them that begin a stream. */
  static final int STREAM = 32;

  /** One datagram in this number is read with control data. */
  static final int SAMPLE = 64;

  /**
   * Empty reads after offload was switched off. The kernel may be about to queue a train unsplit,
   * which has passed the check for offload: that takes it a microsecond, three empty reads.
   */
  static final int EMPTY_READS = 64;

  private enum Mode {
    /** Receive offload is on, and control data are read. */
    OFFLOADED,
    /** Offload was switched off; the socket may still hold trains that arrived before. */
    EMPTYING,
    /** Offload is off, and control data are left out. */
    PLAIN
  }

  private Mode mode = Mode.OFFLOADED;

  /** One point for each datagram that came with few others, less the cost of bursts. */
  private int score;

  /** The number of datagrams since the last empty read. */
  private int inARow;

  /** The number of empty reads since offload was switched off. */
  private int emptyReads;

  /** The number of datagrams read without control data since the last sample. */
  private int plainReads;

  /** Whether receive offload is to be on. */
  boolean offload() {
    return mode == Mode.OFFLOADED;
  }

  /** Whether control data are left out, but for samples. */
  boolean lone() {
    return mode == Mode.PLAIN;
  }

  /** Whether the next read is to leave out control data. */
  boolean plain() {
    return lone() && plainReads < SAMPLE - 1;
  }

  /** A datagram was read without control data. */
  void arrivedPlainly() {
    plainReads++;
    count(1);
  }

  /**
   * A message was read with control data.
   *
   * @param datagrams more than 1 for a train
   * @param trafficClass its TOS, or {@link org.roce4j.engine.datagram.Inbound#UNKNOWN}
   */
  void arrived(int datagrams, int trafficClass) {
    plainReads = 0;
    if (Ecn.isUsed(trafficClass)) {
      readFully();
    } else {
      count(datagrams);
    }
  }

  private void count(int datagrams) {
    boolean few = inARow < BURST;
    inARow += datagrams;
    if (inARow >= STREAM) {
      readFully();
    } else if (inARow < BURST) {
      score = Math.min(score + 1, MANY);
    } else if (few) {
      score -= Math.min(score, BURST_COST);
    }
    if (score < FEW) {
      mode = Mode.OFFLOADED;
    } else if (score == MANY && mode == Mode.OFFLOADED) {
      mode = Mode.EMPTYING;
      emptyReads = 0;
    }
  }

  /** A read has found no datagram. */
  void empty() {
    inARow = 0;
    if (mode == Mode.EMPTYING && ++emptyReads == EMPTY_READS) {
      mode = Mode.PLAIN;
    }
  }

  /** Reads control data until datagrams have come a few at a time for long enough. */
  void readFully() {
    mode = Mode.OFFLOADED;
    score = 0;
  }
}
