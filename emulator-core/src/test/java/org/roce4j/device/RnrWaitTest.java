package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Opcode;

/** A requester whose peer had no receive request: its wait, and what it does after it. */
class RnrWaitTest {
  private static final int TIMER_CODE = 2;
  private static final int RNR_NAK = Aeth.rnrNak(TIMER_CODE);
  private static final long DELAY_NS = Aeth.rnrDelayNs(TIMER_CODE);

  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), Transmit.MAX_SEGMENTS);
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final QueuePair qp = lone.qp(QpType.RC);
  private final PlayedPeer peer = new PlayedPeer(lone.engine, qp);
  private long nowNs = 1_000_000;

  /** Two SENDs are under way, and the peer has no receive request for the first one. */
  @BeforeEach
  void theFirstOfTwoSendsIsRefused() {
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024).rnrRetry(1));
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 2, 1, 0);
    list.add().opcode(WrOpcode.SEND);
    list.add().opcode(WrOpcode.SEND);
    assertEquals(0, qp.postSend(list));
    lone.engine.handleDoorbells(nowNs);
    assertEquals(2, sent());
    answers(RNR_NAK);
    assertEquals(0, sent(), "it waits");
  }

  private int sent() {
    return lone.packetsSent(nowNs, train);
  }

  private void answers(int syndrome) {
    Opcode opcode = Opcode.RC_ACKNOWLEDGE;
    Aeth.put(peer.buffer, opcode.aethAt(), syndrome, 0);
    peer.says(nowNs, opcode, false, 0);
  }

  private void passes(long ns) {
    nowNs += ns;
    lone.engine.handleTimeout(nowNs);
  }

  /** It belongs to the same attempt: the network has duplicated it. */
  @Test
  void aSecondNakDuringTheWaitSpendsNoRetryAndProlongsNothing() {
    passes(DELAY_NS - 1);
    assertEquals(0, sent());
    answers(RNR_NAK);
    answers(RNR_NAK);
    assertEquals(QpState.RTS, qp.state());
    passes(1);
    assertEquals(2, sent());
  }

  /** Without an ACK timeout nothing else would bring it back. */
  @Test
  void aLossOfWhatIsSentAfterTheWaitIsRepairedAtTheFirstHint() {
    passes(DELAY_NS);
    assertEquals(2, sent());
    answers(Aeth.NAK_SEQUENCE);
    assertEquals(2, sent());
    answers(Aeth.NAK_SEQUENCE);
    assertEquals(0, sent(), "it says the same again");
  }

  @Test
  void aHintOfLossDuringTheWaitIsIgnored() {
    answers(Aeth.NAK_SEQUENCE);
    assertEquals(0, sent());
    passes(DELAY_NS);
    assertEquals(2, sent());
  }
}
