package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;

/** Duplicates among requests whose answers are still to be sent: packets of one received batch. */
@Holds(Rule.READ_REPLAY)
class AnswerReplayDialogueTest extends DialogueFixture {
  private PacketDraft read(int psn, int from, int to) {
    return peer.read(psn, qp.patternVa(from), qp.region.rkey(), to - from);
  }

  private PacketDraft write(int psn) {
    return peer.write(psn, qp.va(0), qp.region.rkey(), 8).bytes(0, 8).ackReq();
  }

  @Test
  @DisplayName("a duplicate that comes before the answer has left is answered with it, once")
  void answersOnceWhatWasAskedTwice() {
    begin(rc());
    d.says(read(0, 0, 8), read(0, 0, 8));
    d.hears(here.readOnly(0, 1).bytes(0, 8));
    d.hearsNothing();
    d.says(read(1, 8, 16));
    d.hears(here.readOnly(1, 2).bytes(8, 16));
    d.hearsNothing();
  }

  @Test
  @DisplayName("one READ kept: the next one takes the place of a replay that has not begun")
  void givesAReplayUpForANewRequest() {
    begin(rc().maxDestRdAtomic(1));
    d.says(read(0, 0, 8));
    d.hears(here.readOnly(0, 1).bytes(0, 8));
    d.says(read(0, 0, 8), read(1, 8, 16));
    d.hears(here.readOnly(1, 2).bytes(8, 16));
    d.hearsNothing();
    d.says(read(2, 16, 24));
    d.hears(here.readOnly(2, 3).bytes(16, 24));
    d.hearsNothing();
  }

  @Test
  @DisplayName("duplicates and new requests of one batch are answered in the order of their PSNs")
  void answersInTheOrderOfPsns() {
    begin(rc());
    d.says(read(0, 0, 8), read(1, 8, 16));
    d.hears(here.readOnly(0, 1).bytes(0, 8), here.readOnly(1, 2).bytes(8, 16));
    d.says(read(1, 8, 16), read(2, 16, 24), read(0, 0, 8));
    d.hears(
        here.readOnly(0, 1).bytes(0, 8),
        here.readOnly(1, 2).bytes(8, 16),
        here.readOnly(2, 3).bytes(16, 24));
    d.hearsNothing();
  }

  @Test
  @DisplayName("the ring goes round: the newest READs are kept, wherever they lie")
  void keepsTheNewest() {
    begin(rc().maxDestRdAtomic(2));
    for (int i = 0; i < 5; i++) {
      d.says(read(i, 8 * i, 8 * i + 8));
      d.hears(here.readOnly(i, i + 1).bytes(8 * i, 8 * i + 8));
    }
    d.says(read(2, 16, 24), read(3, 24, 32), read(4, 32, 40));
    d.hears(here.readOnly(3, 4).bytes(24, 32), here.readOnly(4, 5).bytes(32, 40));
    d.hearsNothing();
    assertEquals(1, qp.counter(Counter.REQUEST_DROPPED));
  }

  @Test
  @DisplayName("R1: of several READs behind a duplicate the first that is kept stops the ACK")
  @Holds(Rule.R1)
  void stopsBeforeTheFirstReadThatIsKept() {
    begin(rc().maxDestRdAtomic(2));
    d.says(write(0));
    d.hears(here.ack(0, 1));
    for (int i = 1; i <= 3; i++) {
      d.says(read(i, 0, 8));
      d.hears(here.readOnly(i, i + 1).bytes(0, 8));
    }
    d.says(write(0));
    d.hears(here.ack(1, 4));
  }

  @Test
  @DisplayName("a part that a duplicate asks for ends where the duplicate says")
  void answersNoMoreThanWasAskedFor() {
    begin(rc());
    d.says(read(0, 0, 700));
    d.hears(
        here.readFirst(0, 1).bytes(0, 256),
        here.readMiddle(1).bytes(256, 512),
        here.readLast(2, 1).bytes(512, 700));
    d.says(read(0, 0, 100));
    d.hears(here.readOnly(0, 1).bytes(0, 100));
    d.says(read(1, 256, 600));
    d.hears(here.readFirst(1, 1).bytes(256, 512), here.readLast(2, 1).bytes(512, 600));
    d.says(read(1, 256, 701));
    d.hearsNothing();
  }

  @Test
  @DisplayName("a duplicate without length is a part of an empty READ alone")
  void answersAnEmptyDuplicateOfAnEmptyReadAlone() {
    begin(rc());
    d.says(read(0, 0, 0), read(1, 0, 8));
    d.hears(here.readOnly(0, 1), here.readOnly(1, 2).bytes(0, 8));
    d.says(read(1, 0, 0));
    d.hearsNothing();
    d.says(read(0, 0, 0));
    d.hears(here.readOnly(0, 1));
  }

  @Test
  @DisplayName("a duplicate of another kind than what its PSN was is answered by nothing")
  void answersADuplicateOfItsOwnKindAlone() {
    begin(rc());
    List<PacketDraft> requests = everyKind(0);
    requests.forEach(d::says);
    d.hears(here.readOnly(0, 1).bytes(0, 8), here.atomicAck(1, 2, 0), here.readOnly(2, 3));
    for (int psn = 0; psn < requests.size(); psn++) {
      for (int kind = 0; kind < requests.size(); kind++) {
        if (kind != psn) {
          d.says(everyKind(psn - kind).get(kind));
        }
      }
    }
    d.hearsNothing();
  }

  /** A READ, an atomic and an ATOMIC_WRITE, of PSNs that follow each other. */
  private List<PacketDraft> everyKind(int psn) {
    int rkey = qp.region.rkey();
    return List.of(
        read(psn, 0, 8),
        peer.fetchAdd(psn + 1, qp.va(0), rkey, 1),
        peer.atomicWrite(psn + 2, qp.va(8), rkey, 8).bytes(0, 8));
  }

  @Test
  @DisplayName("a new life forgets the answers of the old one")
  void forgetsAnswersInANewLife() {
    begin(rc().maxDestRdAtomic(2));
    d.says(read(0, 0, 8), read(1, 8, 16));
    d.hears(here.readOnly(0, 1).bytes(0, 8), here.readOnly(1, 2).bytes(8, 16));
    qp.moves(QpState.RESET);
    qp.toInit().toRtr().toRts();
    d.says(read(-1, 0, 8));
    d.hearsNothing();
    d.says(read(0, 16, 24), read(1, 24, 32));
    d.hears(here.readOnly(0, 1).bytes(16, 24), here.readOnly(1, 2).bytes(24, 32));
    d.says(read(1, 24, 32));
    d.hears(here.readOnly(1, 2).bytes(24, 32));
    d.hearsNothing();
  }

  @Test
  @DisplayName("SQD: max_dest_rd_atomic set anew, or raised, keeps the answers")
  @Holds(Rule.SQD)
  void keepsAnswersWhenItsDepthIsSetAnew() {
    begin(rc().maxDestRdAtomic(2));
    d.says(read(0, 0, 8), fetchAdd(1));
    d.hears(here.readOnly(0, 1).bytes(0, 8), here.atomicAck(1, 2, 0));
    d.says(fetchAdd(2));
    d.hears(here.atomicAck(2, 3, 1));
    for (int depth : new int[] {2, 5}) {
      setsItsDepth(depth);
      d.says(fetchAdd(1));
      d.hears(here.atomicAck(1, 2, 0));
      d.says(fetchAdd(2));
      d.hears(here.atomicAck(2, 3, 1));
    }
    d.says(read(3, 0, 8), read(4, 8, 16));
    d.hears(here.readOnly(3, 4).bytes(0, 8), here.readOnly(4, 5).bytes(8, 16));
    d.says(fetchAdd(1));
    d.hears(here.atomicAck(1, 2, 0));
  }

  @Test
  @DisplayName("SQD: a smaller max_dest_rd_atomic keeps the newest answers")
  @Holds(Rule.SQD)
  void keepsTheNewestAnswers() {
    begin(rc().maxDestRdAtomic(3));
    d.says(fetchAdd(0), fetchAdd(1), fetchAdd(2));
    d.hears(here.atomicAck(0, 1, 0), here.atomicAck(1, 2, 1), here.atomicAck(2, 3, 2));
    setsItsDepth(2);
    d.says(fetchAdd(0));
    d.hearsNothing();
    d.says(fetchAdd(1));
    d.hears(here.atomicAck(1, 2, 1));
    d.says(fetchAdd(3));
    d.hears(here.atomicAck(3, 4, 3));
    d.says(fetchAdd(1));
    d.hearsNothing();
    d.says(fetchAdd(2));
    d.hears(here.atomicAck(2, 3, 2));
  }

  private PacketDraft fetchAdd(int psn) {
    return peer.fetchAdd(psn, qp.va(0), qp.region.rkey(), 1);
  }

  private void setsItsDepth(int requests) {
    qp.moves(QpState.SQD);
    qp.qp.modify(new QpAttr().qpState(QpState.SQD).maxDestRdAtomic(requests));
    qp.moves(QpState.RTS);
  }
}
