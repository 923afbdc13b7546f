package org.roce4j.verbs;

/**
 * {@code struct ibv_cq_ex}: a completion queue whose completions are read in place, field by field,
 * with the times at which they happened. It is a {@link CompletionQueue} too ({@code
 * ibv_cq_ex_to_cq}).
 *
 * <pre>{@code
 * if (cq.startPoll() == 0) {
 *   do {
 *     handle(cq.wrId(), cq.statusValue(), cq.readByteLength());
 *   } while (cq.nextPoll() == 0);
 *   cq.endPoll();
 * }
 * }</pre>
 *
 * <p>Between {@link #startPoll} and {@link #endPoll} another thread that starts a poll waits, so
 * keep that time short. Reading allocates nothing.
 *
 * <p>Readers throw {@link VerbsException} EINVAL outside of a poll, and for a field that {@link
 * CqInitAttr#wcFlags} did not request.
 */
public interface ExtendedCompletionQueue extends CompletionQueue {
  /**
   * {@code ibv_start_poll}: moves to the oldest completion.
   *
   * @return 0; ENOENT if there is none; EIO after an overflow, EINVAL if the queue was destroyed or
   *     this thread polls it already. Call {@link #endPoll} after 0 only
   */
  @CheckReturnValue
  int startPoll();

  /**
   * {@code ibv_next_poll}: moves to the next completion; the one before is consumed.
   *
   * @return 0; ENOENT if there is none, EINVAL outside of a poll. Call {@link #endPoll} in either
   *     case
   */
  @CheckReturnValue
  int nextPoll();

  /**
   * {@code ibv_end_poll}: ends the poll; what was read is consumed.
   *
   * @throws VerbsException EINVAL outside of a poll
   */
  void endPoll();

  /** The field {@code wr_id} of {@code struct ibv_cq_ex}. */
  long wrId();

  /** The field {@code status} of {@code struct ibv_cq_ex}, a number; 0 is success. */
  int statusValue();

  /** The status, null when the number is unknown. */
  default WcStatus status() {
    return WcStatus.of(statusValue());
  }

  /** {@code ibv_wc_read_opcode}; null when the number is unknown. */
  WcOpcode readOpcode();

  /** {@code ibv_wc_read_vendor_err}. */
  int readVendorErr();

  /** {@code ibv_wc_read_wc_flags}: of {@link WcFlags}. */
  int readWcFlags();

  /** {@code ibv_wc_read_pkey_index} (GSI). */
  int readPkeyIndex();

  /** {@code ibv_wc_read_byte_len}, unsigned. */
  int readByteLength();

  /** {@code ibv_wc_read_imm_data}, a number; meaningful with {@link WcFlags#WITH_IMM}. */
  int readImmediate();

  /** {@code ibv_wc_read_invalidated_rkey}; meaningful with {@link WcFlags#WITH_INV}. */
  int readInvalidatedRkey();

  /** {@code ibv_wc_read_qp_num}. */
  int readQpNum();

  /** {@code ibv_wc_read_src_qp} (UD). */
  int readSourceQp();

  /** {@code ibv_wc_read_slid}; 0 on RoCE. */
  int readSlid();

  /** {@code ibv_wc_read_sl}. */
  int readServiceLevel();

  /** {@code ibv_wc_read_dlid_path_bits}; 0 on RoCE. */
  int readDlidPathBits();

  /**
   * {@code ibv_wc_read_completion_ts}: when the completion happened, in ticks of the device's
   * clock; its frequency is {@code hca_core_clock} of the extended attributes. On an emulated
   * device a tick is a nanosecond of the clock that drives it: virtual time on a virtual network,
   * else {@link System#nanoTime}.
   */
  long readCompletionTimestamp();

  /**
   * {@code ibv_wc_read_completion_wallclock_ns}: nanoseconds since 1970. On a virtual network they
   * are virtual time, which begins in 1970.
   */
  long readCompletionWallclockNs();

  /** {@code ibv_wc_read_cvlan}: the VLAN of a raw packet. */
  default int readCvlan() {
    throw untold(WcExFlags.WITH_CVLAN);
  }

  /** {@code ibv_wc_read_flow_tag}: the tag of the flow rule that chose the queue. */
  default int readFlowTag() {
    throw untold(WcExFlags.WITH_FLOW_TAG);
  }

  /** {@code ibv_wc_read_tm_info}: the tag that was matched ({@code struct ibv_wc_tm_info}). */
  default long readTagMatchingInfo() {
    throw untold(WcExFlags.WITH_TM_INFO);
  }

  /** The exception of a reader whose field the queue does not provide, for backends. */
  static VerbsException untold(int wcFlag) {
    return new VerbsException(
        Errno.EINVAL,
        "the completion queue was created without " + WcExFlags.toString(wcFlag) + " in wcFlags");
  }
}
