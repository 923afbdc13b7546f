package org.roce4j.tools.pingpong;

import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;

/** Several RC queue pairs on one shared receive queue, as {@code ibv_srq_pingpong}. */
final class SharedReceives implements PingPongService {
  private static final int EXCHANGED_MESSAGES = 256;

  private final ReliableConnection connection = new ReliableConnection();

  @Override
  public QpType qpType() {
    return connection.qpType();
  }

  @Override
  public String label() {
    return "RC with a shared receive queue";
  }

  @Override
  public String program() {
    return "ibv_srq_pingpong";
  }

  @Override
  public int receiveHeadroom() {
    return connection.receiveHeadroom();
  }

  @Override
  public boolean sharesReceives() {
    return true;
  }

  @Override
  public boolean reliable() {
    return connection.reliable();
  }

  @Override
  public int exchangedMessages() {
    return EXCHANGED_MESSAGES;
  }

  @Override
  public byte fillOfTheCProgram() {
    return 0;
  }

  @Override
  public QpAttr initialise() {
    return connection.initialise();
  }

  @Override
  public void connect(
      QueuePair qp, ExchangedAddress own, ExchangedAddress peer, int gidIndex, Traffic traffic) {
    connection.connect(qp, own, peer, gidIndex, traffic);
  }
}
