package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;
import static org.roce4j.conformance.dialogue.QpSetup.uc;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** A train holds so many packets and no more: what does not fit goes in the next one, in order. */
@Holds(Rule.TRAINS)
class TrainDialogueTest extends DialogueFixture {
  private static final int FULL = Transmit.MAX_SEGMENTS;
  private static final int MTU = 256;

  TrainDialogueTest() {
    super(rc().maxDestRdAtomic(16));
  }

  private PacketDraft read(int psn, int packets) {
    return peer.read(psn, qp.patternVa(0), qp.region.rkey(), (long) packets * MTU);
  }

  private void hearsRead(int psn, int packets, int msn) {
    for (int i = 0; i < packets; i++) {
      PacketDraft draft =
          i == 0
              ? here.readFirst(psn, msn)
              : i == packets - 1 ? here.readLast(psn + i, msn) : here.readMiddle(psn + i);
      d.hears(draft.bytes(i * MTU, (i + 1) * MTU));
    }
  }

  private PacketDraft write(int psn) {
    return peer.write(psn, qp.va(0), qp.region.rkey(), 8).bytes(0, 8).ackReq();
  }

  @Test
  @DisplayName("a READ of more than a train goes on where it stopped")
  void answersAReadInSeveralTrains() {
    d.says(read(0, 2 * FULL + 5));
    hearsRead(0, 2 * FULL + 5, 1);
    d.hearsNothing();
  }

  @Test
  @DisplayName("an ACK that finds the train full follows in the next")
  void acknowledgesInTheNextTrain() {
    d.says(read(0, FULL), write(FULL));
    hearsRead(0, FULL, 1);
    d.hears(here.ack(FULL, 2));
    d.hearsNothing();
    assertEquals(1, qp.counter(Counter.SENT_ACKS));
  }

  @Test
  @DisplayName("so does a sequence NAK")
  void naksInTheNextTrain() {
    d.says(read(0, FULL), write(FULL + 1));
    hearsRead(0, FULL, 1);
    d.hears(here.sequenceNak(FULL, 1));
    d.hearsNothing();
    assertEquals(1, qp.counter(Counter.SENT_SEQUENCE_NAK));
  }

  @Test
  @DisplayName("so does an RNR NAK")
  void tellsInTheNextTrainThatItIsNotReady() {
    d.says(read(0, FULL), peer.send(FULL).bytes(0, 8).ackReq());
    hearsRead(0, FULL, 1);
    d.hears(here.rnrNak(FULL, 12, 1));
    d.hearsNothing();
    assertEquals(1, qp.counter(Counter.SENT_RNR));
  }

  @Test
  @DisplayName("so does a fatal NAK, and only then the queue pair fails")
  void failsInTheNextTrain() {
    d.says(read(0, FULL), peer.writeLast(FULL).bytes(0, 8).ackReq());
    hearsRead(0, FULL, 1);
    d.hears(here.invalidRequestNak(FULL, 1));
    d.hearsNothing();
  }

  @Test
  @DisplayName("so does the ACK for a duplicate")
  void acknowledgesADuplicateInTheNextTrain() {
    d.says(write(0));
    d.hears(here.ack(0, 1));
    d.says(read(1, FULL), write(0));
    hearsRead(1, FULL, 2);
    d.hears(here.ack(0, 2));
    d.hearsNothing();
    assertEquals(2, qp.counter(Counter.SENT_ACKS));
  }

  @Test
  @DisplayName("so do the answers of atomics and ATOMIC_WRITE, each once")
  void answersAtomicsInTheNextTrain() {
    d.says(
        read(0, FULL),
        peer.fetchAdd(FULL, qp.va(0), qp.region.rkey(), 3),
        peer.atomicWrite(FULL + 1, qp.va(8), qp.region.rkey(), 8).bytes(0, 8));
    hearsRead(0, FULL, 1);
    d.hears(here.atomicAck(FULL, 2, 0), here.readOnly(FULL + 1, 3));
    d.hearsNothing();
    d.says(
        read(FULL + 2, FULL),
        peer.atomicWrite(2 * FULL + 2, qp.va(8), qp.region.rkey(), 8).bytes(0, 8));
    hearsRead(FULL + 2, FULL, 4);
    d.hears(here.readOnly(2 * FULL + 2, 5));
    d.hearsNothing();
  }

  /** Two READs whose second answer is the shorter one: it ends its train. */
  private PacketDraft[] readsThatEndATrain(int psn, PacketDraft last) {
    return new PacketDraft[] {
      peer.read(psn, qp.patternVa(0), qp.region.rkey(), 100),
      peer.read(psn + 1, qp.patternVa(0), qp.region.rkey(), 50),
      last
    };
  }

  private void hearsTheEndOfTheTrain(int psn, int msn) {
    d.hears(here.readOnly(psn, msn).bytes(0, 100), here.readOnly(psn + 1, msn + 1).bytes(0, 50));
  }

  @Test
  @DisplayName("a shorter packet ends a train: an RNR NAK opens the next one")
  void tellsBehindAShorterPacketThatItIsNotReady() {
    d.says(readsThatEndATrain(0, peer.send(2).bytes(0, 8).ackReq()));
    hearsTheEndOfTheTrain(0, 1);
    d.hears(here.rnrNak(2, 12, 2));
    d.hearsNothing();
    assertEquals(1, qp.counter(Counter.SENT_RNR));
  }

  @Test
  @DisplayName("so does the ACK for a duplicate there")
  void acknowledgesADuplicateBehindAShorterPacket() {
    d.says(write(0));
    d.hears(here.ack(0, 1));
    d.says(readsThatEndATrain(1, write(0)));
    hearsTheEndOfTheTrain(1, 2);
    d.hears(here.ack(0, 3));
    d.hearsNothing();
  }

  @Test
  @DisplayName("so does the answer of an atomic there")
  void answersAnAtomicBehindAShorterPacket() {
    d.says(readsThatEndATrain(0, peer.fetchAdd(2, qp.va(0), qp.region.rkey(), 3)));
    hearsTheEndOfTheTrain(0, 1);
    d.hears(here.atomicAck(2, 3, 0));
    d.hearsNothing();
    d.says(peer.read(3, qp.patternVa(0), qp.region.rkey(), 8));
    d.hears(here.readOnly(3, 4).bytes(0, 8));
  }

  @Test
  @DisplayName("so does a congestion notification")
  void notifiesInTheNextTrain() {
    d.says(read(0, FULL).congested());
    hearsRead(0, FULL, 1);
    d.hears(here.congestionNotification());
    d.hearsNothing();
    assertEquals(1, qp.counter(Counter.CNP_SENT));
  }

  @Test
  @DisplayName("requests: a message of more than a train goes on where it stopped")
  void sendsAMessageInSeveralTrains() {
    begin(uc());
    int packets = 2 * FULL + 1;
    qp.postsSend(1, packets * MTU);
    qp.postsSend(2, 10);
    for (int i = 0; i < packets; i++) {
      PacketDraft draft =
          i == 0 ? here.sendFirst(0) : i == packets - 1 ? here.sendLast(i) : here.sendMiddle(i);
      d.hears(draft.bytes(i * MTU, (i + 1) * MTU));
    }
    d.hears(here.send(packets).bytes(0, 10));
    d.hearsNothing();
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(2, WcStatus.SUCCESS);
    assertEquals(4, qp.counter(Counter.SENT_TRAINS));
  }

  @Test
  @DisplayName("requests that are larger than the train's first packet open the next one")
  void sendsEachKindBehindAShorterPacket() {
    begin(rc().mtu(Mtu.MTU_256).maxRdAtomic(8));
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 6, 1, 0);
    list.add().opcode(WrOpcode.SEND);
    list.add().opcode(WrOpcode.RDMA_READ).remote(0x1000, 7).sge(qp.region, QpUnderTest.HALF, 8);
    list.add().opcode(WrOpcode.SEND);
    fetchAdd(list);
    list.add().opcode(WrOpcode.SEND);
    list.add().opcode(WrOpcode.ATOMIC_WRITE).remote(0x1000, 7).sge(qp.region, 0, 8);
    qp.posts(list);
    d.hears(
        here.send(0).ackReq(),
        here.read(1, 0x1000, 7, 8),
        here.send(2).ackReq(),
        here.fetchAdd(3, 0x1000, 7, 1),
        here.send(4).ackReq(),
        here.atomicWrite(5, 0x1000, 7, 8).bytes(0, 8));
    d.hearsNothing();
    assertEquals(4, qp.counter(Counter.SENT_TRAINS));
  }

  private void fetchAdd(SendRequestList list) {
    list.add()
        .opcode(WrOpcode.ATOMIC_FETCH_AND_ADD)
        .atomic(0x1000, 7, 1, 0)
        .sge(qp.region, QpUnderTest.HALF, Long.BYTES);
  }

  @Test
  @DisplayName("requests of one size share a train")
  void sendsRequestsOfOneSizeTogether() {
    begin(rc().mtu(Mtu.MTU_256).maxRdAtomic(8));
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 3, 1, 0);
    fetchAdd(list);
    fetchAdd(list);
    fetchAdd(list);
    qp.posts(list);
    for (int psn = 0; psn < 3; psn++) {
      d.hears(here.fetchAdd(psn, 0x1000, 7, 1));
    }
    d.hearsNothing();
    assertEquals(1, qp.counter(Counter.SENT_TRAINS));
  }
}
