package org.roce4j.tools.pingpong;

import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;

/** UC with the attributes of {@code ibv_uc_pingpong}. */
final class UnreliableConnection implements PingPongService {
  @Override
  public QpType qpType() {
    return QpType.UC;
  }

  @Override
  public String label() {
    return "UC";
  }

  @Override
  public String program() {
    return "ibv_uc_pingpong";
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
    return false;
  }

  @Override
  public byte fillOfTheCProgram() {
    return 0x7b;
  }

  @Override
  public QpAttr initialise() {
    return new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(0);
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
            .ahAttr(AhAttr.roce(peer.gid(), gidIndex)));
    qp.modify(new QpAttr().qpState(QpState.RTS).sqPsn(own.psn()));
  }
}
