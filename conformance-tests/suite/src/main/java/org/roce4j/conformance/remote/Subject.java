package org.roce4j.conformance.remote;

import org.roce4j.verbs.EventType;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;

/**
 * The queue pair that a dialogue is about, with the verbs that a dialogue needs. One region holds
 * everything: bytes 0 to {@link #HALF} are the pattern that requests send, the rest is empty, for
 * what is received. Arguments and results are such that {@link Words} can carry them to another
 * machine. Every failure is an exception with the reason.
 */
public interface Subject extends AutoCloseable {
  /** Where the empty half of the region begins, bytes. */
  int HALF = 1 << 16;

  int qpNum();

  /** Number of the shared receive queue of an XRC_RECV queue pair; 0: there is none. */
  int srqNum();

  /** Destroys the shared receive queue. */
  void destroySrq();

  /**
   * Makes one more shared receive queue of type XRC, with a protection domain of its own.
   *
   * @param sameDomain whether in the XRC domain of the first
   * @return its number
   */
  int anotherSrq(boolean sameDomain);

  int lkey();

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
   * Posts a list of send requests.
   *
   * @param words calls of {@link org.roce4j.verbs.SendRequestList}, after its first {@code add}; an
   *     address, or {@code peer} for that of the other end, stands for an address handle, a window
   *     and {@code region} for themselves
   * @return 0 or an errno
   */
  int postSend(String... words);

  /**
   * Posts a list of receive requests, to the shared queue if there is one.
   *
   * @param words calls of {@link org.roce4j.verbs.RecvRequestList}, after its first {@code add}
   * @return 0 or an errno
   */
  int postRecv(String... words);

  /**
   * Takes the queue pair forward with the attributes of the setup.
   *
   * @param to INIT, RTR or RTS
   */
  void bringUp(QpState to);

  /**
   * Modifies the queue pair.
   *
   * @param words setters of {@link org.roce4j.verbs.QpAttr}
   */
  void modify(String... words);

  /** Text of an attribute that the queue pair tells, by its getter. */
  String query(String attribute);

  /** Allocates a memory window and calls it so. */
  void allocWindow(String name, MwType type);

  /** The window's current key. */
  int windowKey(String name);

  /**
   * Binds a window of type 1, signaled, with request number 0.
   *
   * @param region {@code region}, or {@code none} to unbind it
   */
  void bindWindow(String name, String region, long va, long length, int access);

  void freeWindow(String name);

  /** Deregisters the region. */
  void deregister();

  /**
   * Gives the region other rights.
   *
   * @param access of {@link org.roce4j.verbs.AccessFlags}
   */
  void reregister(int access);

  /** Arms the completion queue of receives. */
  void arm(boolean solicitedOnly);

  /** Whether the channel tells of the completion queue of receives; the event is acknowledged. */
  boolean notified();

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
  EventType event(boolean wait);

  QpState state();

  /** A counter of the device by its name. */
  long counter(String label);

  /** Eight bytes of the empty half as a number in the host's order. */
  long word(int offset);

  void word(int offset, long value);

  /** Bytes {@code [from, to)} of the empty half. */
  byte[] bytes(int from, int to);

  @Override
  void close();

  /**
   * A completion.
   *
   * @param opcode and what follows are meaningful for a success; a failure says SEND and zeros
   * @param invalidatedRkey or immediate data, in the host's order
   */
  record Completed(
      long wrId,
      WcStatus status,
      WcOpcode opcode,
      int bytes,
      int flags,
      int immediate,
      int invalidatedRkey,
      int qpNum,
      int sourceQp) {}

  /** The target cannot do this. */
  final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public Refused(String why) {
      super(why);
    }
  }
}
