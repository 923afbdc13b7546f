package org.roce4j.verbs;

import java.lang.foreign.MemorySegment;

/** {@code struct ibv_srq}. Thread-safe; posting allocates nothing. */
public interface SharedReceiveQueue extends AutoCloseable {
  ProtectionDomain pd();

  /** A dense number of this object within its context. */
  int handle();

  Object userContext();

  /** {@code ibv_query_srq}. */
  SrqAttr query();

  /**
   * {@code ibv_modify_srq}.
   *
   * @param mask of {@link SrqAttrMask}
   * @throws VerbsException EINVAL
   */
  void modify(SrqAttr attr, int mask);

  /** {@code ibv_post_srq_recv} from raw memory; see {@link QueuePair#postSend}. */
  long postRecv(MemorySegment view, long firstWr);

  /** {@code ibv_post_srq_recv}. */
  default int postRecv(RecvRequestList requests) {
    long result =
        postRecv(RequiredArgument.check(requests, "requests").memory(), requests.address());
    requests.badIndex(PostResult.badIndex(result));
    return PostResult.errno(result);
  }

  /**
   * {@code ibv_destroy_srq}.
   *
   * @throws VerbsException EBUSY while a queue pair uses it
   */
  @Override
  void close();
}
