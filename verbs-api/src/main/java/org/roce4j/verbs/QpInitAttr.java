package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/** {@code struct ibv_qp_init_attr}: what a queue pair is created with. Fluent; not thread-safe. */
public final class QpInitAttr {
  private Object userContext;
  private CompletionQueue sendCq;
  private CompletionQueue recvCq;
  private SharedReceiveQueue srq;
  private QpCapabilities cap = new QpCapabilities(1, 1, 1, 1, 0);
  private QpType qpType = QpType.RC;
  private boolean sqSigAll;
  private int createFlags;
  private int sourceQpn;
  private long sendOps;
  private ProtectionDomain pd;
  private XrcDomain xrcd;

  /** A copy whose attributes can be changed independently. */
  public QpInitAttr copy() {
    return new QpInitAttr()
        .userContext(userContext)
        .sendCq(sendCq)
        .recvCq(recvCq)
        .srq(srq)
        .cap(cap)
        .qpType(qpType)
        .sqSigAll(sqSigAll)
        .createFlags(createFlags)
        .sourceQpn(sourceQpn)
        .sendOps(sendOps)
        .pd(pd)
        .xrcd(xrcd);
  }

  /**
   * The program's own object ({@code qp_context}), which {@link QueuePair#userContext} returns; may
   * be null.
   */
  public QpInitAttr userContext(Object value) {
    userContext = value;
    return this;
  }

  /** The completion queue of sends, of the same context; required except for XRC_RECV. */
  public QpInitAttr sendCq(CompletionQueue value) {
    sendCq = Wrapper.innermost(value);
    return this;
  }

  /**
   * The completion queue of receives, of the same context; required except for XRC_SEND and
   * XRC_RECV.
   */
  public QpInitAttr recvCq(CompletionQueue value) {
    recvCq = Wrapper.innermost(value);
    return this;
  }

  /** One queue for sends and receives. */
  public QpInitAttr cq(CompletionQueue value) {
    return sendCq(value).recvCq(value);
  }

  /**
   * The shared receive queue to use instead of a receive queue of its own: for RC and UD on every
   * device, for UC on the emulator and some adapters.
   */
  public QpInitAttr srq(SharedReceiveQueue value) {
    srq = Wrapper.innermost(value);
    return this;
  }

  /** Minimum sizes of the queues; default: one request of one element in each direction. */
  public QpInitAttr cap(QpCapabilities value) {
    cap = value;
    return this;
  }

  /** The service; default: RC. */
  public QpInitAttr qpType(QpType value) {
    qpType = value;
    return this;
  }

  /** True: every send request is signaled; false: those with {@link SendFlags#SIGNALED}. */
  public QpInitAttr sqSigAll(boolean value) {
    sqSigAll = value;
    return this;
  }

  /** Of {@link QpCreateFlags}. */
  public QpInitAttr createFlags(int value) {
    createFlags = value;
    return this;
  }

  /**
   * The number that packets bear as their source ({@code source_qpn}), with {@link
   * QpCreateFlags#SOURCE_QPN}: for UD queue pairs beneath IP over InfiniBand. The kernel requires
   * CAP_NET_RAW (EPERM). No device has it on RoCE (EOPNOTSUPP): of Linux's drivers mlx5 alone knows
   * the flag, and takes it where the port is of InfiniBand; the emulator refuses it, too.
   *
   * @param value 24 bits
   */
  public QpInitAttr sourceQpn(int value) {
    sourceQpn = value;
    return this;
  }

  /**
   * Of {@link SendOpsFlags} ({@code IBV_QP_INIT_ATTR_SEND_OPS_FLAGS}): the operations that {@link
   * QueuePair#builder} is to build; 0: none, the queue pair has no builder.
   */
  public QpInitAttr sendOps(long value) {
    sendOps = value;
    return this;
  }

  /** For {@link Context#createQp}: the protection domain, of every type but XRC_RECV. */
  public QpInitAttr pd(ProtectionDomain value) {
    pd = Wrapper.innermost(value);
    return this;
  }

  /** For {@link Context#createQp}: the XRC domain of an XRC_RECV queue pair. */
  public QpInitAttr xrcd(XrcDomain value) {
    xrcd = Wrapper.innermost(value);
    return this;
  }

  /** The program's own object; null unless set. */
  public Object userContext() {
    return userContext;
  }

  /** The completion queue of sends. */
  public CompletionQueue sendCq() {
    return sendCq;
  }

  /** The completion queue of receives. */
  public CompletionQueue recvCq() {
    return recvCq;
  }

  /** The shared receive queue; null: the queue pair has its own receive queue. */
  public SharedReceiveQueue srq() {
    return srq;
  }

  /** Sizes asked for; of an existing queue pair those granted. */
  public QpCapabilities cap() {
    return cap;
  }

  /** The service. */
  public QpType qpType() {
    return qpType;
  }

  /** Whether every send request completes with an entry. */
  public boolean sqSigAll() {
    return sqSigAll;
  }

  /** Options, of {@link QpCreateFlags}. */
  public int createFlags() {
    return createFlags;
  }

  /** The number that packets bear as their source. */
  public int sourceQpn() {
    return sourceQpn;
  }

  /** Of {@link SendOpsFlags}. */
  public long sendOps() {
    return sendOps;
  }

  /**
   * The protection domain; null with {@link ProtectionDomain#createQp}, which uses its own domain.
   */
  public ProtectionDomain pd() {
    return pd;
  }

  /** The XRC domain; null except for XRC_RECV. */
  public XrcDomain xrcd() {
    return xrcd;
  }

  /** Such as {@code RC with send_cq CQ 3 on roce0, recv_cq CQ 3 on roce0, ...}. */
  @Override
  public String toString() {
    return Wording.of(
        "%s with sendCq %s, recvCq %s%s, %s%s",
        qpType,
        sendCq,
        recvCq,
        srq == null ? "" : ", srq " + srq,
        cap,
        sqSigAll ? ", every send signaled" : "");
  }
}
