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
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Go-back-N of SEND and WRITE (rc-transport 3.1, 3.2): psn_retry, implied_nak_sequence_error. */
@Holds(Rule.GO_BACK)
class GoBackDialogueTest extends DialogueFixture {
  private static final long TIMEOUT_14 = 4096L << 14;

  private PacketDraft send(int psn) {
    return here.send(psn).bytes(0, 10).ackReq();
  }

  @Test
  @DisplayName("psn_retry: goes back to the PSN of the NAK; what precedes it is acknowledged")
  void goesBackToThePsnOfTheNak() {
    begin(rc());
    qp.postsSend(1, 10);
    qp.postsSend(2, 10);
    qp.postsSend(3, 10);
    d.hears(send(0), send(1), send(2));
    d.says(peer.sequenceNak(1, 1));
    qp.sent(1, WcStatus.SUCCESS);
    d.hears(send(1), send(2));
    d.hearsNothing();
    d.says(peer.ack(2, 3));
    qp.sent(2, WcStatus.SUCCESS);
    qp.sent(3, WcStatus.SUCCESS);
    assertEquals(2, qp.counter(Counter.RETRANSMITTED_PACKETS));
  }

  @Test
  @DisplayName("the same PSN bears the same opcode and the same bytes again")
  void repeatsThePacketAsItWas() {
    begin(rc());
    qp.postsSend(1, 700);
    d.hears(
        here.sendFirst(0).bytes(0, 256),
        here.sendMiddle(1).bytes(256, 512),
        here.sendLast(2).bytes(512, 700).ackReq());
    d.says(peer.sequenceNak(1, 0));
    d.hears(here.sendMiddle(1).bytes(256, 512), here.sendLast(2).bytes(512, 700).ackReq());
    d.says(peer.sequenceNak(2, 0));
    d.hears(here.sendLast(2).bytes(512, 700).ackReq());
    d.says(peer.ack(2, 1));
    qp.sent(1, WcStatus.SUCCESS);
  }

  @Test
  @DisplayName("a NAK while a retry is under way and has not progressed starts no other one")
  @Holds(Rule.ONE_RETRY)
  void startsOneRetryAtATime() {
    begin(rc().retryCount(1));
    qp.postsSend(1, 10);
    qp.postsSend(2, 10);
    d.hears(send(0), send(1));
    d.says(peer.sequenceNak(0, 0), peer.sequenceNak(0, 0));
    d.hears(send(0), send(1));
    d.says(peer.sequenceNak(0, 0));
    d.hearsNothing();
    qp.nothingSent();
  }

  @Test
  @DisplayName("NAKs and timeouts spend the same retry_cnt")
  @Holds(Rule.RETRY_COUNT)
  void spendsRetriesOnNaksAndTimeouts() {
    begin(rc().retryCount(1));
    qp.postsSend(1, 10);
    d.hears(send(0));
    d.says(peer.sequenceNak(0, 0));
    d.hears(send(0));
    d.hearsNothingUntil(TIMEOUT_14 - 1);
    qp.nothingSent();
    d.hearsNothingUntil(TIMEOUT_14);
    qp.sent(1, WcStatus.RETRY_EXC_ERR);
  }

  @Test
  @DisplayName("a late ACK makes a retry skip what it covers")
  @Holds(Rule.IMPLIED_ACK)
  void skipsWhatWasAcknowledgedMeanwhile() {
    begin(rc());
    qp.postsSend(1, 10);
    qp.postsSend(2, 10);
    d.hears(send(0), send(1));
    d.hearsAt(TIMEOUT_14, send(0));
    d.hears(send(1));
    d.says(peer.ack(0, 1), peer.ack(1, 2));
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(2, WcStatus.SUCCESS);
    d.hearsNothingUntil(10 * TIMEOUT_14);
  }

  @Test
  @DisplayName("a stale NAK for what is long acknowledged is ignored")
  @Holds(Rule.STALE)
  void ignoresAStaleNak() {
    begin(rc());
    qp.postsSend(1, 10);
    d.hears(send(0));
    d.says(peer.ack(0, 1));
    qp.sent(1, WcStatus.SUCCESS);
    qp.postsSend(2, 10);
    d.hears(send(1));
    d.says(peer.sequenceNak(0, 0), peer.remoteAccessNak(0, 0), peer.rnrNak(0, 14, 0));
    d.hearsNothing();
    qp.isIn(QpState.RTS);
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

  @Test
  @DisplayName("R8: neither a NAK without progress nor a stale ACK reloads the retries")
  @Holds(Rule.R8)
  void reloadsNothingWithoutProgress() {
    begin(rc().retryCount(1));
    qp.postsSend(1, 10);
    d.hears(send(0));
    d.hearsAt(TIMEOUT_14, send(0));
    d.says(peer.sequenceNak(0, 0), peer.ack(-1, 0), peer.ack(1, 0));
    d.hearsNothingUntil(2 * TIMEOUT_14 - 1);
    qp.nothingSent();
    d.hearsNothingUntil(2 * TIMEOUT_14);
    qp.sent(1, WcStatus.RETRY_EXC_ERR);
  }

  @Test
  @DisplayName("a long message asks for an ACK with every sixteenth packet, and with its last")
  void asksNowAndThenForAnAcknowledgement() {
    begin(rc());
    int packets = 40;
    qp.postsSend(1, packets * 256);
    for (int i = 0; i < packets; i++) {
      PacketDraft draft =
          i == 0 ? here.sendFirst(0) : i < packets - 1 ? here.sendMiddle(i) : here.sendLast(i);
      draft = draft.bytes(i * 256, i * 256 + 256);
      d.hears(i % 16 == 15 || i == packets - 1 ? draft.ackReq() : draft);
    }
  }

  @Test
  @DisplayName("a request whose memory is refused waits for those before it, which are sent again")
  @Holds(Rule.COMPLETION_ORDER)
  void repeatsWhatIsBeforeALocalFailure() {
    begin(rc());
    qp.postsSend(1, 10);
    qp.posts(
        qp.request(2, WrOpcode.SEND).sge(qp.region, 0, 256).sge(qp.region.address(), 10, 0xdead));
    qp.postsSend(3, 10);
    d.hears(send(0), here.sendFirst(1).bytes(0, 256));
    d.says(peer.sequenceNak(0, 0));
    d.hears(send(0));
    d.hearsNothing();
    d.says(peer.ack(0, 1));
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(2, WcStatus.LOC_PROT_ERR);
    qp.sent(3, WcStatus.WR_FLUSH_ERR);
  }
}
