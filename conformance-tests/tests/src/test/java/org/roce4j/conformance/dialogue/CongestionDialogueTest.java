package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;
import static org.roce4j.conformance.dialogue.QpSetup.uc;
import static org.roce4j.conformance.dialogue.QpSetup.ud;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.QpState;

/** Congestion marks (wire-format 8.3, 8.4): told to the sender, at most every 50 microseconds. */
@Holds(Rule.CONGESTION)
class CongestionDialogueTest extends DialogueFixture {
  private static final int EXPERIENCED = 3;

  CongestionDialogueTest() {
    super(rc());
  }

  private PacketDraft write(int psn) {
    return peer.write(psn, qp.va(0), qp.region.rkey(), 8).bytes(0, 8);
  }

  private void isTold(int times) {
    assertEquals(times, qp.counter(Counter.CNP_SENT));
  }

  @Test
  @DisplayName("a mark is answered by a CNP: BECN, PSN 0, no AckReq, 16 empty bytes")
  void answersAMark() {
    d.says(write(0).congested());
    d.hears(here.congestionNotification());
    d.hearsNothingUntil(Dialogue.ms(10));
    assertEquals(1, qp.counter(Counter.ECN_MARKED));
    isTold(1);
    qp.landed(8);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  @DisplayName("ECN-capable is no mark")
  void takesNoOtherCodeForAMark(int ecn) {
    d.says(write(0).trafficClass(ecn));
    d.hearsNothing();
    assertEquals(0, qp.counter(Counter.ECN_MARKED));
  }

  @ParameterizedTest
  @ValueSource(ints = {EXPERIENCED, 0xb8 | EXPERIENCED, 0xff})
  @DisplayName("the mark is the lowest two bits, whatever class the rest names")
  void seesTheMarkInAnyClass(int trafficClass) {
    d.says(write(0).trafficClass(trafficClass));
    d.hears(here.congestionNotification());
  }

  @Test
  @DisplayName("several marks in 50 us are told once; the one after them is told")
  void tellsAtABoundedRate() {
    d.says(write(0).congested());
    d.hears(here.congestionNotification());
    d.says(write(1).congested(), write(2).congested());
    d.hearsNothingUntil(Dialogue.us(50) - 1);
    d.says(write(3).congested());
    d.hearsNothing();
    d.hearsNothingUntil(Dialogue.us(50));
    d.says(write(4).congested());
    d.hears(here.congestionNotification());
    assertEquals(5, qp.counter(Counter.ECN_MARKED));
    isTold(2);
  }

  @Test
  @DisplayName("each queue pair has a rate of its own")
  void countsTheRatePerQueuePair() {
    QpUnderTest.Second other = qp.second();
    d.says(
        write(0).congested(),
        other.peer().write(0, qp.va(0), qp.region.rkey(), 8).bytes(0, 8).congested());
    d.hears(here.congestionNotification(), other.here().congestionNotification());
  }

  @Test
  @DisplayName("a marked request is answered as any other; its CNP goes beside the ACK")
  void answersTheRequestToo() {
    d.says(write(0).ackReq().congested());
    d.hears(here.ack(0, 1), here.congestionNotification());
  }

  @Test
  @DisplayName("a marked response is told as well")
  void tellsOfAMarkedResponse() {
    qp.postsSend(1, 10);
    d.hears(here.send(0).bytes(0, 10).ackReq());
    d.says(peer.ack(0, 1).congested());
    d.hears(here.congestionNotification());
  }

  @Test
  @DisplayName("UC is told too")
  void tellsTheSenderOfAnUnreliableConnection() {
    begin(uc().inRts());
    d.says(write(0).congested());
    d.hears(here.congestionNotification());
  }

  @Test
  @DisplayName("a datagram's mark is told nobody")
  void tellsNobodyOfADatagram() {
    begin(ud().inRts());
    qp.postsReceive(1, 100);
    d.says(
        new DatagramPackets(qp.qp.qpNum(), QpUnderTest.PEER_QPN, 0x1234, 0)
            .send(0)
            .bytes(0, 10)
            .congested());
    d.hearsNothing();
    qp.received(1, 50);
    isTold(0);
  }

  @Test
  @DisplayName("a packet that is not the queue pair's own says nothing about its path")
  void ignoresTheMarkOfAStrangersPacket() {
    d.says(write(0).pkey(0x8001).congested());
    d.hearsNothing();
    assertEquals(0, qp.counter(Counter.ECN_MARKED));
  }

  @Test
  @DisplayName("a CNP that comes is counted and changes nothing")
  void countsWhatItIsTold() {
    d.says(peer.congestionNotification());
    d.hearsNothing();
    assertEquals(1, qp.counter(Counter.CNP_RECEIVED));
    qp.isIn(QpState.RTS);
  }

  @Test
  @DisplayName("the 50 us count from the last one that was told, at any time")
  void countsTheRateFromTheLastOne() {
    d.hearsNothingUntil(Dialogue.ms(1));
    d.says(write(0).congested());
    d.hears(here.congestionNotification());
    d.hearsNothingUntil(Dialogue.ms(1) + Dialogue.us(50) - 1);
    d.says(write(1).congested());
    d.hearsNothingUntil(Dialogue.ms(2));
    isTold(1);
  }
}
