package org.roce4j.examples.flows;

import java.io.PrintStream;
import java.util.List;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;

/** Flow 13: every call of ibv_modify_qp; on RoCE the path is a GID and not a LID. */
final class BringUpFlow {
  private static final int PORT = 1;
  private static final int MY_PSN = 0x123456;
  private static final int REMOTE_PSN = 0x654321;

  private BringUpFlow() {}

  static void run(List<RdmaDevice> devices, PrintStream out) {
    try (Context context = devices.getFirst().open()) {
      ProtectionDomain pd = context.allocPd();
      CompletionQueue cq = context.createCq(16);
      AhAttr path = AhAttr.roce(context.queryGid(PORT, 0), 0);
      datagrams(pd.createQp(new QpInitAttr().qpType(QpType.UD).cq(cq)), out);
      QueuePair uc = pd.createQp(new QpInitAttr().qpType(QpType.UC).cq(cq));
      unreliable(uc, uc.qpNum(), path, out);
      QueuePair rc = pd.createQp(new QpInitAttr().qpType(QpType.RC).cq(cq));
      reliable(rc, rc.qpNum(), path, out);
    }
  }

  private static void datagrams(QueuePair qp, PrintStream out) {
    // IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY
    modify(qp, new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(PORT).qkey(0x22222222), out);
    modify(qp, new QpAttr().qpState(QpState.RTR), out); // IBV_QP_STATE
    modify(qp, new QpAttr().qpState(QpState.RTS).sqPsn(MY_PSN), out); // | IBV_QP_SQ_PSN
  }

  private static void unreliable(QueuePair qp, int remoteQpn, AhAttr path, PrintStream out) {
    // IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS
    modify(qp, new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(PORT).qpAccessFlags(0), out);
    // IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN
    modify(
        qp,
        new QpAttr()
            .qpState(QpState.RTR)
            .pathMtu(Mtu.MTU_1024)
            .destQpNum(remoteQpn)
            .rqPsn(REMOTE_PSN)
            .ahAttr(path),
        out);
    modify(qp, new QpAttr().qpState(QpState.RTS).sqPsn(MY_PSN), out); // | IBV_QP_SQ_PSN
  }

  private static void reliable(QueuePair qp, int remoteQpn, AhAttr path, PrintStream out) {
    modify(qp, new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(PORT).qpAccessFlags(0), out);
    // as UC, | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER
    modify(
        qp,
        new QpAttr()
            .qpState(QpState.RTR)
            .pathMtu(Mtu.MTU_1024)
            .destQpNum(remoteQpn)
            .rqPsn(REMOTE_PSN)
            .maxDestRdAtomic(1)
            .minRnrTimer(12)
            .ahAttr(path),
        out);
    // IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN
    // | IBV_QP_MAX_QP_RD_ATOMIC
    modify(
        qp,
        new QpAttr()
            .qpState(QpState.RTS)
            .sqPsn(MY_PSN)
            .timeout(14)
            .retryCnt(7)
            .rnrRetry(7)
            .maxRdAtomic(1),
        out);
  }

  private static void modify(QueuePair qp, QpAttr attr, PrintStream out) {
    qp.modify(attr); // ibv_modify_qp: the mask is what was set
    if (qp.state() == QpState.RTS) {
      out.println(qp.qpType() + " is in " + qp.state());
    }
  }
}
