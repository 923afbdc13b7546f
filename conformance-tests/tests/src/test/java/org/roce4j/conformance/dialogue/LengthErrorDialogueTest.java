package org.roce4j.conformance.dialogue;

import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Length errors of each kind (rc-transport 4, check 5; R5): NAK invalid request, QP to ERR. */
@Holds(Rule.LENGTHS)
class LengthErrorDialogueTest extends DialogueFixture {
  LengthErrorDialogueTest() {
    super(rc());
  }

  @Test
  @DisplayName("our own request of more than 2^31 bytes: LOC_LEN_ERR, nothing is sent")
  void sendsNothingOfTooMuch() {
    qp.posts(
        qp.request(1, WrOpcode.RDMA_READ)
            .remote(0x1000, 77)
            .sge(qp.va(0), 1 << 31, qp.region.lkey())
            .sge(qp.va(0), 1, qp.region.lkey()));
    qp.sent(1, WcStatus.LOC_LEN_ERR);
    d.hearsNothing();
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("our own READ of just 2^31 bytes is begun, with what the path holds")
  void beginsTheLongestRead() {
    qp.posts(
        qp.request(1, WrOpcode.RDMA_READ)
            .remote(0x1000, 77)
            .sge(qp.va(0), 1 << 31, qp.region.lkey()));
    d.hears(here.read(0, 0x1000, 77, 272 * 256));
    d.hearsNothing();
  }

  @Test
  @DisplayName("R5: a SEND longer than the receive buffer: NAK 0x61, LOC_LEN_ERR here")
  @Holds(Rule.R5)
  void refusesASendLongerThanTheBuffer() {
    qp.postsReceive(1, 300);
    d.says(peer.sendFirst(0).bytes(0, 256), peer.sendLast(1).bytes(256, 301).ackReq());
    d.hears(here.invalidRequestNak(1, 0));
    qp.received(1, WcStatus.LOC_LEN_ERR);
    qp.event(EventType.QP_REQ_ERR);
    qp.isIn(QpState.ERR);
    qp.landed(256);
  }

  @Test
  @DisplayName("a SEND of just the buffer's length fits; zero length fits everywhere")
  void takesWhatJustFits() {
    qp.postsReceive(1, 300);
    qp.postsReceive(2, 0);
    d.says(
        peer.sendFirst(0).bytes(0, 256), peer.sendLast(1).bytes(256, 300), peer.send(2).ackReq());
    d.hears(here.ack(2, 2));
    qp.received(1, 300);
    qp.received(2, 0);
    qp.landed(300);
  }

  @Test
  @DisplayName("after the fatal NAK nothing is answered any more")
  @Holds(Rule.FATAL_SILENCE)
  void isSilentAfterwards() {
    d.says(peer.write(0, qp.va(0), qp.region.rkey(), 100).bytes(0, 99).ackReq());
    d.hears(here.invalidRequestNak(0, 0));
    d.says(
        peer.write(0, qp.va(0), qp.region.rkey(), 99).bytes(0, 99).ackReq(),
        peer.write(1, qp.va(0), qp.region.rkey(), 99).bytes(0, 99).ackReq());
    d.hearsNothingUntil(Dialogue.ms(1000));
    qp.nothingLanded();
  }

  @Test
  @DisplayName("the fatal NAK follows the answers of the requests before it")
  @Holds(Rule.ANSWER_ORDER)
  void answersWhatPrecedesTheFatalRequest() {
    d.says(
        peer.read(0, qp.patternVa(0), qp.region.rkey(), 300),
        peer.write(2, qp.va(0), qp.region.rkey(), 100).bytes(0, 99).ackReq());
    d.hears(
        here.readFirst(0, 1).bytes(0, 256),
        here.readLast(1, 1).bytes(256, 300),
        here.invalidRequestNak(2, 1));
  }
}
