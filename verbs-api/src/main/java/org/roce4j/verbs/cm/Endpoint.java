package org.roce4j.verbs.cm;

import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpInitAttr;

/** The steps of {@code rdma_create_ep}. */
final class Endpoint {
  /** Of librdmacm, for address and route each. */
  private static final int TIMEOUT_MS = 2000;

  private Endpoint() {}

  static CmId create(RdmaCm cm, AddrInfo info, ProtectionDomain pd, QpInitAttr attr) {
    AddrInfo kind = AddressLookup.kind(info);
    CmId id = cm.createId(kind.portSpace(), kind.qpType());
    return id.madeBy(() -> make(id, info, pd, attr));
  }

  private static void make(CmId id, AddrInfo info, ProtectionDomain pd, QpInitAttr attr) {
    if ((info.flags() & AddrInfo.PASSIVE) != 0) {
      id.bindAddr(info.srcAddr());
      id.requests().queuePairs(pd, attr);
      return;
    }
    resolve(id, info);
    if (attr != null) {
      id.createQp(pd, attr.copy().qpType(id.qpType()));
    }
    id.handshake().prefix(info.connect());
  }

  private static void resolve(CmId id, AddrInfo info) {
    id.resolveAddr(info.srcAddr(), info.dstAddr(), TIMEOUT_MS);
    if (info.route().length > 0) {
      id.setIbPath(info.route());
    } else {
      id.resolveRoute(TIMEOUT_MS);
    }
  }
}
