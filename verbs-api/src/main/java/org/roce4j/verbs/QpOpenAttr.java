package org.roce4j.verbs;

import org.roce4j.verbs.text.Wording;

/**
 * Which existing queue pair is opened ({@code struct ibv_qp_open_attr}).
 *
 * @param qpNum its number
 * @param xrcd its XRC domain, opened in the context that opens the queue pair
 * @param qpType {@link QpType#XRC_RECV}: no other can be opened
 * @param userContext of the new handle; may be null
 */
public record QpOpenAttr(int qpNum, XrcDomain xrcd, QpType qpType, Object userContext) {
  /** Takes the domain beneath decorators. */
  public QpOpenAttr {
    xrcd = Wrapper.innermost(xrcd);
  }

  /** The XRC_RECV queue pair of this number, without a user context. */
  public QpOpenAttr(int qpNum, XrcDomain xrcd) {
    this(qpNum, xrcd, QpType.XRC_RECV, null);
  }

  @Override
  public String toString() {
    return Wording.of("QP 0x%x %s in %s", qpNum, qpType, xrcd);
  }
}
