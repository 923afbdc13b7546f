package org.roce4j.verbs;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * The XRC calls of libibverbs before 1.1.8 (OFED 1.x), for programs that are ported. Each makes one
 * or two of today's calls; new programs make those directly. Where the old interface knew a target
 * queue pair by its number alone and counted which processes are registered for it, this object
 * holds the handle: one object stands for one process. Thread-safe.
 */
public final class LegacyXrc {
  /** Of a registration; whether the domain is decorated makes no difference. */
  private record Key(XrcDomain domain, int qpNum) {
    Key {
      domain = Wrapper.innermost(domain);
    }
  }

  private final Map<Key, QueuePair> registered = new HashMap<>();

  /**
   * {@code ibv_open_xrc_domain}; today {@link Context#openXrcd}.
   *
   * @param file in the place of {@code fd}; null for -1, with which {@code oflag} is O_CREAT
   * @param oflag of {@link XrcdInitAttr}
   * @throws VerbsException as {@link Context#openXrcd}
   */
  public XrcDomain openXrcDomain(Context context, Path file, int oflag) {
    return RequiredArgument.check(context, "context").openXrcd(new XrcdInitAttr(file, oflag));
  }

  /**
   * {@code ibv_close_xrc_domain}; today {@link XrcDomain#close}.
   *
   * @throws VerbsException EBUSY while shared receive queues or queue pairs of it exist
   */
  public void closeXrcDomain(XrcDomain domain) {
    RequiredArgument.check(domain, "domain").close();
  }

  /**
   * {@code ibv_create_xrc_srq}; today {@link Context#createSrq} with type {@link SrqType#XRC}. Its
   * number, then a field of the structure, is {@link SharedReceiveQueue#srqNum}.
   *
   * @param cq where its receives complete
   * @throws VerbsException as {@link Context#createSrq}
   */
  public SharedReceiveQueue createXrcSrq(
      ProtectionDomain pd, XrcDomain domain, CompletionQueue cq, SrqInitAttr attr) {
    RequiredArgument.check(attr, "attr");
    return RequiredArgument.check(pd, "pd")
        .context()
        .createSrq(
            new SrqInitAttrEx()
                .srqType(SrqType.XRC)
                .pd(pd)
                .xrcd(domain)
                .cq(cq)
                .userContext(attr.userContext())
                .maxWr(attr.maxWr())
                .maxSge(attr.maxSge()));
  }

  /**
   * {@code ibv_create_xrc_rcv_qp}; today {@link Context#createQp} with type {@link
   * QpType#XRC_RECV}. This object is registered for it, and must unregister.
   *
   * @param attr only {@link QpInitAttr#xrcd} and the user context are used
   * @return the number of the queue pair
   * @throws VerbsException as {@link Context#createQp}
   */
  public synchronized int createXrcRcvQp(QpInitAttr attr) {
    XrcDomain domain = RequiredArgument.check(attr, "attr").xrcd();
    QueuePair qp =
        RequiredArgument.check(domain, "xrc_domain")
            .context()
            .createQp(
                new QpInitAttr()
                    .qpType(QpType.XRC_RECV)
                    .xrcd(domain)
                    .userContext(attr.userContext()));
    registered.put(new Key(domain, qp.qpNum()), qp);
    return qp.qpNum();
  }

  /**
   * {@code ibv_modify_xrc_rcv_qp}; today {@link QueuePair#modify(QpAttr, int)} of the handle.
   *
   * @throws VerbsException EINVAL if the domain has no such queue pair, and as {@link
   *     QueuePair#modify(QpAttr, int)}: then nothing is changed
   */
  public synchronized void modifyXrcRcvQp(XrcDomain domain, int qpNum, QpAttr attr, int mask) {
    RequiredArgument.check(attr, "attr");
    QueuePair own = registered.get(new Key(RequiredArgument.check(domain, "domain"), qpNum));
    if (own != null) {
      own.modify(attr, mask);
      return;
    }
    try (QueuePair opened = open(domain, qpNum)) {
      opened.modify(attr, mask);
    }
  }

  /**
   * {@code ibv_query_xrc_rcv_qp}; today {@link QueuePair#query} of the handle, which returns all
   * attributes regardless of the mask.
   *
   * @throws VerbsException EINVAL if the domain has no such queue pair
   */
  public synchronized QpAttr queryXrcRcvQp(XrcDomain domain, int qpNum) {
    QueuePair own = registered.get(new Key(RequiredArgument.check(domain, "domain"), qpNum));
    if (own != null) {
      return own.query();
    }
    try (QueuePair opened = open(domain, qpNum)) {
      return opened.query();
    }
  }

  /**
   * {@code ibv_reg_xrc_rcv_qp}; today {@link Context#openQp}, whose handle keeps the queue pair.
   * Registering again changes nothing.
   *
   * @throws VerbsException EINVAL if the domain has no such queue pair
   */
  public synchronized void regXrcRcvQp(XrcDomain domain, int qpNum) {
    Key key = new Key(RequiredArgument.check(domain, "domain"), qpNum);
    if (!registered.containsKey(key)) {
      registered.put(key, open(domain, qpNum));
    }
  }

  /**
   * {@code ibv_unreg_xrc_rcv_qp}; today {@link QueuePair#close} of the handle: the last destroys
   * the queue pair.
   *
   * @throws VerbsException EINVAL if this object is not registered for it
   */
  public synchronized void unregXrcRcvQp(XrcDomain domain, int qpNum) {
    Key key = new Key(RequiredArgument.check(domain, "domain"), qpNum);
    QueuePair own = registered.get(key);
    if (own == null) {
      throw Errno.EINVAL.refusal(
          "not registered for queue pair 0x%x of this XRC domain (regXrcRcvQp)", qpNum);
    }
    own.close();
    registered.remove(key);
  }

  private static QueuePair open(XrcDomain domain, int qpNum) {
    return domain.context().openQp(new QpOpenAttr(qpNum, domain));
  }
}
