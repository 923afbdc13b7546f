package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** What completions say (rc-transport 10), and whose bytes travel in which order. */
@Holds(Rule.COMPLETION_FIELDS)
class CompletionFieldsDialogueTest extends DialogueFixture {

  CompletionFieldsDialogueTest() {
    super(rc());
  }

  private void says(WcOpcode opcode, int bytes, int flags) {
    WorkCompletions wc = qp.lastCompletion();
    assertEquals(opcode, wc.opcode(0));
    assertEquals(bytes, wc.byteLength(0));
    assertEquals(flags, wc.flags(0));
    assertEquals(qp.qp.qpNum(), wc.qpNum(0));
    assertEquals(0, wc.sourceQp(0));
  }

  // ---- sends

  private void completes(WcOpcode opcode, int bytes) {
    qp.sent(1, WcStatus.SUCCESS);
    says(opcode, bytes, 0);
  }

  // ---- bytes

  @Test
  @DisplayName("entries are filled in their order, empty ones passed, across packets")
  @Holds(Rule.SEGMENTATION)
  void scattersInOrder() {
    RecvRequestList list = new RecvRequestList(Arena.ofAuto(), 1, 4).add().wrId(1);
    list.sge(qp.region, QpUnderTest.HALF, 3);
    list.sge(0xdead, 0, 0xdead);
    list.sge(qp.region, QpUnderTest.HALF + 3L, 254);
    list.sge(qp.region, QpUnderTest.HALF + 257L, 200);
    assertEquals(0, qp.qp.postRecv(list));
    d.says(peer.sendFirst(0).bytes(0, 256), peer.sendLast(1).bytes(256, 357));
    qp.received(1, 357);
    qp.landed(357);
  }

  @Test
  @DisplayName("inline data are those of the post, whatever becomes of their memory")
  void keepsInlineData() {
    qp.moves(QpState.SQD);
    SendRequestList list = qp.request(1, WrOpcode.SEND);
    list.flags(SendFlags.SIGNALED).inline(qp.memory.asSlice(0, 30));
    qp.posts(list);
    list.memory().fill((byte) 0);
    qp.moves(QpState.RTS);
    d.hears(here.send(0).bytes(0, 30).ackReq());
    d.says(peer.ack(0, 1));
    completes(WcOpcode.SEND, 30);
  }

  @Test
  @DisplayName("data that are not inline are read when they are sent, and again for a retry")
  void readsItsSourceWhenItSends() {
    qp.postsSend(1, 4);
    d.hears(here.send(0).bytes(0, 4).ackReq());
    for (int i = 0; i < 4; i++) {
      qp.memory.set(ValueLayout.JAVA_BYTE, i, Pattern.at(100 + i));
    }
    d.says(peer.sequenceNak(0, 0));
    d.hears(here.send(0).bytes(100, 104).ackReq());
  }

  @Test
  @DisplayName("inline data are those of all entries, empty ones passed")
  @Holds(Rule.SEGMENTATION)
  void copiesAllEntriesInline() {
    qp.posts(
        qp.request(1, WrOpcode.SEND)
            .inline(qp.memory.asSlice(0, 3))
            .inline(qp.memory.asSlice(3, 0))
            .inline(qp.memory.asSlice(3, 20))
            .inline(qp.memory.asSlice(23, 41)));
    d.hears(here.send(0).bytes(0, 64).ackReq());
  }
}
