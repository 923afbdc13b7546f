package org.roce4j.tools.pingpong;

import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;

/** UD with the attributes of {@code ibv_ud_pingpong}; each send names its destination. */
final class UnreliableDatagram implements PingPongService {
  /** Of both sides. */
  static final int QKEY = 0x11111111;

  @Override
  public QpType qpType() {
    return QpType.UD;
  }

  @Override
  public String label() {
    return "UD";
  }

  @Override
  public String program() {
    return "ibv_ud_pingpong";
  }

  @Override
  public int receiveHeadroom() {
    return GlobalRouteHeader.SIZE;
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
    return new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qkey(QKEY);
  }

  @Override
  public void connect(
      QueuePair qp, ExchangedAddress own, ExchangedAddress peer, int gidIndex, Traffic traffic) {
    qp.modify(new QpAttr().qpState(QpState.RTR));
    qp.modify(new QpAttr().qpState(QpState.RTS).sqPsn(own.psn()));
  }
}
