package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** A READ of more than a path holds: several requests, cut where nothing moves the cuts. */
@Holds(Rule.READ_CREDITS)
class LongReadDialogueTest extends DialogueFixture {
  private static final long VA = 0x1000;
  private static final int RKEY = 77;
  private static final int MTU = 256;

  /** Packets of this MTU that a new path's window holds; a READ request asks for no more. */
  private static final int PART = 272;

  private static final int LENGTH = 100_000;
  private static final int PACKETS = 391;

  private final MemorySegment memory = Arena.ofAuto().allocate(LENGTH);

  private void begin(int maxRdAtomic) {
    begin(rc().maxRdAtomic(maxRdAtomic));
    MemoryRegion region = qp.pd.registerMemory(memory, AccessFlags.LOCAL_WRITE);
    qp.posts(qp.request(1, WrOpcode.RDMA_READ).remote(VA, RKEY).sge(region, 0, LENGTH));
  }

  private PacketDraft asks(int from, int to) {
    long bytes = Math.min(LENGTH, (long) to * MTU) - (long) from * MTU;
    return here.read(from, VA + (long) from * MTU, RKEY, bytes);
  }

  /** Responses {@code [from, to)} to a request for {@code [first, end)}. */
  private void answers(int first, int end, int from, int to) {
    for (int i = from; i < to; i++) {
      PacketDraft draft =
          i == first
              ? peer.readFirst(i, 1)
              : i == end - 1 ? peer.readLast(i, 1) : peer.readMiddle(i);
      d.says(draft.bytes(i * MTU, Math.min(LENGTH, (i + 1) * MTU)));
    }
  }

  private void landed() {
    qp.sent(1, WcStatus.SUCCESS);
    for (int i = 0; i < LENGTH; i++) {
      assertEquals(Pattern.at(i), memory.get(ValueLayout.JAVA_BYTE, i), "byte " + i);
    }
  }

  @Test
  @DisplayName("with one credit the next part is asked for when the one before it is whole")
  void waitsForTheCredit() {
    begin(1);
    d.hears(asks(0, PART));
    answers(0, PART, 0, PART - 1);
    d.hearsNothing();
    answers(0, PART, PART - 1, PART);
    d.hears(asks(PART, PACKETS));
    answers(PART, PACKETS, PART, PACKETS);
    landed();
    d.hearsNothing();
  }

  @Test
  @DisplayName("R26: the parts that were not asked for are, though max_rd_atomic became 0")
  @Holds(Rule.R26)
  void asksForTheRestWithoutADepth() {
    begin(1);
    d.hears(asks(0, PART));
    qp.moves(QpState.SQD);
    qp.qp.modify(new QpAttr().qpState(QpState.SQD).maxRdAtomic(0));
    answers(0, PART, 0, PART);
    d.hears(asks(PART, PACKETS));
    answers(PART, PACKETS, PART, PACKETS);
    landed();
  }

  @Test
  @DisplayName("with two credits the next part is asked for when the path has room for it")
  void waitsForThePath() {
    begin(2);
    d.hears(asks(0, PART));
    answers(0, PART, 0, PACKETS - PART - 1);
    d.hearsNothing();
    answers(0, PART, PACKETS - PART - 1, PACKETS - PART);
    d.hears(asks(PART, PACKETS));
    answers(0, PART, PACKETS - PART, PART);
    answers(PART, PACKETS, PART, PACKETS);
    landed();
    assertEquals(0, qp.counter(Counter.PARTIAL_READ_REPLAY));
  }

  @Test
  @DisplayName("a gap: the rest of that part is asked for, then the next part as before")
  void asksForTheRestOfThePart() {
    begin(2);
    d.hears(asks(0, PART));
    answers(0, PART, 0, 200);
    d.hears(asks(PART, PACKETS));
    answers(0, PART, 201, 202);
    d.hears(asks(200, PART), asks(PART, PACKETS));
    d.hearsNothing();
    answers(200, PART, 200, PART);
    answers(PART, PACKETS, PART, PACKETS);
    landed();
    assertEquals(1, qp.counter(Counter.PARTIAL_READ_REPLAY));
  }

  @Test
  @DisplayName("a part that is asked for again as it was is no partial replay")
  void asksForAWholePartAgain() {
    begin(1);
    d.hears(asks(0, PART));
    answers(0, PART, 0, PART);
    d.hears(asks(PART, PACKETS));
    d.hearsAt(4096L << 14, asks(PART, PACKETS));
    answers(PART, PACKETS, PART, PACKETS);
    landed();
    assertEquals(0, qp.counter(Counter.PARTIAL_READ_REPLAY));
  }

  @Test
  @DisplayName("each part is answered from FIRST or ONLY on: a MIDDLE in its place fails the READ")
  @Holds(Rule.READ_ANSWER)
  void refusesAPartWithoutAFirst() {
    begin(1);
    d.hears(asks(0, PART));
    answers(0, PART, 0, PART);
    d.hears(asks(PART, PACKETS));
    answers(0, PACKETS, PART, PART + 1);
    qp.sent(1, WcStatus.BAD_RESP_ERR);
  }
}
