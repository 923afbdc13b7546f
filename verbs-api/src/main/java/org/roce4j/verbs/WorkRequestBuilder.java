package org.roce4j.verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.roce4j.verbs.layout.SgeLayout;

/**
 * {@code struct ibv_qp_ex} and {@code ibv_wr_*}: builds send requests call by call and posts them
 * together. A queue pair has one if it was made with {@link QpInitAttr#sendOps}.
 *
 * <pre>{@code
 * WorkRequestBuilder wr = qp.builder();
 * wr.start();
 * wr.wrId(1).flags(0).rdmaWrite(rkey, address).setSge(region, 0, 64);
 * wr.wrId(2).flags(SendFlags.SIGNALED).send().setInlineData(message);
 * int errno = wr.complete();
 * }</pre>
 *
 * <p>A request begins with its operation. Identifier and flags are set before it and stay for the
 * requests that follow; data and destination are set after it. A wrong call is remembered and not
 * thrown: {@link #complete} returns the errno of the first, and then nothing of the batch is
 * posted. Only null and calls outside of {@link #start} and {@link #complete} are refused at once,
 * with a {@link VerbsException}.
 *
 * <p>Between {@link #start} and {@link #complete} or {@link #abort} another thread that starts on
 * this queue pair waits, so keep that time short. On hardware other threads cannot post either. The
 * requests of a batch follow each other in the send queue. Building allocates nothing.
 */
public interface WorkRequestBuilder {
  /** The queue pair that it posts to ({@code ibv_qp_ex_to_qp}). */
  QueuePair queuePair();

  /**
   * {@code ibv_wr_start}: begins a batch.
   *
   * @throws VerbsException EINVAL if this thread has begun one already (C would wait forever)
   */
  void start();

  /**
   * {@code ibv_wr_complete}: posts the batch.
   *
   * @return 0, or the errno of the first wrong call: EINVAL (as in {@link QueuePair#postSend}, and
   *     the state of the queue pair), ENOMEM (the send queue has no room for the batch), EFAULT
   *     (memory that cannot be read), EOPNOTSUPP (an operation that the queue pair was not made
   *     for). Nothing is posted then
   * @throws VerbsException EINVAL if this thread has not started
   */
  @CheckReturnValue
  int complete();

  /**
   * {@link #complete}, for programs that would rather have an exception than an errno.
   *
   * @throws VerbsException the errno of {@link #complete} with {@link #whyRefused}
   */
  default void completeOrThrow() {
    int errno = complete();
    if (errno != 0) {
      throw new VerbsException(RefusedPost.errno(errno), whyRefused());
    }
  }

  /**
   * {@code ibv_wr_abort}: drops the batch.
   *
   * @throws VerbsException EINVAL if this thread has not started
   */
  void abort();

  /**
   * Says which request made the last {@link #complete} fail, why, and what to do; empty if it did
   * not fail. For the thread that called it; allocates.
   */
  String whyRefused();

  /** Sets the identifier that the completions of the next requests bear. */
  WorkRequestBuilder wrId(long wrId);

  /**
   * Sets the {@link SendFlags} of the next requests. INLINE has no effect, except that Linux's
   * soft-RoCE driver sends inline data only with it.
   */
  WorkRequestBuilder flags(int flags);

  /** {@code ibv_wr_send}. */
  WorkRequestBuilder send();

  /**
   * {@code ibv_wr_send_imm}.
   *
   * @param immediate a number; it travels in network order
   */
  WorkRequestBuilder sendImmediate(int immediate);

  /** {@code ibv_wr_send_inv}: the message invalidates a key of the peer. */
  WorkRequestBuilder sendInvalidate(int rkey);

  /** {@code ibv_wr_rdma_write}. */
  WorkRequestBuilder rdmaWrite(int rkey, long remoteAddress);

  /**
   * {@code ibv_wr_rdma_write_imm}.
   *
   * @param immediate a number; it travels in network order
   */
  WorkRequestBuilder rdmaWriteImmediate(int rkey, long remoteAddress, int immediate);

  /** {@code ibv_wr_rdma_read}. */
  WorkRequestBuilder rdmaRead(int rkey, long remoteAddress);

  /**
   * {@code ibv_wr_atomic_cmp_swp}; the old value goes to the element, of eight bytes.
   *
   * @param remoteAddress a multiple of 8
   */
  WorkRequestBuilder compareAndSwap(int rkey, long remoteAddress, long compare, long swap);

  /**
   * {@code ibv_wr_atomic_fetch_add}; the old value goes to the element, of eight bytes.
   *
   * @param remoteAddress a multiple of 8
   */
  WorkRequestBuilder fetchAndAdd(int rkey, long remoteAddress, long add);

  /**
   * {@code ibv_wr_atomic_write}: writes eight bytes atomically. It takes no element.
   *
   * @param remoteAddress a multiple of 8
   * @param value as a store of this processor writes it: in native order
   */
  WorkRequestBuilder atomicWrite(int rkey, long remoteAddress, long value);

  /**
   * {@code ibv_wr_bind_mw}: binds a type 2 window.
   *
   * @param rkey the new key of the window
   * @param region the region to bind it to, or null to unbind (with length 0)
   * @param length bytes; 0 unbinds
   * @param accessFlags {@link AccessFlags} of the window
   */
  WorkRequestBuilder bindMemoryWindow(
      MemoryWindow window,
      int rkey,
      MemoryRegion region,
      long address,
      long length,
      int accessFlags);

  /** {@code ibv_wr_local_inv}: invalidates a key of this device. */
  WorkRequestBuilder localInvalidate(int rkey);

  /**
   * {@code ibv_wr_flush}: when it completes, what this queue pair wrote before it is globally
   * visible at the peer, or survives a loss of power. RC. The peer needs FLUSH_GLOBAL or
   * FLUSH_PERSISTENT among the rights of its region and its queue pair, and the request takes one
   * of max_rd_atomic. An emulated peer writes the bytes of a mapped file to storage; its other
   * memory lives as long as its process.
   *
   * @param length bytes, 0 to 2<sup>31</sup>; ignored if the region is selected
   * @param placement {@code enum ibv_placement_type}: 1 global visibility, 2 persistence, or both
   * @param selectivity {@code enum ibv_selectivity_level}: 0 the range, 1 the memory region
   */
  WorkRequestBuilder flush(
      int rkey, long remoteAddress, long length, int placement, int selectivity);

  /**
   * {@code ibv_wr_set_sge}: the one element of the request. What was set before is replaced.
   *
   * @param address as the key's region names it
   * @param length bytes, unsigned
   */
  WorkRequestBuilder setSge(int lkey, long address, int length);

  /**
   * {@link #setSge(int, long, int)} with part of a region.
   *
   * @throws VerbsException EINVAL if the part leaves the region
   */
  default WorkRequestBuilder setSge(MemoryRegion region, long offset, int bytes) {
    long address = RequestList.addressIn(RequiredArgument.check(region, "region"), offset, bytes);
    return setSge(region.lkey(), address, bytes);
  }

  /**
   * {@code ibv_wr_set_sge_list}.
   *
   * @param view memory that begins with the elements, of {@link SgeLayout}
   * @param count elements
   */
  WorkRequestBuilder setSgeList(MemorySegment view, int count);

  /** {@code ibv_wr_set_inline_data}: the bytes are copied now, from memory of any kind. */
  WorkRequestBuilder setInlineData(MemorySegment data);

  /** {@code ibv_wr_set_inline_data_list}: the bytes of all, one after the other, copied now. */
  WorkRequestBuilder setInlineDataList(List<MemorySegment> buffers);

  /** {@code ibv_wr_set_ud_addr}: where a datagram goes. Each datagram needs it. */
  WorkRequestBuilder setUdAddress(AddressHandle ah, int remoteQpn, int remoteQkey);

  /**
   * {@code ibv_wr_set_xrc_srqn}: the peer's shared receive queue of an XRC request. Each needs it,
   * but for those of windows.
   *
   * @param remoteSrqn the peer's {@link SharedReceiveQueue#srqNum}
   */
  WorkRequestBuilder setXrcSrqNumber(int remoteSrqn);
}
