package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;

/** What a device counts: each happening by its name, and nothing else. */
@Holds(Rule.COUNTERS)
class CounterDialogueTest extends DialogueFixture {
  private static final long VA = 0x1000;
  private static final int RKEY = 77;
  private static final long TIMEOUT_14 = 4096L << 14;

  /** What every packet counts. */
  private static final Set<Counter> TRAFFIC =
      EnumSet.of(
          Counter.SENT_PACKETS,
          Counter.SENT_BYTES,
          Counter.SENT_TRAINS,
          Counter.RECEIVED_PACKETS,
          Counter.RECEIVED_BYTES,
          Counter.RECEIVED_TRAINS);

  private void counted(Map<Counter, Integer> expected) {
    Map<Counter, Integer> counts = new EnumMap<>(Counter.class);
    for (Counter counter : EnumSet.complementOf(EnumSet.copyOf(TRAFFIC))) {
      int count = (int) qp.counter(counter);
      if (count != 0) {
        counts.put(counter, count);
      }
    }
    assertEquals(new EnumMap<>(expected), counts);
  }

  private PacketDraft write(int psn) {
    return peer.write(psn, qp.va(0), qp.region.rkey(), 8).bytes(0, 8).ackReq();
  }

  private PacketDraft send(int psn) {
    return here.send(psn).bytes(0, 10).ackReq();
  }

  private PacketDraft read(int psn, int length) {
    return peer.read(psn, qp.patternVa(0), qp.region.rkey(), length);
  }

  // ---- the receiving half

  @Test
  @DisplayName("ACKs that are sent, and those that a later one of the same batch replaces")
  void countsAcknowledgements() {
    begin(rc());
    d.says(write(0));
    d.hears(here.ack(0, 1));
    d.says(write(1), write(2), write(3));
    d.hears(here.ack(3, 4));
    counted(Map.of(Counter.SENT_ACKS, 2, Counter.ACK_DEFERRED, 2));
  }

  @Test
  @DisplayName("duplicates, and the ACK for them")
  void countsDuplicates() {
    begin(rc());
    d.says(write(0));
    d.hears(here.ack(0, 1));
    d.says(write(0));
    d.hears(here.ack(0, 1));
    counted(Map.of(Counter.SENT_ACKS, 2, Counter.DUPLICATE_REQUEST, 1));
  }

  @Test
  @DisplayName("packets from beyond a gap, and the one NAK for them")
  void countsGaps() {
    begin(rc());
    d.says(write(1), write(2));
    d.hears(here.sequenceNak(0, 0));
    counted(Map.of(Counter.OUT_OF_SEQUENCE_REQUEST, 2, Counter.SENT_SEQUENCE_NAK, 1));
  }

  @Test
  @DisplayName("RNR NAKs that are sent, and messages that are received")
  void countsReceives() {
    begin(rc());
    d.says(peer.send(0).bytes(0, 8).ackReq());
    d.hears(here.rnrNak(0, 12, 0));
    qp.postsReceive(1, 8);
    d.says(peer.send(0).bytes(0, 8));
    qp.received(1, 8);
    counted(Map.of(Counter.SENT_RNR, 1, Counter.RDMA_RECEIVES, 1));
  }

  @Test
  @DisplayName("a fatal request: its kind, the receive that fails, those that are flushed")
  void countsAFatalRequest() {
    begin(rc());
    qp.postsReceive(1, 8);
    qp.postsReceive(2, 8);
    d.says(peer.send(0).bytes(0, 9).ackReq());
    d.hears(here.invalidRequestNak(0, 0));
    counted(
        Map.of(
            Counter.RESPONDER_LENGTH_ERROR,
            1,
            Counter.RESPONDER_CQE_ERROR,
            1,
            Counter.RESPONDER_CQE_FLUSHED,
            1));
  }

  @Test
  @DisplayName("a receive buffer that may not be used")
  void countsALocalProtectionError() {
    begin(rc());
    qp.postsReceive(1, 8, ~qp.region.lkey());
    d.says(peer.send(0).bytes(0, 8).ackReq());
    d.hears(here.remoteOperationalNak(0, 0));
    counted(Map.of(Counter.RESPONDER_PROTECTION_ERROR, 1, Counter.RESPONDER_CQE_ERROR, 1));
  }

  @Test
  @DisplayName("a request that its queue pair refuses")
  void countsInvalidRequests() {
    begin(rc());
    d.says(peer.writeLast(0).bytes(0, 8).ackReq());
    d.hears(here.invalidRequestNak(0, 0));
    counted(Map.of(Counter.RESPONDER_INVALID_REQUEST, 1));
  }

  @Test
  @DisplayName("a remote key that is wrong")
  void countsAccessErrors() {
    begin(rc());
    d.says(peer.write(0, qp.va(0), ~qp.region.rkey(), 8).bytes(0, 8).ackReq());
    d.hears(here.remoteAccessNak(0, 0));
    counted(Map.of(Counter.RESPONDER_ACCESS_ERROR, 1));
  }

  @Test
  @DisplayName("a key that dies between request and answer")
  void countsAnAccessErrorOfAnAnswer() {
    begin(rc());
    d.says(read(0, 8));
    d.hears(here.readOnly(0, 1).bytes(0, 8));
    qp.region.close();
    d.says(read(0, 8));
    d.hearsNothing();
    counted(Map.of(Counter.DUPLICATE_REQUEST, 1, Counter.REQUEST_DROPPED, 1));
  }

  @Test
  @DisplayName("SEND with Invalidate of what cannot be invalidated")
  void countsAVainInvalidate() {
    begin(rc());
    qp.postsReceive(1, 8);
    d.says(peer.sendInvalidate(0, qp.region.rkey()).bytes(0, 8).ackReq());
    d.hearsNothing();
    counted(Map.of(Counter.RESPONDER_ACCESS_ERROR, 1, Counter.RESPONDER_CQE_ERROR, 1));
  }

  @Test
  @DisplayName("requests after a fatal one, until its NAK has left, are dropped")
  void countsWhatFollowsAFatalRequest() {
    begin(rc());
    d.says(peer.writeLast(0).bytes(0, 8).ackReq(), write(0), write(1));
    d.hears(here.invalidRequestNak(0, 0));
    counted(Map.of(Counter.RESPONDER_INVALID_REQUEST, 1, Counter.REQUEST_DROPPED, 2));
  }

  // ---- the sending half

  @Test
  @DisplayName("requests that are done, and the ACKs for them")
  void countsSends() {
    begin(rc());
    qp.postsSend(1, 10);
    qp.postsSend(2, 10);
    d.hears(send(0), send(1));
    d.says(peer.ack(0, 1), peer.ack(1, 2));
    counted(Map.of(Counter.RDMA_SENDS, 2, Counter.RECEIVED_ACKS, 2));
  }

  @Test
  @DisplayName("a timeout, its retry and what is sent again")
  void countsATimeout() {
    begin(rc());
    qp.postsSend(1, 300);
    d.hears(here.sendFirst(0).bytes(0, 256), here.sendLast(1).bytes(256, 300).ackReq());
    d.hearsAt(TIMEOUT_14, here.sendFirst(0).bytes(0, 256));
    d.hears(here.sendLast(1).bytes(256, 300).ackReq());
    counted(
        Map.of(
            Counter.ACK_TIMEOUT, 1, Counter.COMPLETER_RETRY, 1, Counter.RETRANSMITTED_PACKETS, 2));
  }

  @Test
  @DisplayName("a sequence NAK that is received")
  void countsASequenceNak() {
    begin(rc());
    qp.postsSend(1, 10);
    d.hears(send(0));
    d.says(peer.sequenceNak(0, 0));
    d.hears(send(0));
    counted(
        Map.of(
            Counter.RECEIVED_ACKS,
            1,
            Counter.RECEIVED_SEQUENCE_NAK,
            1,
            Counter.COMPLETER_RETRY,
            1,
            Counter.RETRANSMITTED_PACKETS,
            1));
  }

  @Test
  @DisplayName("an RNR NAK that is received is no retry")
  void countsAnRnrNak() {
    begin(rc());
    qp.postsSend(1, 10);
    d.hears(send(0));
    d.says(peer.rnrNak(0, 1, 0));
    d.hearsAt(Dialogue.us(10), send(0));
    counted(
        Map.of(
            Counter.RECEIVED_ACKS, 1, Counter.RECEIVED_RNR, 1, Counter.RETRANSMITTED_PACKETS, 1));
  }

  @Test
  @DisplayName("no RNR retry is left: the request that fails, those that are flushed")
  void countsTheEndOfRnrRetries() {
    begin(rc().rnrRetry(0));
    qp.postsSend(1, 10);
    qp.postsSend(2, 10);
    d.hears(send(0), send(1));
    d.says(peer.rnrNak(0, 1, 0));
    qp.isIn(QpState.ERR);
    counted(
        Map.of(
            Counter.RECEIVED_ACKS,
            1,
            Counter.RECEIVED_RNR,
            1,
            Counter.RNR_RETRY_EXCEEDED,
            1,
            Counter.REQUESTER_CQE_ERROR,
            1,
            Counter.REQUESTER_CQE_FLUSHED,
            1));
  }

  @Test
  @DisplayName("no retry is left")
  void countsTheEndOfRetries() {
    begin(rc().retryCount(0));
    qp.postsSend(1, 10);
    d.hears(send(0));
    d.hearsNothingUntil(TIMEOUT_14);
    qp.sent(1, WcStatus.RETRY_EXC_ERR);
    counted(
        Map.of(Counter.ACK_TIMEOUT, 1, Counter.RETRY_EXCEEDED, 1, Counter.REQUESTER_CQE_ERROR, 1));
  }

  @Test
  @DisplayName("no retry is left for an answer that an RNR NAK passed over")
  void countsTheEndOfRetriesForAnAnswer() {
    begin(rc().retryCount(0));
    qp.postsRead(1, 8, VA, RKEY);
    qp.postsSend(2, 10);
    d.hears(here.read(0, VA, RKEY, 8), send(1));
    d.says(peer.rnrNak(1, 1, 1));
    qp.sent(1, WcStatus.RETRY_EXC_ERR);
    counted(
        Map.of(
            Counter.RECEIVED_ACKS,
            1,
            Counter.RECEIVED_RNR,
            1,
            Counter.RETRY_EXCEEDED,
            1,
            Counter.REQUESTER_CQE_ERROR,
            1,
            Counter.REQUESTER_CQE_FLUSHED,
            1));
  }

  @ParameterizedTest
  @CsvSource({
    "0x61, REMOTE_INVALID_REQUEST",
    "0x62, REMOTE_ACCESS_ERROR",
    "0x63, REMOTE_OPERATION_ERROR",
    "0x64, REMOTE_OPERATION_ERROR"
  })
  @DisplayName("each fatal NAK by its kind")
  void countsFatalNaks(int syndrome, Counter kind) {
    begin(rc());
    qp.postsSend(1, 10);
    d.hears(send(0));
    d.says(peer.acknowledge(0, syndrome, 0));
    qp.isIn(QpState.ERR);
    counted(Map.of(Counter.RECEIVED_ACKS, 1, kind, 1, Counter.REQUESTER_CQE_ERROR, 1));
  }

  @Test
  @DisplayName("a lost response: the gap, its retry, the part that is asked for")
  void countsALostResponse() {
    begin(rc());
    qp.postsRead(1, 700, VA, RKEY);
    d.hears(here.read(0, VA, RKEY, 700));
    d.says(peer.readFirst(0, 1).bytes(0, 256), peer.readLast(2, 1).bytes(512, 700));
    d.hears(here.read(1, VA + 256, RKEY, 444));
    counted(
        Map.of(
            Counter.RESPONSE_GAP,
            1,
            Counter.COMPLETER_RETRY,
            1,
            Counter.RETRANSMITTED_PACKETS,
            1,
            Counter.PARTIAL_READ_REPLAY,
            1));
  }

  @Test
  @DisplayName("an ACK that passes over a missing answer is a gap, once")
  void countsAnAnswerThatIsPassedOver() {
    begin(rc());
    qp.postsRead(1, 8, VA, RKEY);
    qp.postsSend(2, 10);
    d.hears(here.read(0, VA, RKEY, 8), send(1));
    d.says(peer.ack(1, 2));
    d.hears(here.read(0, VA, RKEY, 8), send(1));
    counted(
        Map.of(
            Counter.RECEIVED_ACKS,
            1,
            Counter.RESPONSE_GAP,
            1,
            Counter.COMPLETER_RETRY,
            1,
            Counter.RETRANSMITTED_PACKETS,
            2));
  }

  @Test
  @DisplayName("an answer to what was not asked, or long ago")
  void countsStaleResponses() {
    begin(rc());
    d.says(peer.ack(0, 1), peer.readOnly(-1, 1).bytes(0, 8));
    d.hearsNothing();
    counted(Map.of(Counter.RESPONSE_DROPPED, 2));
  }

  @Test
  @DisplayName("the wrap of the PSN, once, whether a packet or a READ passes it")
  void countsTheWrap() {
    begin(rc().psns(0xfffffe, 0));
    qp.postsSend(1, 10);
    qp.postsSend(2, 10);
    d.hears(send(0), send(1));
    counted(Map.of(Counter.PSN_WRAP, 1));
    qp.postsSend(3, 10);
    d.hears(send(2));
    counted(Map.of(Counter.PSN_WRAP, 1));
    begin(rc().psns(0xfffffe, 0));
    qp.postsRead(1, 700, VA, RKEY);
    d.hears(here.read(0, VA, RKEY, 700));
    counted(Map.of(Counter.PSN_WRAP, 1));
  }
}
