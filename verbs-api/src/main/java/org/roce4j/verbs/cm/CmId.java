package org.roce4j.verbs.cm;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RequiredArgument;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/**
 * {@code struct rdma_cm_id}: an end of a connection, a datagram service, or a listener.
 * Thread-safe.
 *
 * <p>An asynchronous id ({@link EventChannel#createId}) reports the outcome of a call as an event.
 * The calls of a synchronous one ({@link RdmaCm#createId}) wait for it and throw its error:
 * ECONNREFUSED if the peer rejects, ECONNRESET if it has left before the call returns, ENODEV if
 * the context of the device is closed, else the errno of the status; {@link #event} has the rest.
 *
 * <p>A call that the state of the id does not allow is EINVAL, as is any call after {@link #close}.
 */
public final class CmId implements AutoCloseable {
  private final RdmaCm cm;
  private final ProviderId provided;
  private final PortSpace ps;
  private final QpType qpType;
  private final Object userContext;
  private final IdQueues queues = new IdQueues(this);
  private final Memberships memberships = new Memberships(this);
  private final Delivery delivery;
  private final Handshake handshake;
  private final Postings postings = new Postings(this);
  private final Requests requests;

  private volatile boolean closed;

  CmId(
      RdmaCm cm,
      EventChannel channel,
      ProviderId provided,
      PortSpace ps,
      QpType qpType,
      Object userContext,
      Resources asked) {
    this.cm = cm;
    this.delivery = new Delivery(this, channel);
    this.provided = provided;
    this.ps = ps;
    this.qpType = qpType;
    this.userContext = userContext;
    this.handshake = new Handshake(this, asked);
    this.requests = new Requests(this);
  }

  // What it is.

  /** The program's own object; the id of a request inherits the listener's. */
  public Object userContext() {
    return userContext;
  }

  /** The kind of service that it was made for, and the space of its port numbers. */
  public PortSpace ps() {
    return ps;
  }

  /** The type of its queue pair. */
  public QpType qpType() {
    return qpType;
  }

  /** Where its events arrive; a synchronous id has a channel of its own. */
  public EventChannel channel() {
    return delivery.channel();
  }

  /** The device it is bound to; null if it is unbound or bound to all devices. */
  public Context verbs() {
    return cm.given(provided.context());
  }

  /** The port of the device; 0 as long as {@link #verbs} is null. */
  public int portNum() {
    return provided.portNum();
  }

  /** {@code rdma_get_local_addr}: null until bound. */
  public InetSocketAddress localAddr() {
    return provided.localAddr();
  }

  /** {@code rdma_get_peer_addr}: null until it is known. */
  public InetSocketAddress peerAddr() {
    return provided.peerAddr();
  }

  /** {@code rdma_get_src_port}, in host order; 0 until bound. */
  public int srcPort() {
    InetSocketAddress local = localAddr();
    return local == null ? 0 : local.getPort();
  }

  /** {@code rdma_get_dst_port}, in host order; 0 until it is known. */
  public int dstPort() {
    InetSocketAddress peer = peerAddr();
    return peer == null ? 0 : peer.getPort();
  }

  /**
   * For a synchronous id the event of its last call, which the next call acknowledges; else null.
   */
  public CmEvent event() {
    return delivery.last();
  }

  /** Its queue pair, once {@link #createQp} has made one; else null. */
  public synchronized QueuePair qp() {
    return queues.qp();
  }

  /** Its shared receive queue, once {@link #createSrq} has made one; else null. */
  public synchronized SharedReceiveQueue srq() {
    return queues.srq();
  }

  /** The domain of its queues; without queues the device's default domain, null when unbound. */
  public synchronized ProtectionDomain pd() {
    Context context = verbs();
    return queues.pd() != null || context == null ? queues.pd() : cm.defaultPd(context);
  }

  /**
   * The completion queue of sends that the library created; null if the program provided its own.
   */
  public synchronized CompletionQueue sendCq() {
    return queues.send().cq();
  }

  /**
   * The completion queue of receives that the library created; null if the program provided its
   * own.
   */
  public synchronized CompletionQueue recvCq() {
    return queues.receive().cq();
  }

  /** The channel of {@link #sendCq}; null if the program provided its own queue. */
  public synchronized CompletionChannel sendCqChannel() {
    return queues.send().channel();
  }

  /** The channel of {@link #recvCq}; null if the program provided its own queue. */
  public synchronized CompletionChannel recvCqChannel() {
    return queues.receive().channel();
  }

  // Addresses and routes.

  /**
   * {@code rdma_set_option}.
   *
   * @param value in the range of the {@link CmOption}
   * @throws VerbsException EINVAL: out of range; AFONLY or REUSEADDR when the id listens, AFONLY
   *     when it has resolved an address, REUSEADDR 0 when it is bound; ACK_TIMEOUT unless it is RC
   *     or XRC_SEND. ENOSYS for IB_PATH
   */
  public void setOption(CmOption option, int value) {
    RequiredArgument.check(option, "option").check(value);
    open().setOption(option, value);
  }

  /**
   * {@code rdma_set_option} with {@code RDMA_OPTION_IB_PATH}: the route, instead of {@link
   * #resolveRoute}.
   *
   * @param pathRecords one or more {@code struct ibv_path_data}
   * @throws VerbsException EINVAL; ENOSYS if the backend always resolves routes itself
   */
  public void setIbPath(byte[] pathRecords) {
    open().setIbPath(RequiredArgument.check(pathRecords, "pathRecords"));
    delivery.complete();
  }

  /**
   * {@code rdma_bind_addr}.
   *
   * @param address port 0: an ephemeral one; the wildcard address: every device
   * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL (of no device; the port is in use and one of
   *     the two addresses is a wildcard), EACCES (port below 1024), EAFNOSUPPORT, EINVAL (bound
   *     already)
   */
  public void bindAddr(InetSocketAddress address) {
    open().bindAddr(resolved(address, "address"));
  }

  /**
   * {@code rdma_resolve_addr}: finds the device that reaches the destination, and binds the id to
   * it. Outcome: {@link CmEvent.AddrResolved} or {@link CmEvent.AddrError}.
   *
   * @param source null: any
   * @param timeoutMs milliseconds, 0 or more
   * @throws VerbsException EINVAL; EADDRNOTAVAIL, EADDRINUSE of the source
   */
  public void resolveAddr(InetSocketAddress source, InetSocketAddress destination, int timeoutMs) {
    RequiredArgument.checkNotNegative(timeoutMs, "timeoutMs");
    open()
        .resolveAddr(
            source == null ? null : resolved(source, "source"),
            resolved(destination, "destination"),
            timeoutMs);
    delivery.complete();
  }

  private static InetSocketAddress resolved(InetSocketAddress address, String name) {
    if (RequiredArgument.check(address, name).isUnresolved()) {
      throw new VerbsException(
          Errno.EINVAL, name + " is " + address.getHostString() + ", an unknown host name");
    }
    return address;
  }

  /**
   * {@code rdma_resolve_route}. Outcome: {@link CmEvent.RouteResolved} or {@link
   * CmEvent.RouteError}.
   *
   * @param timeoutMs milliseconds, 1 or more
   * @throws VerbsException EINVAL
   */
  public void resolveRoute(int timeoutMs) {
    if (timeoutMs <= 0) {
      throw new VerbsException(Errno.EINVAL, "timeoutMs must be 1 or more, not " + timeoutMs);
    }
    open().resolveRoute(timeoutMs);
    delivery.complete();
  }

  // Queues.

  /**
   * {@code rdma_create_qp}, {@code rdma_create_qp_ex}: a queue pair of this id. It is brought to
   * INIT, a UD queue pair to RTS. Completion queues that {@code attr} leaves out are created with
   * channels; the shared receive queue of {@link #createSrq} is used.
   *
   * @param pd null: the device's default domain
   * @param attr left as it is
   * @throws VerbsException EINVAL: not bound to a device, has a queue pair already, another type
   *     than {@link #qpType}, another device's domain; else as {@link ProtectionDomain#createQp}
   */
  public synchronized void createQp(ProtectionDomain pd, QpInitAttr attr) {
    checkOpen();
    queues.createQp(pd, RequiredArgument.check(attr, "attr"));
  }

  /**
   * {@code rdma_destroy_qp}; also destroys the completion queues that the library created for it.
   * Idempotent.
   */
  public synchronized void destroyQp() {
    memberships.detach();
    queues.destroyQp();
  }

  /**
   * {@code rdma_create_srq}: a shared receive queue of this id; create it before the queue pair
   * that uses it.
   *
   * @param pd null: the device's default domain
   * @throws VerbsException EINVAL: not bound to a device, has one already; else as {@link
   *     ProtectionDomain#createSrq}
   */
  public synchronized void createSrq(ProtectionDomain pd, SrqInitAttr attr) {
    checkOpen();
    queues.createSrq(pd, RequiredArgument.check(attr, "attr"));
  }

  /**
   * {@code rdma_create_srq_ex}: as {@link #createSrq(ProtectionDomain, SrqInitAttr)}, also of
   * {@link org.roce4j.verbs.SrqType#XRC}: if {@code attr} leaves them out, the protection domain
   * and the XRC domain are the device's default ones and the completion queue is created.
   *
   * @param attr left as it is
   * @throws VerbsException EINVAL as there; else as {@link Context#createSrq}
   */
  public synchronized void createSrq(SrqInitAttrEx attr) {
    checkOpen();
    queues.createSrq(RequiredArgument.check(attr, "attr"));
  }

  /**
   * {@code rdma_destroy_srq}. Idempotent.
   *
   * @throws VerbsException EBUSY while the queue pair uses it
   */
  public synchronized void destroySrq() {
    queues.destroySrq();
  }

  /**
   * {@code rdma_init_qp_attr}: the attributes that take the program's own queue pair to a state.
   *
   * @param state INIT, RTR or RTS
   * @throws VerbsException EINVAL: not bound to a device, or the connection has not got that far
   */
  public QpAttr initQpAttr(QpState state) {
    return open().initQpAttr(RequiredArgument.check(state, "state"));
  }

  // Connections.

  /**
   * {@code rdma_listen}: requests arrive as {@link CmEvent.ConnectRequest}, or by {@link
   * #getRequest}.
   *
   * @param backlog requests that wait for an answer; 0 or less, or more than 1024: 1024. What comes
   *     beyond is dropped, and the peer asks again
   * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL (another id is bound to the port), EINVAL
   */
  public void listen(int backlog) {
    open().listen(Math.max(0, backlog));
    requests.begin();
  }

  /**
   * {@code rdma_get_request}: waits at a synchronous id that listens. The request's id is
   * synchronous too; its {@link #event} is the {@link CmEvent.ConnectRequest}. If the listener is
   * an endpoint with a queue pair's attributes, it has a queue pair; if that cannot be made, the
   * request is rejected.
   *
   * @throws VerbsException EINVAL for an asynchronous id or one that does not listen, EINTR,
   *     ECONNREFUSED; else as {@link #createQp}
   */
  public CmId getRequest() {
    return requests.next();
  }

  /**
   * {@code rdma_connect}. Outcome: {@link CmEvent.Established}, or {@link CmEvent.ConnectResponse}
   * where the id has no queue pair; {@link CmEvent.Rejected}, {@link CmEvent.Unreachable}, {@link
   * CmEvent.ConnectError}.
   *
   * @throws VerbsException EINVAL: no route, private data longer than 56 bytes (UDP: 180), more
   *     resources than the device has
   */
  public void connect(ConnParam param) {
    handshake.connect(RequiredArgument.check(param, "param"));
    delivery.completeConnected();
  }

  /**
   * {@code rdma_accept}, for the id of a request. Outcome: {@link CmEvent.Established}; a datagram
   * service has none.
   *
   * @param param its retry count is ignored: the peer's is used
   * @throws VerbsException EINVAL: not a request, private data longer than 196 bytes (UDP: 136),
   *     more resources than the device has; the error of a queue pair that cannot go to RTS
   */
  public void accept(ConnParam param) {
    handshake.accept(RequiredArgument.check(param, "param"));
    if (qpType != QpType.UD) {
      delivery.completeConnected();
    } else {
      delivery.acknowledge();
    }
  }

  /**
   * {@code rdma_reject}: rejects a request, also after accepting it as long as the peer has not
   * confirmed; or rejects the peer's acceptance after a {@link CmEvent.ConnectResponse}.
   *
   * @param privateData at most 148 bytes (UDP: 136)
   * @throws VerbsException EINVAL
   */
  public void reject(byte[] privateData) {
    reject(RejectReason.CONSUMER_DEFINED, privateData);
  }

  /**
   * As {@link #reject(byte[])} with a reason ({@code rdma_reject_ece} gives
   * VENDOR_OPTION_NOT_SUPPORTED).
   *
   * @param reason CONSUMER_DEFINED or VENDOR_OPTION_NOT_SUPPORTED
   * @throws VerbsException EINVAL, also for any other reason: those are the connection manager's
   *     own
   */
  public void reject(RejectReason reason, byte[] privateData) {
    RequiredArgument.check(reason, "reason");
    if (reason != RejectReason.CONSUMER_DEFINED
        && reason != RejectReason.VENDOR_OPTION_NOT_SUPPORTED) {
      throw new VerbsException(
          Errno.EINVAL,
          "programs reject as CONSUMER_DEFINED or VENDOR_OPTION_NOT_SUPPORTED, not " + reason);
    }
    RequiredArgument.check(privateData, "privateData");
    Resources.checkPrivateData(qpType, privateData, 148, 136);
    open().reject(reason, privateData);
  }

  /**
   * {@code rdma_establish}, after {@link CmEvent.ConnectResponse}: the peer gets its {@link
   * CmEvent.Established}.
   *
   * @throws VerbsException EINVAL, also if the id has a queue pair: then the library establishes
   *     the connection
   */
  public void establish() {
    if (qp() != null) {
      throw Errno.EINVAL.refusal("the id has a queue pair: connect() establishes");
    }
    open().establish();
    handshake.told(CmEventType.ESTABLISHED);
  }

  /**
   * {@code rdma_disconnect}: the queue pair goes to ERR, and the peer is told. Outcome: {@link
   * CmEvent.Disconnected} at both ends. Where there is no connection to end, of a datagram service
   * for instance, nothing is told, and a synchronous id does not wait.
   *
   * @throws VerbsException EINVAL: no request was sent, accepted or rejected
   */
  public void disconnect() {
    boolean connected = handshake.standing();
    handshake.disconnect();
    if (connected) {
      delivery.complete();
    }
  }

  /**
   * {@code rdma_notify}: a packet has arrived on the queue pair although the peer's confirmation
   * has not. Outcome: {@link CmEvent.Established}.
   *
   * @param event COMM_EST
   * @throws VerbsException EISCONN if the connection is established already, EINVAL for another
   *     event
   */
  public void notify(EventType event) {
    open().notify(RequiredArgument.check(event, "event"));
  }

  // Multicast.

  /**
   * {@code rdma_join_multicast}: the queue pair is attached, and the device hears the group.
   * Outcome: {@link CmEvent.MulticastJoin} or {@link CmEvent.MulticastError}.
   *
   * @param joinContext handed back by {@link CmEvent#joinContext}; may be null
   * @throws VerbsException EINVAL: not a group, not UD, not bound to a device, or the route is
   *     resolved; EOPNOTSUPP for IPv6 groups on devices that cannot join them, such as Linux's
   */
  public void joinMulticast(InetAddress group, Object joinContext) {
    joinMulticast(group, JoinFlag.FULLMEMBER, joinContext);
  }

  /** {@code rdma_join_multicast_ex}: as {@link #joinMulticast(InetAddress, Object)}. */
  public void joinMulticast(InetAddress group, JoinFlag flag, Object joinContext) {
    RequiredArgument.check(flag, "flag");
    memberships.join(RequiredArgument.check(group, "group"), flag, joinContext);
    delivery.complete();
  }

  /**
   * {@code rdma_leave_multicast}; also cancels a join in progress. Of several joins of the group it
   * takes back the last.
   *
   * @throws VerbsException EADDRNOTAVAIL if it was not joined
   */
  public void leaveMulticast(InetAddress group) {
    memberships.leave(RequiredArgument.check(group, "group"));
  }

  /**
   * {@code rdma_migrate_id}: its events, pending ones included, arrive on another channel from now
   * on. Waits until the events that were taken are acknowledged.
   *
   * @param to null: the id becomes synchronous
   * @throws VerbsException EINVAL if it is synchronous and {@code to} is null, or the channel is of
   *     another connection manager; EDEADLK if this thread took an event that is not acknowledged
   */
  public void migrate(EventChannel to) {
    checkOpen();
    delivery.migrate(to);
  }

  /**
   * {@code rdma_destroy_id} and {@code rdma_destroy_ep}: destroys the queue pair, the shared
   * receive queue and the completion queues that it created, leaves its groups, and ends its
   * connection and any join in progress. Waits until the events that were taken are acknowledged.
   * Idempotent.
   *
   * @throws VerbsException EDEADLK, and nothing is closed, if this thread took an event that is not
   *     acknowledged; EINTR if the thread is interrupted while it waits; EBUSY if another queue
   *     pair uses the shared receive queue
   */
  @Override
  public void close() {
    if (closed) {
      destroyQueues(); // the thread that closes it was interrupted, or has not come so far
      return;
    }
    delivery.settle();
    closed = true;
    delivery.debt().end();
    try {
      destroyQueues();
    } finally {
      destroy();
    }
    delivery.debt().awaitNone();
  }

  /** Until this has succeeded, the manager's close closes the id again. */
  private synchronized void destroyQueues() {
    memberships.detach();
    queues.close();
    cm.remove(this);
  }

  /** Closes everything; a refusal of the backend is thrown at the end. */
  private void destroy() {
    try {
      provided.close();
    } finally {
      postings.close();
      delivery.close();
    }
  }

  /** Such as {@code id TCP 10.0.0.1:7471 - 10.0.0.2:18515}. */
  @Override
  public String toString() {
    return Wording.of(
        "id %s %s - %s", ps, Wording.endpoint(localAddr()), Wording.endpoint(peerAddr()));
  }

  // For the library.

  ProviderId provided() {
    return provided;
  }

  RdmaCm cm() {
    return cm;
  }

  Delivery delivery() {
    return delivery;
  }

  Handshake handshake() {
    return handshake;
  }

  Postings postings() {
    return postings;
  }

  Context verbsOrRefuse() {
    Context context = verbs();
    if (context == null) {
      throw new VerbsException(
          Errno.EINVAL, this + " is not bound to a device: resolve or bind an address of one");
    }
    return context;
  }

  /** The backend's id; fails if this id is closed. */
  ProviderId open() {
    checkOpen();
    return provided;
  }

  void checkOpen() {
    if (closed) {
      throw new VerbsException(Errno.EINVAL, this + " is closed");
    }
  }

  Requests requests() {
    return requests;
  }

  synchronized IdQueues.Completions sends() {
    return queues.send();
  }

  synchronized IdQueues.Completions receives() {
    return queues.receive();
  }

  /** Runs a step of this id's creation; closes the id if the step fails. */
  CmId madeBy(Runnable step) {
    boolean complete = false;
    try {
      step.run();
      complete = true;
      return this;
    } finally {
      if (!complete) {
        close();
      }
    }
  }

  synchronized void joined(Membership membership, UdParam where) {
    memberships.joined(membership, where, queues.qp());
  }
}
