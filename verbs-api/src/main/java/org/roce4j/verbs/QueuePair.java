package org.roce4j.verbs;

import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.text.Wording;

/** {@code struct ibv_qp}. Thread-safe; posting allocates nothing. */
public interface QueuePair extends AutoCloseable {
  /** The QP number to which a datagram for a multicast group is sent (IBA 10.5.2.1). */
  int MULTICAST_QPN = 0xffffff;

  /** The opened device that it was made with. */
  Context context();

  /** Its protection domain; null for an XRC_RECV queue pair, which has none. */
  ProtectionDomain pd();

  /** A dense number of this object within its context. */
  int handle();

  /** What the program gave at creation ({@code qp_context}); may be null. */
  Object userContext();

  /** The QP number, 24 bits. */
  int qpNum();

  /** The service. */
  QpType qpType();

  /** The completion queue of sends; null for an XRC_RECV queue pair. */
  CompletionQueue sendCq();

  /**
   * The completion queue of receives; null for an XRC queue pair, because XRC shared receive queues
   * have their own.
   */
  CompletionQueue recvCq();

  /** The shared receive queue, or null. */
  SharedReceiveQueue srq();

  /**
   * A description of this queue pair, such as {@code QP 0x5545bf RC RTS on roce0}; never throws.
   */
  default String describe() {
    String state;
    try {
      state = state().toString();
    } catch (VerbsException e) {
      state = "(destroyed)";
    }
    return Wording.of("QP 0x%x %s %s on %s", qpNum(), qpType(), state, context().device().name());
  }

  /** What was granted at creation. */
  QpCapabilities cap();

  /**
   * The state now; it may change at any time.
   *
   * @throws VerbsException EINVAL if the queue pair was destroyed
   */
  QpState state();

  /**
   * {@code ibv_modify_qp}. Nothing is changed when it fails. A move to RESET clears the queues:
   * requests end without completion, and completions of this queue pair that were not polled are
   * gone (Linux's soft-RoCE leaves them in the completion queue).
   *
   * @param mask the attributes to take from {@code attr}, of {@link QpAttrMask}
   * @throws VerbsException EINVAL, EPERM, EOPNOTSUPP
   */
  void modify(QpAttr attr, int mask);

  /** {@code ibv_modify_qp} with the attributes that were set. */
  default void modify(QpAttr attr) {
    modify(attr, RequiredArgument.check(attr, "attr").mask());
  }

  /** {@code ibv_query_qp}: all attributes. */
  QpAttr query();

  /**
   * {@code ibv_query_qp} of some attributes, of {@link QpAttrMask}. A device may return more; every
   * backend returns all of them today.
   *
   * @param mask what is wanted
   */
  default QpAttr query(int mask) {
    return query();
  }

  /**
   * Whether every send is signaled ({@code sq_sig_all}).
   *
   * @throws VerbsException EOPNOTSUPP if the backend does not tell
   */
  default boolean sqSigAll() {
    throw Errno.EOPNOTSUPP.refusal("this backend does not tell sq_sig_all");
  }

  /**
   * The {@code init_attr} of {@code ibv_query_qp}: a copy of the creation attributes, with the
   * capabilities as granted. A queue pair made by {@code ibv_create_qp_ex} has its {@code
   * createFlags}, {@code sendOps} and {@code xrcd} in it, too; an opened queue pair its domain.
   *
   * @throws VerbsException as {@link #sqSigAll}
   */
  default QpInitAttr initAttr() {
    return new QpInitAttr()
        .pd(pd())
        .userContext(userContext())
        .sendCq(sendCq())
        .recvCq(recvCq())
        .srq(srq())
        .cap(cap())
        .qpType(qpType())
        .sqSigAll(sqSigAll());
  }

  /**
   * {@code ibv_query_qp_data_in_order}: whether the bytes of a message are written in order, so
   * that its last byte can be polled.
   *
   * @param opcode the operation that writes
   * @param flags 0
   * @return false where nothing is promised, as on emulated devices: packets are placed in order,
   *     but not the bytes of one packet
   * @throws VerbsException EINVAL after the destruction
   */
  default boolean queryDataInOrder(WrOpcode opcode, int flags) {
    RequiredArgument.check(opcode, "opcode");
    state();
    return false;
  }

  /**
   * {@code ibv_modify_qp_rate_limit}: paces the packets of send requests; answers to the peer are
   * not held. A move to RESET takes the limit away.
   *
   * @throws VerbsException EINVAL (not in RTS or SQD, out of {@link DeviceAttrEx.PacketPacingCaps},
   *     a burst without a rate), EOPNOTSUPP
   */
  default void modifyRateLimit(QpRateLimitAttr attr) {
    RequiredArgument.check(attr, "attr");
    throw Errno.EOPNOTSUPP.refusal("this device paces no packets");
  }

  /**
   * {@code ibv_query_ece}: the vendor's enhancements that the queue pair has.
   *
   * @throws VerbsException EOPNOTSUPP where there are none
   */
  default Ece queryEce() {
    throw Errno.EOPNOTSUPP.refusal("the device's vendor has no enhancements");
  }

  /**
   * {@code ibv_set_ece}: the vendor's enhancements that the peer agreed to, between INIT and RTR.
   *
   * @throws VerbsException EOPNOTSUPP where there are none
   */
  default void setEce(Ece ece) {
    RequiredArgument.check(ece, "ece");
    throw Errno.EOPNOTSUPP.refusal("the device's vendor has no enhancements");
  }

  /**
   * {@code ibv_post_send} from raw memory.
   *
   * @param view memory that holds the list, its SGE arrays and inline data; its address is
   *     subtracted from the absolute addresses in them
   * @param firstWr absolute address of the first {@code struct ibv_send_wr}
   * @return {@link PostResult}: errno and the index of the first request that was not posted; those
   *     before it are posted. EINVAL also when the queue pair was destroyed, EFAULT when an address
   *     in the list is not in the memory, or the memory is on the heap, freed or confined to
   *     another thread. An inline element without bytes may have any address
   * @throws VerbsException EINVAL if {@code view} is null
   */
  @CheckReturnValue
  long postSend(MemorySegment view, long firstWr);

  /**
   * {@code ibv_post_send}.
   *
   * @return 0, or an errno with the index of the first request not posted in {@link
   *     SendRequestList#badIndex()}
   * @throws VerbsException EINVAL if {@code requests} is null
   */
  @CheckReturnValue
  default int postSend(SendRequestList requests) {
    long result =
        postSend(RequiredArgument.check(requests, "requests").memory(), requests.address());
    requests.badIndex(PostResult.badIndex(result));
    return PostResult.errno(result);
  }

  /**
   * {@code ibv_post_send}, for programs that would rather have an exception than an errno.
   *
   * @throws VerbsException the errno of {@link #postSend(SendRequestList)} with {@link
   *     #whySendRefused(SendRequestList, int)}; the requests before {@link
   *     SendRequestList#badIndex()} are posted
   */
  default void postSendOrThrow(SendRequestList requests) {
    int errno = postSend(requests);
    if (errno != 0) {
      throw new VerbsException(RefusedPost.errno(errno), whySendRefused(requests, errno));
    }
  }

  /**
   * Says which request {@link #postSend(MemorySegment, long)} refused, why, and what to do. The
   * request is judged again, by the queue pair as it is now. Not for the data path: it asks the
   * device and allocates.
   *
   * @param view memory of the list, unchanged since
   * @param firstWr absolute address of the first request
   * @param result what posting returned
   * @return a sentence that begins with the queue pair, for an exception or a log
   */
  default String whySendRefused(MemorySegment view, long firstWr, long result) {
    return RefusedPost.send(this, RequiredArgument.check(view, "view"), firstWr, result);
  }

  /**
   * As {@link #whySendRefused(MemorySegment, long, long)}.
   *
   * @param requests the list as it was posted
   * @param errno what posting it returned
   */
  default String whySendRefused(SendRequestList requests, int errno) {
    RequiredArgument.check(requests, "requests");
    long result = PostResult.of(errno, requests.badIndex());
    return whySendRefused(requests.memory(), requests.address(), result);
  }

  /**
   * {@code ibv_qp_to_qp_ex}: what builds send requests call by call; the same object each time.
   *
   * @throws VerbsException EOPNOTSUPP if the queue pair was made without {@link QpInitAttr#sendOps}
   */
  default WorkRequestBuilder builder() {
    throw Errno.EOPNOTSUPP.refusal(
        "the queue pair has no builder: make it with sendOps, of the operations it is to build");
  }

  /** {@code ibv_post_recv} from raw memory; see {@link #postSend(MemorySegment, long)}. */
  @CheckReturnValue
  long postRecv(MemorySegment view, long firstWr);

  /** {@code ibv_post_recv}; see {@link #postSend(SendRequestList)}. */
  @CheckReturnValue
  default int postRecv(RecvRequestList requests) {
    long result =
        postRecv(RequiredArgument.check(requests, "requests").memory(), requests.address());
    requests.badIndex(PostResult.badIndex(result));
    return PostResult.errno(result);
  }

  /**
   * {@code ibv_post_recv}, for programs that would rather have an exception than an errno.
   *
   * @throws VerbsException the errno of {@link #postRecv(RecvRequestList)} with {@link
   *     #whyRecvRefused(RecvRequestList, int)}; the requests before {@link
   *     RecvRequestList#badIndex()} are posted
   */
  default void postRecvOrThrow(RecvRequestList requests) {
    int errno = postRecv(requests);
    if (errno != 0) {
      throw new VerbsException(RefusedPost.errno(errno), whyRecvRefused(requests, errno));
    }
  }

  /**
   * As {@link #whySendRefused(MemorySegment, long, long)}, of {@link #postRecv(MemorySegment,
   * long)}.
   */
  default String whyRecvRefused(MemorySegment view, long firstWr, long result) {
    return RefusedPost.receive(this, RequiredArgument.check(view, "view"), firstWr, result);
  }

  /** As {@link #whySendRefused(SendRequestList, int)}, of {@link #postRecv(RecvRequestList)}. */
  default String whyRecvRefused(RecvRequestList requests, int errno) {
    RequiredArgument.check(requests, "requests");
    long result = PostResult.of(errno, requests.badIndex());
    return whyRecvRefused(requests.memory(), requests.address(), result);
  }

  /**
   * {@code ibv_bind_mw}: binds a type 1 window, whose key changes at once.
   *
   * @param length bytes; 0 unbinds
   * @throws VerbsException EINVAL (window of type 2, zero-based, state of the queue pair), EPERM
   *     (another domain), ENOMEM (the send queue is full)
   */
  void bindMemoryWindow(
      MemoryWindow window,
      long wrId,
      int sendFlags,
      MemoryRegion region,
      long address,
      long length,
      int accessFlags);

  /**
   * {@code ibv_attach_mcast}.
   *
   * @throws VerbsException EINVAL (not UD, not a multicast GID), ENOMEM (limit)
   */
  void attachMulticast(Gid group);

  /**
   * {@code ibv_detach_mcast}.
   *
   * @throws VerbsException EINVAL if it is not attached
   */
  void detachMulticast(Gid group);

  /**
   * {@code ibv_destroy_qp}; waits until every delivered event of it is acknowledged.
   *
   * @throws VerbsException EBUSY while attached to a multicast group
   */
  @Override
  void close();
}
