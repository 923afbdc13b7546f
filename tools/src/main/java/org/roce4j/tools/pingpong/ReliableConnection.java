package org.roce4j.tools.pingpong;

import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;

/** RC with the attributes of {@code ibv_rc_pingpong}. */
final class ReliableConnection implements PingPongService {
  private static final int RETRY_COUNT = 7;
  private static final int RNR_RETRY_WITHOUT_END = 7;

  /** 0.64 ms. */
  private static final int MIN_RNR_TIMER = 12;

  @Override
  public QpType qpType() {
    return QpType.RC;
  }

  @Override
  public String label() {
    return "RC";
  }

  @Override
  public String program() {
    return "ibv_rc_pingpong";
  }

  @Override
  public int receiveHeadroom() {
    return 0;
  }

  @Override
  public boolean sharesReceives() {
    return false;
  }

  @Override
  public boolean reliable() {
    return true;
  }

  @Override
  public byte fillOfTheCProgram() {
    return 0x7b;
  }

  @Override
  public QpAttr initialise() {
    return new QpAttr()
        .qpState(QpState.INIT)
        .pkeyIndex(0)
        .portNum(1)
        .qpAccessFlags(AccessFlags.REMOTE_WRITE);
  }

  @Override
  public void connect(
      QueuePair qp, ExchangedAddress own, ExchangedAddress peer, int gidIndex, Traffic traffic) {
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTR)
            .pathMtu(traffic.mtu())
            .destQpNum(peer.qpn())
            .rqPsn(peer.psn())
            .maxDestRdAtomic(1)
            .minRnrTimer(MIN_RNR_TIMER)
            .ahAttr(AhAttr.roce(peer.gid(), gidIndex)));
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTS)
            .timeout(traffic.ackTimeout())
            .retryCnt(RETRY_COUNT)
            .rnrRetry(RNR_RETRY_WITHOUT_END)
            .sqPsn(own.psn())
            .maxRdAtomic(1));
  }
}
