package org.roce4j.verbs;

import java.lang.foreign.MemorySegment;
import org.roce4j.verbs.text.Wording;

/** {@code struct ibv_srq}. Thread-safe; posting allocates nothing. */
public interface SharedReceiveQueue extends AutoCloseable {
  /** The domain whose regions its receive requests may name. */
  ProtectionDomain pd();

  /** A dense number of this object within its context. */
  int handle();

  /** What the program gave at creation ({@code srq_context}); may be null. */
  Object userContext();

  /** The kind of queue pairs that it serves. */
  default SrqType srqType() {
    return SrqType.BASIC;
  }

  /**
   * {@code ibv_get_srq_num}: the number, 24 bits, that XRC requests name it by ({@link
   * SendRequestList#xrc}).
   *
   * @throws VerbsException EINVAL if it is not of type {@link SrqType#XRC}
   */
  default int srqNum() {
    throw new VerbsException(
        Errno.EINVAL, describe() + ": only a shared receive queue of type XRC has a number");
  }

  /** Its XRC domain; null for other types. */
  default XrcDomain xrcd() {
    return null;
  }

  /**
   * XRC: the completion queue of its receives; null for other types, where each queue pair has its
   * own.
   */
  default CompletionQueue cq() {
    return null;
  }

  /** {@code ibv_query_srq}. */
  SrqAttr query();

  /**
   * {@code ibv_modify_srq}: the size ({@link SrqAttrMask#MAX_WR}), which may grow and shrink, and
   * the limit ({@link SrqAttrMask#LIMIT}): SRQ_LIMIT_REACHED is raised, and the limit is 0 again,
   * as soon as fewer requests than the limit are posted, which may be at once. Linux's soft-RoCE
   * checks only when the next request is taken.
   *
   * @param attr {@code maxSge} is ignored: it cannot change
   * @param mask of {@link SrqAttrMask}
   * @throws VerbsException EINVAL if the size is less than what is posted or more than {@code
   *     maxSrqWr}, or the limit is more than the size; nothing is changed then
   */
  void modify(SrqAttr attr, int mask);

  /** {@code ibv_post_srq_recv} from raw memory; see {@link QueuePair#postSend}. */
  @CheckReturnValue
  long postRecv(MemorySegment view, long firstWr);

  /** {@code ibv_post_srq_recv}. */
  @CheckReturnValue
  default int postRecv(RecvRequestList requests) {
    long result =
        postRecv(RequiredArgument.check(requests, "requests").memory(), requests.address());
    requests.badIndex(PostResult.badIndex(result));
    return PostResult.errno(result);
  }

  /**
   * {@code ibv_post_srq_recv}, for programs that would rather have an exception than an errno.
   *
   * @throws VerbsException as {@link QueuePair#postRecvOrThrow}
   */
  default void postRecvOrThrow(RecvRequestList requests) {
    int errno = postRecv(requests);
    if (errno != 0) {
      throw new VerbsException(RefusedPost.errno(errno), whyRecvRefused(requests, errno));
    }
  }

  /** As {@link QueuePair#whyRecvRefused(MemorySegment, long, long)}. */
  default String whyRecvRefused(MemorySegment view, long firstWr, long result) {
    return RefusedPost.receive(this, RequiredArgument.check(view, "view"), firstWr, result);
  }

  /** As {@link QueuePair#whyRecvRefused(RecvRequestList, int)}. */
  default String whyRecvRefused(RecvRequestList requests, int errno) {
    RequiredArgument.check(requests, "requests");
    long result = PostResult.of(errno, requests.badIndex());
    return whyRecvRefused(requests.memory(), requests.address(), result);
  }

  /**
   * {@code ibv_post_srq_ops}: adds and removes buffers for messages with a tag, of a queue of type
   * {@link SrqType#TM}. No backend creates such a queue, as Linux's soft-RoCE.
   *
   * @param firstOp address of the first operation, a {@code struct ibv_ops_wr}, which is not read
   * @throws VerbsException EOPNOTSUPP
   */
  default void postOps(long firstOp) {
    throw new VerbsException(
        Errno.EOPNOTSUPP,
        describe() + " matches no tags: carry the tag in the message, or use a queue for each tag");
  }

  /** A description of this queue, such as {@code SRQ 3 on roce0}. */
  default String describe() {
    return Wording.of("SRQ %d on %s", handle(), pd().context().device().name());
  }

  /**
   * {@code ibv_destroy_srq}.
   *
   * @throws VerbsException EBUSY while a queue pair uses it
   */
  @Override
  void close();
}
