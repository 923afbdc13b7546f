package org.roce4j.conformance.dialogue;

import static org.roce4j.conformance.dialogue.QpSetup.rc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;

/** Ruling R1 and rc-transport 4.2: what a responder says to a duplicate SEND or WRITE. */
@Holds(Rule.R1)
class ReacknowledgementDialogueTest extends DialogueFixture {
  ReacknowledgementDialogueTest() {
    super(rc());
  }

  @Test
  @Holds(Rule.DUPLICATES)
  void acknowledgesADuplicateThatDoesNotAskForIt() {
    qp.postsReceive(1, 100);
    d.says(peer.send(0).bytes(0, 64).ackReq());
    d.hears(here.ack(0, 1));
    d.says(peer.send(0).bytes(0, 64));
    d.hears(here.ack(0, 1));
  }

  @Test
  @Holds(Rule.DUPLICATES)
  void acknowledgesUpToTheNewestRequestWhenNoneNeedsData() {
    qp.postsReceive(1, 100);
    qp.postsReceive(2, 100);
    d.says(peer.send(0).bytes(0, 8).ackReq(), peer.send(1).bytes(0, 8).ackReq());
    d.hears(here.ack(1, 2));
    d.says(peer.send(0).bytes(0, 8).ackReq());
    d.hears(here.ack(1, 2));
  }

  @Test
  @DisplayName("R1: nor an ATOMIC_WRITE")
  void stopsBeforeAnAtomicWrite() {
    d.says(peer.write(0, qp.va(64), qp.region.rkey(), 8).bytes(0, 8).ackReq());
    d.hears(here.ack(0, 1));
    d.says(peer.atomicWrite(1, qp.va(0), qp.region.rkey(), 8).bytes(0, 8));
    d.hears(here.readOnly(1, 2));
    d.says(peer.write(0, qp.va(64), qp.region.rkey(), 8).bytes(0, 8).ackReq());
    d.hears(here.ack(0, 2));
  }

  @Test
  @DisplayName("R1: a READ before the duplicate does not hold the ACK back")
  void goesPastAReadThatPrecedesTheDuplicate() {
    d.says(peer.read(0, qp.patternVa(0), qp.region.rkey(), 8));
    d.hears(here.readOnly(0, 1).bytes(0, 8));
    d.says(peer.write(1, qp.va(0), qp.region.rkey(), 8).bytes(0, 8).ackReq());
    d.hears(here.ack(1, 2));
    d.says(peer.write(1, qp.va(0), qp.region.rkey(), 8).bytes(0, 8).ackReq());
    d.hears(here.ack(1, 2));
  }

  @Test
  @Holds(Rule.ACKNOWLEDGING)
  void acknowledgesTheMiddleOfAMessageOnlyAsFarAsItCame() {
    qp.postsReceive(1, 1000);
    d.says(peer.sendFirst(0).bytes(0, 256).ackReq());
    d.hears(here.ack(0, 0));
    d.says(peer.sendFirst(0).bytes(0, 256).ackReq());
    d.hears(here.ack(0, 0));
    d.says(peer.sendLast(1).bytes(256, 300).ackReq());
    d.hears(here.ack(1, 1));
    qp.received(1, 300);
    qp.landed(300);
  }
}
