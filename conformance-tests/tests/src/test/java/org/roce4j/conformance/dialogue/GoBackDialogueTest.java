package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Limit;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.WcStatus;

/** Go-back-N of SEND and WRITE (rc-transport 3.1, 3.2): psn_retry, implied_nak_sequence_error. */
@Holds(Rule.GO_BACK)
class GoBackDialogueTest extends DialogueFixture {

  private PacketDraft send(int psn) {
    return here.send(psn).bytes(0, 10).ackReq();
  }

  @ParameterizedTest
  @ValueSource(ints = {0xfffffc, 0xfffffd, 0xfffffe, 0xffffff, 0, 0x7ffffe, 0x7fffff})
  @DisplayName("a retry across the wrap of the PSN is like any other")
  @Holds(Rule.PSN_ORDER)
  void goesBackAcrossTheWrap(int firstPsn) {
    begin(rc().psns(firstPsn, 1));
    qp.postsSend(1, 700);
    qp.postsSend(2, 10);
    d.hears(
        here.sendFirst(0).bytes(0, 256),
        here.sendMiddle(1).bytes(256, 512),
        here.sendLast(2).bytes(512, 700).ackReq(),
        send(3));
    d.says(peer.sequenceNak(1, 0));
    d.hears(here.sendMiddle(1).bytes(256, 512), here.sendLast(2).bytes(512, 700).ackReq(), send(3));
    d.says(peer.ack(3, 2));
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(2, WcStatus.SUCCESS);
    assertEquals(firstPsn + 4 & 0xffffff, qp.qp.query().sqPsn());
  }

  @Test
  @DisplayName("the packet that closes the path's window asks for an ACK, even if it is the first")
  @Holds(Rule.ACK_REQUEST)
  void asksForAnAckWhenThePathIsFull() {
    begin(rc().limits(DeviceLimits.DEFAULT.with(Limit.PATH_WINDOW_BYTES, 1)).mtu(Mtu.MTU_4096));
    int bytes = 0xf000;
    qp.postsSend(1, bytes);
    int psn = 0;
    int heard = 0;
    while (heard < bytes) {
      var packet = d.hearsSomething();
      heard += packet.payload().length();
      if (packet.bth().ackReq()) {
        d.says(peer.ack(psn, 0));
      }
      psn++;
    }
    qp.sent(1, WcStatus.SUCCESS);
    assertEquals(0, qp.counter(Counter.ACK_TIMEOUT));
  }
}
