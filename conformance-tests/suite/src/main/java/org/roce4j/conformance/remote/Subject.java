package org.roce4j.conformance.remote;

import org.roce4j.verbs.EventType;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;

/**
 * The queue pair under test of a dialogue, with the verbs that dialogues need. One memory region
 * holds all data: bytes 0 to {@link #HALF} are the pattern that requests send; the rest is the
 * empty half, which receives. Arguments and results have types that {@link Words} can carry to
 * another machine. Every failure is an exception with the reason.
 */
public interface Subject extends AutoCloseable {
  /** Offset of the empty half in the region, bytes. */
  int HALF = 1 << 16;

  /** The word for the address that the first queue pair is connected to. */
  String PEER = "peer";

  /**
   * Creates another queue pair on the same device with the same region, completion queues and
   * shared receive queue, and takes it to the state of its setup.
   *
   * @param name its name for {@link #with}
   * @param address the address that it is connected to, or {@link #PEER}
   * @param setup words of {@link SubjectSetup#toString}
   */
  void second(String name, String address, String... setup);

  /** The other queue pair with this name. */
  Subject with(String name);

  /** Destroys the queue pair. */
  void destroy();

  /** The queue pair's number, 24 bits. */
  int qpNum();

  /** The number of an XRC_RECV queue pair's shared receive queue; 0 for other types. */
  int srqNum();

  /** Destroys the shared receive queue. */
  void destroySrq();

  /**
   * Creates one more XRC shared receive queue, with a protection domain of its own.
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
   * @param words calls of {@link org.roce4j.verbs.SendRequestList} after the first {@code add}. An
   *     address, or {@code peer} for the other end's, stands for an address handle; the name of a
   *     window and {@code region} stand for themselves.
   * @return 0 or an errno
   */
  int postSend(String... words);

  /**
   * Posts a FLUSH on a queue pair whose setup has FLUSHES.
   *
   * @param flags flags of {@link org.roce4j.verbs.SendFlags}
   * @return 0 or an errno
   */
  int postFlush(
      long wrId, int flags, long va, int rkey, long length, int placement, int selectivity);

  /**
   * Posts a list of receive requests, to the shared receive queue if there is one.
   *
   * @param words calls of {@link org.roce4j.verbs.RecvRequestList} after the first {@code add}
   * @return 0 or an errno
   */
  int postRecv(String... words);

  /**
   * Takes the queue pair to a later state with the attributes of the setup.
   *
   * @param to INIT, RTR or RTS
   */
  void bringUp(QpState to);

  /** As {@link #bringUp(QpState)}, with a path to another address. */
  void bringUp(QpState to, String address);

  /**
   * Modifies the queue pair.
   *
   * @param words setters of {@link org.roce4j.verbs.QpAttr}; an address stands for a path to it
   */
  void modify(String... words);

  /**
   * The text of an attribute of {@code ibv_query_qp}.
   *
   * @param attributes getters, separated by dots
   */
  String query(String attributes);

  /**
   * The text of an attribute of {@code ibv_query_port}.
   *
   * @param attribute its getter
   */
  String queryPort(String attribute);

  /**
   * Attaches the queue pair to a multicast group.
   *
   * @param group its address as text
   */
  void attachMulticast(String group);

  /**
   * Detaches the queue pair from a multicast group.
   *
   * @param group its address as text
   */
  void detachMulticast(String group);

  /** Allocates a memory window under a name. */
  void allocWindow(String name, MwType type);

  /** The current key of a window. */
  int windowKey(String name);

  /**
   * Binds a window of type 1 with a signaled request whose wr_id is 0.
   *
   * @param region name of the region, {@code region} for that of the pattern, or {@code none} to
   *     unbind the window
   */
  void bindWindow(String name, String region, long va, long length, int access);

  /** Deallocates a window. */
  void freeWindow(String name);

  /**
   * Registers the region's memory again under a name.
   *
   * @param access rights of {@link org.roce4j.verbs.AccessFlags}
   * @param sameDomain whether in the region's protection domain, otherwise in a new one
   */
  void register(String name, int access, boolean sameDomain);

  /** Local key of the region with this name. */
  int lkey(String name);

  /** Remote key of the region with this name. */
  int rkey(String name);

  /** Deregisters the region with this name. */
  void deregister(String name);

  /**
   * Changes the rights of the region.
   *
   * @param access rights of {@link org.roce4j.verbs.AccessFlags}
   */
  void reregister(int access);

  /** Arms the completion queue of receives. */
  void arm(boolean solicitedOnly);

  /** Resizes the completion queue of receives. */
  void resize(int cqe);

  /** Whether the completion queue of sends reports an overflow. */
  boolean sendsLost();

  /** Arms the limit event of the shared receive queue. */
  void armLimit(int limit);

  /** The armed limit of the shared receive queue; 0 if it is not armed. */
  int limit();

  /**
   * Whether the channel has an event of the completion queue of receives; acknowledges the event.
   */
  boolean notified();

  /**
   * The next send completion.
   *
   * @param wait whether to wait for it
   * @return null if there is none
   */
  Completed sent(boolean wait);

  /**
   * The next receive completion.
   *
   * @param wait whether to wait for it
   * @return null if there is none
   */
  Completed received(boolean wait);

  /**
   * The next asynchronous event of the device, acknowledged.
   *
   * @param wait whether to wait for it
   * @return null if there is none
   */
  EventType event(boolean wait);

  /** The queue pair's state, from a query. */
  QpState state();

  /** The value of a device counter. */
  long counter(String label);

  /**
   * Reads eight bytes as a number in host byte order.
   *
   * @param offset offset in the empty half; negative in the pattern
   */
  long word(int offset);

  /**
   * Stores eight bytes as a number in host byte order.
   *
   * @param offset offset in the empty half; negative in the pattern
   */
  void word(int offset, long value);

  /** Bytes {@code [from, to)}; offsets in the empty half, negative in the pattern. */
  byte[] bytes(int from, int to);

  @Override
  void close();

  /**
   * A completion. For a failure the fields from {@code opcode} on are SEND and zeros.
   *
   * @param immediate immediate data, in host byte order
   * @param invalidatedRkey the invalidated key
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

  /** The target cannot execute the call. */
  final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** A refusal with the target's reason. */
    public Refused(String why) {
      super(why);
    }
  }
}
