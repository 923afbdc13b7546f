package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.uc;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** UC (rc-transport 7; R11): whole or not at all, and nothing lost but the torn message. */
@Holds(Rule.UC)
class UnreliableConnectionDialogueTest extends DialogueFixture {
  UnreliableConnectionDialogueTest() {
    super(uc());
  }

  // ---- what ends a message

  /** The path MTU is 256: FIRST and MIDDLE carry as much, and leave something for LAST. */
  @Test
  @DisplayName("what was processed establishes the connection, what was dropped does not")
  @Holds(Rule.STATES)
  void raisesCommEstForWhatWasProcessed() {
    begin(uc().inRtr());
    d.says(
        peer.send(0).bytes(0, 10),
        peer.sendLast(1).bytes(0, 10),
        peer.write(2, qp.va(0), 0, 8).bytes(0, 8),
        peer.writeImmediate(3, qp.va(0), qp.region.rkey(), 8, 1).bytes(0, 8));
    qp.noEvent();
    qp.postsReceive(1, 5);
    d.says(
        peer.send(4).bytes(0, 10),
        peer.write(5, qp.va(0), qp.region.rkey(), 8).bytes(0, 7),
        peer.writeFirst(6, qp.va(0), qp.region.rkey(), 256).bytes(0, 256));
    qp.noEvent();
    d.says(peer.writeFirst(7, qp.va(0), qp.region.rkey(), 300).bytes(0, 256));
    qp.event(EventType.COMM_EST);
    begin(uc().inRtr());
    qp.postsReceive(1, 300);
    d.says(peer.sendFirst(0).bytes(0, 256));
    qp.event(EventType.COMM_EST);
  }

  @Test
  @DisplayName("query tells the PSN after the last one that came, and of the next request")
  @Holds(Rule.STATES)
  void tellsItsPsns() {
    assertEquals(0x222222, qp.qp.query().rqPsn());
    d.says(peer.write(5, qp.va(0), qp.region.rkey(), 8).bytes(0, 8));
    qp.settle();
    assertEquals(0x222228, qp.qp.query().rqPsn());
    assertEquals(0x111111, qp.qp.query().sqPsn());
    qp.postsSend(1, 300);
    qp.settle();
    assertEquals(0x111113, qp.qp.query().sqPsn());
  }

  // ---- the sending queue

  @Test
  @DisplayName("a window is bound when its turn comes; what may not be bound leads to SQE")
  @Holds(Rule.WINDOWS)
  void bindsWindows() {
    MemoryWindow window = qp.pd.allocMemoryWindow(MwType.TYPE_2);
    int right = AccessFlags.REMOTE_WRITE;
    int key = MemoryWindow.incrementRkey(window.rkey());
    qp.posts(qp.request(1, WrOpcode.BIND_MW).bindMw(window, key, qp.region, qp.va(0), 8, right));
    qp.sent(1, WcStatus.SUCCESS);
    d.says(peer.write(0, qp.va(0), window.rkey(), 8).bytes(0, 8));
    qp.settle();
    qp.landed(8);
    qp.posts(qp.request(2, WrOpcode.BIND_MW).bindMw(window, key, qp.region, qp.va(8), 8, right));
    qp.postsSend(3, 10);
    qp.sent(2, WcStatus.MW_BIND_ERR);
    qp.sent(3, WcStatus.WR_FLUSH_ERR);
    qp.isIn(QpState.SQE);
    d.hearsNothing();
  }

  @Test
  @DisplayName("every packet bears the next PSN, those of one-packet messages too, past the wrap")
  void countsItsPackets() {
    begin(uc().psns(0xfffffe, 0));
    qp.postsSend(1, 10);
    qp.postsSend(2, 0);
    qp.postsWrite(3, 300, 0x1000, 77);
    qp.postsSend(4, 10);
    d.hears(
        here.send(0).bytes(0, 10),
        here.send(1),
        here.writeFirst(2, 0x1000, 77, 300).bytes(0, 256),
        here.writeLast(3).bytes(256, 300),
        here.send(4).bytes(0, 10));
    assertEquals(3, qp.qp.query().sqPsn());
  }
}
