package org.roce4j.conformance.remote;

import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/**
 * The queue pair that a dialogue is about, in RTS, with the verbs that a dialogue needs. One region
 * holds everything: bytes 0 to {@link #HALF} are the pattern that requests send, the rest is empty,
 * for what is received. Every failure is an exception with the reason.
 */
public interface Subject extends AutoCloseable {
  /** Where the empty half of the region begins, bytes. */
  int HALF = 1 << 14;

  int qpNum();

  int rkey();

  /** Address of the region. */
  long base();

  /** Address of byte {@code i} of the pattern. */
  default long patternVa(int i) {
    return base() + i;
  }

  /** Address of byte {@code i} of the empty half. */
  default long va(int i) {
    return base() + HALF + i;
  }

  /**
   * Posts a signaled request of so many bytes: of the pattern, or into the empty half what it
   * fetches.
   *
   * @param operand added or compared, for atomics
   * @param swap for compare-and-swap
   */
  void post(
      WrOpcode opcode, long wrId, int bytes, long remoteVa, int rkey, long operand, long swap);

  /** Posts a receive of so many bytes of the empty half. */
  void receive(long wrId, int bytes);

  /**
   * The next send completion.
   *
   * @param wait until it comes, else only what is there
   * @return null if there is none
   */
  Completed sent(boolean wait);

  /** The next receive completion, likewise. */
  Completed received(boolean wait);

  /** The next asynchronous event of the device, acknowledged; null if none comes soon. */
  EventType event();

  QpState state();

  /** Eight bytes of the empty half as a number in the host's order. */
  long word(int offset);

  void word(int offset, long value);

  /** Bytes {@code [from, to)} of the empty half. */
  byte[] bytes(int from, int to);

  /** Moves on with nothing but the state. */
  void move(QpState to);

  @Override
  void close();

  /**
   * A completion.
   *
   * @param bytes meaningful for a success
   */
  record Completed(long wrId, WcStatus status, int bytes) {}

  /** The target cannot do this. */
  final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Refused(String why) {
      super(why);
    }
  }
}
