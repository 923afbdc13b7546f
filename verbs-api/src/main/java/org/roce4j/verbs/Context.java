package org.roce4j.verbs;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;

/**
 * An opened device ({@code struct ibv_context}). Thread-safe. Closing it ({@code ibv_close_device})
 * releases whatever is left of its objects.
 */
public interface Context extends AutoCloseable {
  /** The device that was opened. */
  RdmaDevice device();

  /** {@code ibv_query_device}. */
  DeviceAttr queryDevice();

  /** {@code ibv_query_device_ex}; a device without extended attributes returns the plain ones. */
  default DeviceAttrEx queryDeviceEx() {
    return DeviceAttrEx.of(queryDevice());
  }

  /**
   * {@code ibv_query_port}.
   *
   * @throws VerbsException EINVAL if the port is not 1..physPortCount
   */
  PortAttr queryPort(int port);

  /**
   * {@code ibv_query_gid}: the GID at that index, {@link Gid#ZERO} for an empty entry.
   *
   * @throws VerbsException EINVAL if port or index is out of range
   */
  Gid queryGid(int port, int index);

  /**
   * {@code ibv_query_gid_ex}.
   *
   * @throws VerbsException EINVAL if port or index is out of range, ENODATA if the entry is empty
   */
  GidEntry queryGidEx(int port, int index);

  /** The entries in use, in index order ({@code ibv_query_gid_table}). */
  List<GidEntry> queryGidTable();

  /**
   * {@code ibv_query_pkey}, as a number in host order.
   *
   * @throws VerbsException EINVAL if port or index is out of range
   */
  int queryPkey(int port, int index);

  /** {@code ibv_get_pkey_index}: the index of a P_Key (host order), or -1. */
  int pkeyIndex(int port, int pkey);

  /**
   * {@code ibv_init_ah_from_wc}: the address vector that answers a received datagram.
   *
   * @param completion index of its completion
   * @param header memory that holds the 40 bytes in front of the message
   * @param headerAt offset of those bytes in {@code header}
   * @throws VerbsException EINVAL if the completion has no GRH, EPROTONOSUPPORT if the header is
   *     not that of RoCE v2, or EINVAL if the datagram was sent to a multicast group or to none of
   *     the device's addresses; EFAULT if the completions or the header were freed, or are another
   *     thread's
   */
  default AhAttr initAhFromWc(
      int port, WorkCompletions completions, int completion, MemorySegment header, long headerAt) {
    return ReceivedAddress.of(this, port, completions, completion, header, headerAt);
  }

  /**
   * {@code ibv_alloc_pd}.
   *
   * @throws VerbsException ENOMEM at the device's limit
   */
  ProtectionDomain allocPd();

  /**
   * {@code ibv_alloc_dm}: memory of the device.
   *
   * @param length bytes, 1 to {@link DeviceAttrEx#maxDmSize}
   * @param logAlignReq the address is a multiple of 2 to this power, as atomics may need it
   * @throws VerbsException EINVAL out of range, ENOMEM if the device has too little memory left,
   *     EOPNOTSUPP
   */
  default DeviceMemory allocDm(long length, int logAlignReq) {
    throw Errno.EOPNOTSUPP.refusal("this device has no memory of its own to give");
  }

  /**
   * {@code ibv_alloc_td}.
   *
   * @throws VerbsException EOPNOTSUPP
   */
  default ThreadDomain allocTd() {
    throw Errno.EOPNOTSUPP.refusal("this device has no thread domains");
  }

  /**
   * {@code ibv_alloc_parent_domain}: a domain that is accepted wherever its protection domain is,
   * and closed like one ({@code ibv_dealloc_pd}).
   *
   * @throws VerbsException EINVAL if the protection domain is missing, or a part is destroyed or of
   *     another context; EOPNOTSUPP
   */
  default ProtectionDomain allocParentDomain(ParentDomainInitAttr attr) {
    RequiredArgument.check(attr, "attr");
    throw Errno.EOPNOTSUPP.refusal("this device has no parent domains");
  }

  /**
   * The descriptor that stands for this context in another process ({@code ibv_context.cmd_fd});
   * see {@link Verbs#importDevice}.
   *
   * @throws VerbsException EOPNOTSUPP on emulated devices, which live in one process
   */
  default int cmdFd() {
    throw Errno.EOPNOTSUPP.refusal("there is no descriptor here: the device lives in this process");
  }

  /**
   * {@code ibv_import_pd}: a handle of a protection domain of the same device that another context
   * made. Closing the handle keeps the domain ({@code ibv_unimport_pd}).
   *
   * @param pdHandle {@link ProtectionDomain#handle} there
   * @throws VerbsException ENOENT if there is none; EOPNOTSUPP
   */
  default ProtectionDomain importPd(int pdHandle) {
    throw Errno.EOPNOTSUPP.refusal("nothing can be imported here: the device lives in one process");
  }

  /**
   * {@code ibv_import_dm}, as {@link #importPd}.
   *
   * @param dmHandle {@link DeviceMemory#handle} there
   * @throws VerbsException as {@link #importPd}
   */
  default DeviceMemory importDm(int dmHandle) {
    throw Errno.EOPNOTSUPP.refusal("nothing can be imported here: the device lives in one process");
  }

  /** {@code ibv_create_comp_channel}. */
  CompletionChannel createCompletionChannel();

  /**
   * {@code ibv_create_cq}: a completion queue of at least {@code cqe} entries.
   *
   * @param cqe 1..maxCqe
   * @param userContext handed back with events; may be null
   * @param channel where completion events go; null for none
   * @param compVector 0..numCompVectors-1
   * @throws VerbsException EINVAL out of range, ENOMEM at the device's limit
   */
  CompletionQueue createCq(int cqe, Object userContext, CompletionChannel channel, int compVector);

  /** A completion queue without channel and context. */
  default CompletionQueue createCq(int cqe) {
    return createCq(cqe, null, null, 0);
  }

  /**
   * {@code ibv_open_xrcd}: a domain of extended reliable connections. An emulated device lives in
   * one process, and so do its domains: contexts of one process that open the same file on the same
   * device share a domain; two processes never do.
   *
   * @throws VerbsException EAGAIN if the file names no domain of this device (a domain of another
   *     process counts as none) and {@link XrcdInitAttr#O_CREAT} is not set; EINVAL if it names one
   *     and {@link XrcdInitAttr#O_EXCL} is set, or for other flags; EBADF if the file cannot be
   *     found; EOPNOTSUPP
   */
  default XrcDomain openXrcd(XrcdInitAttr attr) {
    RequiredArgument.check(attr, "attr");
    throw Errno.EOPNOTSUPP.refusal("this device has no XRC");
  }

  /**
   * {@code ibv_create_srq_ex}: of type {@link SrqType#BASIC}, as {@link
   * ProtectionDomain#createSrq}, or {@link SrqType#XRC}.
   *
   * @throws VerbsException EINVAL (out of range, a part is missing, destroyed or of another
   *     context), ENOMEM, EOPNOTSUPP
   */
  default SharedReceiveQueue createSrq(SrqInitAttrEx attr) {
    RequiredArgument.check(attr, "attr");
    throw Errno.EOPNOTSUPP.refusal("this device has no XRC");
  }

  /**
   * {@code ibv_create_qp_ex}: a queue pair of the protection domain {@link QpInitAttr#pd}, or, for
   * type {@link QpType#XRC_RECV}, of the XRC domain {@link QpInitAttr#xrcd}.
   *
   * @throws VerbsException as {@link ProtectionDomain#createQp}
   */
  default QueuePair createQp(QpInitAttr attr) {
    RequiredArgument.check(attr, "attr");
    throw Errno.EOPNOTSUPP.refusal("this device has no XRC");
  }

  /**
   * {@code ibv_open_qp}: another handle of an existing target queue pair, which lives until the
   * last of its handles is closed. Every handle receives the queue pair's events.
   *
   * @throws VerbsException EINVAL if the domain has no such queue pair, or for another type;
   *     EOPNOTSUPP
   */
  default QueuePair openQp(QpOpenAttr attr) {
    RequiredArgument.check(attr, "attr");
    throw Errno.EOPNOTSUPP.refusal("this device has no XRC");
  }

  /**
   * {@code ibv_create_cq_ex}.
   *
   * @throws VerbsException as {@link #createCq(int, Object, CompletionChannel, int)}; EINVAL for
   *     unknown {@link CqInitAttr#flags}; EOPNOTSUPP for fields that the device does not provide,
   *     unknown ones included
   */
  default ExtendedCompletionQueue createCqEx(CqInitAttr attr) {
    RequiredArgument.check(attr, "attr");
    throw Errno.EOPNOTSUPP.refusal("this device has no extended completion queues");
  }

  /**
   * {@code ibv_get_async_event}: waits for an event. Events are delivered in the order in which
   * they happened; undelivered events of a destroyed object are dropped. The event must be
   * acknowledged. A virtual thread may wait, as in {@link CompletionChannel#getCqEvent()}.
   *
   * @throws VerbsException EINTR if the thread is interrupted, and stays so, ENODEV if the context
   *     is closed meanwhile
   */
  AsyncEvent getAsyncEvent();

  /**
   * As {@link #getAsyncEvent()}, for at most {@code timeoutNs}.
   *
   * @param timeoutNs nanoseconds, 0: do not wait
   * @return the event, or null if there was none in time
   * @throws VerbsException EINVAL if negative, EOPNOTSUPP if the backend cannot wait that way; else
   *     as {@link #getAsyncEvent()}
   */
  default AsyncEvent getAsyncEvent(long timeoutNs) {
    RequiredArgument.checkNotNegative(timeoutNs, "timeoutNs");
    if (timeoutNs == 0) {
      return pollAsyncEvent();
    }
    throw Errno.EOPNOTSUPP.refusal(
        "no timed wait for events here: use onAsyncEvent, or getAsyncEvent()");
  }

  /** The next event, or null if there is none. It must be acknowledged. */
  AsyncEvent pollAsyncEvent();

  /**
   * The file descriptor of asynchronous events ({@code ibv_context.async_fd}); see {@link
   * CompletionChannel#fd}.
   *
   * @throws VerbsException EOPNOTSUPP on emulated devices, which have none; ENODEV if the context
   *     is closed
   */
  default int asyncFd() {
    throw Errno.EOPNOTSUPP.refusal(
        "there is no descriptor here: wake the event loop by onAsyncEvent");
  }

  /**
   * Sets the readiness hook for asynchronous events; null removes it. The hook is called when an
   * event arrives and none was waiting, and when it is set while events wait. {@link
   * CompletionChannel#onEvent} says on which thread it runs and what it may do there.
   *
   * @throws VerbsException ENODEV if the context is closed; a hook can be removed nevertheless
   */
  void onAsyncEvent(Runnable hook);

  /** A snapshot of the device's named counters (sysfs {@code hw_counters}), in a fixed order. */
  Map<String, Long> counters();

  /** {@code ibv_close_device}. Bounded, idempotent, callable from any thread. */
  @Override
  void close();
}
