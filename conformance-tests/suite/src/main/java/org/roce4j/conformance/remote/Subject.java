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

  /** Stands for the address that the first queue pair is connected to. */
  String PEER = "peer";

  /**
   * Makes another queue pair of the same device, which shares region, completion queues and shared
   * receive queue, and takes it to the state of its setup.
   *
   * @param name it is {@link #with} this one
   * @param address that it is connected to, or {@link #PEER}
   * @param setup words of {@link SubjectSetup#toString}
   */
  void second(String name, String address, String... setup);

  /** The other queue pair of that name. */
  Subject with(String name);

  /** Destroys the queue pair. */
  void destroy();

  /** Number of the queue pair, 24 bits. */
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

  /** Local key of the region. */
  int lkey();

  /** Remote key of the region. */
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
   * Posts a FLUSH, of a queue pair whose setup has FLUSHES.
   *
   * @param flags of {@link org.roce4j.verbs.SendFlags}
   * @return 0 or an errno
   */
  int postFlush(
      long wrId, int flags, long va, int rkey, long length, int placement, int selectivity);

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

  /** Likewise, toward another address. */
  void bringUp(QpState to, String address);

  /**
   * Modifies the queue pair.
   *
   * @param words setters of {@link org.roce4j.verbs.QpAttr}; an address stands for a path to it
   */
  void modify(String... words);

  /** Text of an attribute that the queue pair tells, by its getters, with dots between them. */
  String query(String attributes);

  /** Text of an attribute that the port tells, by its getter. */
  String queryPort(String attribute);

  /** Joins a group, an address as text. */
  void attachMulticast(String group);

  /** Leaves a group, an address as text. */
  void detachMulticast(String group);

  /** Allocates a memory window and calls it so. */
  void allocWindow(String name, MwType type);

  /** The window's current key. */
  int windowKey(String name);

  /**
   * Binds a window of type 1, signaled, with request number 0.
   *
   * @param region by name, {@code region} for that of the pattern, or {@code none} to unbind it
   */
  void bindWindow(String name, String region, long va, long length, int access);

  /** Deallocates a window by its name. */
  void freeWindow(String name);

  /**
   * Registers the memory of the region once more and calls it so.
   *
   * @param access of {@link org.roce4j.verbs.AccessFlags}
   * @param sameDomain whether in the protection domain of the region, or in one of its own
   */
  void register(String name, int access, boolean sameDomain);

  /** Local key of a region that was registered under a name. */
  int lkey(String name);

  /** Remote key of a region that was registered under a name. */
  int rkey(String name);

  /** Deregisters a region by its name. */
  void deregister(String name);

  /**
   * Gives the region other rights.
   *
   * @param access of {@link org.roce4j.verbs.AccessFlags}
   */
  void reregister(int access);

  /** Arms the completion queue of receives. */
  void arm(boolean solicitedOnly);

  /** Gives the completion queue of receives another size. */
  void resize(int cqe);

  /** Whether the completion queue of sends says that it lost something. */
  boolean sendsLost();

  /** Arms the limit event of the shared receive queue. */
  void armLimit(int limit);

  /** The limit at which the shared receive queue tells; 0: none. */
  int limit();

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

  /** The state that a query tells. */
  QpState state();

  /** A counter of the device by its name. */
  long counter(String label);

  /**
   * Eight bytes as a number in the host's order.
   *
   * @param offset from the beginning of the empty half; below 0 in the pattern
   */
  long word(int offset);

  /** Stores eight bytes, a number in the host's order; the offset counts likewise. */
  void word(int offset, long value);

  /** Bytes {@code [from, to)}, counted likewise. */
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

    /** {@code why} is what the target said. */
    public Refused(String why) {
      super(why);
    }
  }
}
