package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.conformance.dialogue.QpSetup.ALL_REMOTE;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.QpState;
import org.roce4j.wire.Feth;

/** FLUSH (rc-transport 6.6): rights of queue pair and region, range or whole region, one answer. */
@Holds(Rule.REMOTE_FLUSH)
class FlushDialogueTest extends DialogueFixture {
  private static final int RANGE = Feth.SELECT_RANGE;
  private static final int REGION = Feth.SELECT_MR;
  private static final int GLOBAL = Feth.PLACEMENT_GLOBAL;
  private static final int PERSISTENT = Feth.PLACEMENT_PERSISTENT;
  private static final int BOTH = AccessFlags.FLUSH_GLOBAL | AccessFlags.FLUSH_PERSISTENT;

  FlushDialogueTest() {
    super(rights(BOTH, BOTH));
  }

  private static QpSetup rights(int ofQueuePair, int ofRegion) {
    return rc().qpAccess(ALL_REMOTE | ofQueuePair)
        .regionAccess(AccessFlags.LOCAL_WRITE | ALL_REMOTE | AccessFlags.MW_BIND | ofRegion);
  }

  private PacketDraft flush(int psn, int placement) {
    return peer.flush(psn, placement, RANGE, qp.va(0), qp.region.rkey(), 8);
  }

  private void isRefused(PacketDraft draft) {
    d.says(draft);
    d.hears(here.remoteAccessNak(0, 0));
    qp.event(EventType.QP_ACCESS_ERR);
    qp.isIn(QpState.ERR);
    assertEquals(1, qp.counter(Counter.RESPONDER_ACCESS_ERROR));
  }

  @Test
  @DisplayName("an empty READ response answers it; it takes one PSN and counts as a message")
  void isAnsweredByAnEmptyReadResponse() {
    d.says(flush(0, GLOBAL), flush(1, PERSISTENT), flush(2, GLOBAL | PERSISTENT));
    d.hears(here.readOnly(0, 1), here.readOnly(1, 2), here.readOnly(2, 3));
    qp.nothingLanded();
  }

  @Test
  @DisplayName("a duplicate is answered again, with the MSN that it had")
  @Holds(Rule.DUPLICATES)
  void answersADuplicateAgain() {
    d.says(flush(0, GLOBAL), flush(1, GLOBAL));
    d.hears(here.readOnly(0, 1), here.readOnly(1, 2));
    d.says(flush(0, GLOBAL));
    d.hears(here.readOnly(0, 1));
    d.says(flush(2, GLOBAL));
    d.hears(here.readOnly(2, 3));
  }

  @Test
  @DisplayName("a duplicate that is no longer kept, or was something else, is dropped and counted")
  @Holds(Rule.DUPLICATES)
  void dropsADuplicateThatIsNotKept() {
    d.says(peer.fetchAdd(0, qp.va(0), qp.region.rkey(), 1));
    d.hears(here.atomicAck(0, 1, 0));
    d.says(flush(0, GLOBAL), flush(-1, GLOBAL));
    d.hearsNothing();
    assertEquals(2, qp.counter(Counter.REQUEST_DROPPED));
  }

  static Stream<Arguments> missingRights() {
    return Stream.of(
        Arguments.of(GLOBAL, 0),
        Arguments.of(PERSISTENT, 0),
        Arguments.of(GLOBAL, AccessFlags.FLUSH_PERSISTENT),
        Arguments.of(PERSISTENT, AccessFlags.FLUSH_GLOBAL),
        Arguments.of(GLOBAL | PERSISTENT, AccessFlags.FLUSH_GLOBAL),
        Arguments.of(GLOBAL | PERSISTENT, AccessFlags.FLUSH_PERSISTENT));
  }

  @ParameterizedTest
  @MethodSource("missingRights")
  @DisplayName("a placement that the queue pair does not grant: NAK 0x62")
  void refusesWhatTheQueuePairDoesNotGrant(int placement, int rights) {
    begin(rights(rights, BOTH));
    isRefused(flush(0, placement));
  }

  @ParameterizedTest
  @MethodSource("missingRights")
  @DisplayName("a placement that the region does not grant: NAK 0x62")
  void refusesWhatTheRegionDoesNotGrant(int placement, int rights) {
    begin(rights(BOTH, rights));
    isRefused(flush(0, placement));
  }

  @ParameterizedTest
  @CsvSource({"1, 256", "2, 512"})
  @DisplayName("a placement needs its own right alone, on both")
  void needsItsOwnRightAlone(int placement, int right) {
    begin(rights(right, right));
    d.says(flush(0, placement));
    d.hears(here.readOnly(0, 1));
  }

  @ParameterizedTest
  @CsvSource({"-1, 8", "65529, 8", "0, 65537"})
  @DisplayName("a range that is not inside its region: NAK 0x62")
  void refusesARangeOutsideTheRegion(int offset, long length) {
    long va = offset < 0 ? qp.patternVa(offset) : qp.va(offset);
    isRefused(peer.flush(0, GLOBAL, RANGE, va, qp.region.rkey(), length));
  }

  @Test
  @DisplayName("selectivity MR: the whole region, whatever address and length say")
  void takesAWholeRegionWithoutLookingAtTheRange() {
    d.says(peer.flush(0, GLOBAL, REGION, 1, qp.region.rkey(), 1L << 31));
    d.hears(here.readOnly(0, 1));
  }

  @Test
  @DisplayName("selectivity MR: the region's right is asked for too")
  void refusesAWholeRegionWithoutTheRight() {
    begin(rights(BOTH, AccessFlags.FLUSH_GLOBAL));
    isRefused(peer.flush(0, PERSISTENT, REGION, 0, qp.region.rkey(), 0));
  }

  @Test
  @DisplayName("selectivity MR: a memory window is no region")
  void refusesAWindowAsAWholeRegion() {
    isRefused(peer.flush(0, GLOBAL, REGION, 0, qp.pd.allocMemoryWindow(MwType.TYPE_1).rkey(), 0));
  }

  @Test
  @DisplayName("a FLUSH that carries payload is an invalid request")
  @Holds(Rule.LENGTHS)
  void refusesPayload() {
    d.says(flush(0, GLOBAL).bytes(0, 8));
    d.hears(here.invalidRequestNak(0, 0));
    qp.event(EventType.QP_REQ_ERR);
  }

  @Test
  @DisplayName("R10: no answers are kept: a FLUSH is an invalid request")
  @Holds(Rule.R10)
  void refusesWhereNoAnswersAreKept() {
    begin(rights(BOTH, BOTH).maxDestRdAtomic(0));
    d.says(flush(0, GLOBAL));
    d.hears(here.invalidRequestNak(0, 0));
  }

  @Test
  @DisplayName("R1: a re-ACK stops before a FLUSH whose answer may be lost")
  @Holds(Rule.R1)
  void isNotCoveredByAReacknowledgement() {
    d.says(peer.write(0, qp.va(0), qp.region.rkey(), 8).bytes(0, 8).ackReq(), flush(1, GLOBAL));
    d.hears(here.readOnly(1, 2));
    d.says(peer.write(0, qp.va(0), qp.region.rkey(), 8).bytes(0, 8).ackReq());
    d.hears(here.ack(0, 2));
  }
}
