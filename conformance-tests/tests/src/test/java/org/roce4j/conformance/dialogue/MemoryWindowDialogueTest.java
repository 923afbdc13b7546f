package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.counter.Counter;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Memory windows (rc-transport 6.3, 6.5; R12): the window's own range, rights, PD and QP. */
@Holds(Rule.R12)
class MemoryWindowDialogueTest extends DialogueFixture {
  private static final int BOTH = AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ;

  MemoryWindowDialogueTest() {
    super(rc());
  }

  private MemoryWindow window(MwType type) {
    return qp.pd.allocMemoryWindow(type);
  }

  /** Binds bytes 64 to 128 of the empty half. */
  private MemoryWindow bound(MwType type, int access) {
    MemoryWindow mw = window(type);
    bind(mw, type, qp.region, qp.va(64), 64, access);
    qp.sent(0, WcStatus.SUCCESS);
    return mw;
  }

  private void bind(
      MemoryWindow mw, MwType type, MemoryRegion mr, long address, long length, int access) {
    if (type == MwType.TYPE_1) {
      qp.qp.bindMemoryWindow(mw, 0, SendFlags.SIGNALED, mr, address, length, access);
    } else {
      qp.posts(
          qp.request(0, WrOpcode.BIND_MW)
              .bindMw(mw, MemoryWindow.incrementRkey(mw.rkey()), mr, address, length, access));
    }
  }

  private PacketDraft write(int psn, long va, int rkey) {
    return peer.write(psn, va, rkey, 8).bytes(0, 8).ackReq();
  }

  private void isRefused(int psn, int msn) {
    d.hears(here.remoteAccessNak(psn, msn));
    qp.event(EventType.QP_ACCESS_ERR);
    qp.isIn(QpState.ERR);
  }

  @Test
  void aWindowOfTypeOneGivesAccessToItsRange() {
    MemoryWindow mw = bound(MwType.TYPE_1, BOTH);
    d.says(write(0, qp.va(64), mw.rkey()), write(1, qp.va(120), mw.rkey()));
    d.hears(here.ack(1, 2));
    d.says(peer.read(2, qp.va(64), mw.rkey(), 8));
    d.hears(here.readOnly(2, 3).bytes(0, 8));
  }

  @ParameterizedTest
  @ValueSource(ints = {56, 57, 63, 121, 128})
  @DisplayName("R12: beyond the window but inside its region (mistake of others)")
  void refusesWhatIsOutsideTheWindow(int offset) {
    MemoryWindow mw = bound(MwType.TYPE_1, BOTH);
    d.says(write(0, qp.va(offset), mw.rkey()));
    isRefused(0, 0);
    qp.nothingLanded();
  }

  @Test
  @DisplayName("R12: a right that the region has and the window has not")
  void refusesARightThatTheWindowLacks() {
    MemoryWindow mw = bound(MwType.TYPE_1, AccessFlags.REMOTE_READ);
    d.says(write(0, qp.va(64), mw.rkey()));
    isRefused(0, 0);
    qp.nothingLanded();
  }

  @Test
  @DisplayName("R12: the key before binding is dead afterwards")
  void refusesTheKeyBeforeTheBind() {
    MemoryWindow mw = window(MwType.TYPE_1);
    int before = mw.rkey();
    bind(mw, MwType.TYPE_1, qp.region, qp.va(64), 64, BOTH);
    d.says(write(0, qp.va(64), before));
    isRefused(0, 0);
  }

  @Test
  @Holds(Rule.WINDOWS)
  void refusesAWindowThatWasUnboundByLengthZero() {
    MemoryWindow mw = bound(MwType.TYPE_1, BOTH);
    bind(mw, MwType.TYPE_1, null, 0, 0, 0);
    qp.sent(0, WcStatus.SUCCESS);
    d.says(write(0, qp.va(64), mw.rkey()));
    isRefused(0, 0);
  }

  @Test
  void aZeroBasedWindowCountsFromItsBeginning() {
    MemoryWindow mw = bound(MwType.TYPE_2, BOTH | AccessFlags.ZERO_BASED);
    d.says(write(0, 0, mw.rkey()), write(1, 56, mw.rkey()));
    d.hears(here.ack(1, 2));
    assertEquals(qp.memory.get(ValueLayout.JAVA_LONG, 0), qp.word(64));
    assertEquals(qp.word(64), qp.word(120));
    d.says(write(2, 57, mw.rkey()));
    isRefused(2, 2);
  }

  @Test
  @DisplayName("R12: type 2 serves the queue pair that it was bound on alone")
  void refusesATypeTwoWindowOfAnotherQueuePair() {
    MemoryWindow mw = bound(MwType.TYPE_2, BOTH);
    QpUnderTest.Second other = qp.second();
    d.says(other.peer().write(0, qp.va(64), mw.rkey(), 8).bytes(0, 8).ackReq());
    d.hears(other.here().remoteAccessNak(0, 0));
    qp.nothingLanded();
  }

  @Test
  @DisplayName("type 1 serves every queue pair of its PD")
  void takesATypeOneWindowOfAnotherQueuePair() {
    MemoryWindow mw = bound(MwType.TYPE_1, BOTH);
    QpUnderTest.Second other = qp.second();
    d.says(other.peer().write(0, qp.va(64), mw.rkey(), 8).bytes(0, 8).ackReq());
    d.hears(other.here().ack(0, 1));
  }

  @Test
  @DisplayName("the PD of region and window must be one (mistake of others: not checked)")
  @Holds(Rule.WINDOWS)
  void refusesToBindARegionOfAnotherDomain() {
    ProtectionDomain other = qp.context.allocPd();
    MemoryRegion foreign =
        other.registerMemory(
            qp.memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.MW_BIND);
    MemoryWindow mw = window(MwType.TYPE_2);
    bind(mw, MwType.TYPE_2, foreign, qp.va(64), 64, BOTH);
    qp.sent(0, WcStatus.MW_BIND_ERR);
    qp.isIn(QpState.ERR);
  }

  @Test
  @Holds(Rule.WINDOWS)
  void refusesToBindARangeBeyondTheRegion() {
    MemoryWindow mw = window(MwType.TYPE_2);
    bind(mw, MwType.TYPE_2, qp.region, qp.va(QpUnderTest.HALF - 8), 16, BOTH);
    qp.sent(0, WcStatus.MW_BIND_ERR);
    qp.isIn(QpState.ERR);
  }

  @Test
  @Holds(Rule.WINDOWS)
  void refusesToBindToARegionWithoutMwBind() {
    MemoryRegion plain = qp.pd.registerMemory(qp.memory, AccessFlags.LOCAL_WRITE);
    MemoryWindow mw = window(MwType.TYPE_2);
    bind(mw, MwType.TYPE_2, plain, qp.va(64), 64, BOTH);
    qp.sent(0, WcStatus.MW_BIND_ERR);
  }

  @Test
  @Holds(Rule.WINDOWS)
  void refusesToBindForWritingWhatCannotBeWrittenLocally() {
    MemoryRegion readable =
        qp.pd.registerMemory(qp.memory, AccessFlags.REMOTE_READ | AccessFlags.MW_BIND);
    MemoryWindow mw = window(MwType.TYPE_2);
    bind(mw, MwType.TYPE_2, readable, qp.va(64), 64, AccessFlags.REMOTE_WRITE);
    qp.sent(0, WcStatus.MW_BIND_ERR);
  }

  @Test
  @DisplayName("type 2 must be invalidated before it is bound again")
  @Holds(Rule.WINDOWS)
  void refusesToRebindATypeTwoWindow() {
    MemoryWindow mw = bound(MwType.TYPE_2, BOTH);
    bind(mw, MwType.TYPE_2, qp.region, qp.va(0), 64, BOTH);
    qp.sent(0, WcStatus.MW_BIND_ERR);
  }

  @Test
  @Holds(Rule.WINDOWS)
  void rebindsAWindowOfTypeOne() {
    MemoryWindow mw = bound(MwType.TYPE_1, BOTH);
    int before = mw.rkey();
    bind(mw, MwType.TYPE_1, qp.region, qp.va(0), 8, BOTH);
    qp.sent(0, WcStatus.SUCCESS);
    d.says(write(0, qp.va(0), mw.rkey()));
    d.hears(here.ack(0, 1));
    d.says(write(1, qp.va(64), before));
    isRefused(1, 1);
  }

  @Test
  @DisplayName("LOCAL_INV frees a type 2 window; its key is dead, it can be bound again")
  @Holds(Rule.WINDOWS)
  void invalidatesLocally() {
    MemoryWindow mw = bound(MwType.TYPE_2, BOTH);
    qp.posts(qp.request(1, WrOpcode.LOCAL_INV).invalidateRkey(mw.rkey()));
    qp.sent(1, WcStatus.SUCCESS);
    bind(mw, MwType.TYPE_2, qp.region, qp.va(0), 64, BOTH);
    qp.sent(0, WcStatus.SUCCESS);
    d.says(write(0, qp.va(0), mw.rkey()));
    d.hears(here.ack(0, 1));
  }

  @Test
  @DisplayName("LOCAL_INV of a region's key: LOC_QP_OP_ERR")
  @Holds(Rule.WINDOWS)
  void refusesToInvalidateARegion() {
    qp.posts(qp.request(1, WrOpcode.LOCAL_INV).invalidateRkey(qp.region.rkey()));
    qp.sent(1, WcStatus.LOC_QP_OP_ERR);
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("LOCAL_INV starts only when all before it have completed")
  @Holds(Rule.LOCAL_INVALIDATE)
  void waitsWithLocalInvalidate() {
    MemoryWindow mw = bound(MwType.TYPE_2, BOTH);
    qp.postsSend(1, 8);
    qp.posts(qp.request(2, WrOpcode.LOCAL_INV).invalidateRkey(mw.rkey()));
    d.hears(here.send(0).bytes(0, 8).ackReq());
    d.says(write(0, qp.va(64), mw.rkey()));
    d.hears(here.ack(0, 1));
    d.says(peer.ack(0, 1));
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(2, WcStatus.SUCCESS);
    d.says(write(1, qp.va(64), mw.rkey()));
    isRefused(1, 1);
  }

  @Test
  @DisplayName("SEND with Invalidate: data first, then the key dies, then the completion tells it")
  @Holds(Rule.INVALIDATE)
  void invalidatesFromAfar() {
    MemoryWindow mw = bound(MwType.TYPE_2, BOTH);
    qp.postsReceive(1, 8);
    d.says(peer.sendInvalidate(0, mw.rkey()).bytes(0, 8).ackReq());
    d.hears(here.ack(0, 1));
    qp.received(1, 8);
    assertEquals(WcFlags.WITH_INV, qp.lastCompletion().flags(0));
    assertEquals(mw.rkey(), qp.lastCompletion().invalidatedRkey(0));
    d.says(write(1, qp.va(64), mw.rkey()));
    isRefused(1, 1);
  }

  @Test
  @DisplayName("a key that dies between a READ and its answer: the READ is refused in its turn")
  @Holds(Rule.INVALIDATE)
  void refusesAReadWhoseKeyDiedBeforeTheAnswer() {
    MemoryWindow mw = bound(MwType.TYPE_2, BOTH);
    qp.postsReceive(1, 8);
    d.says(
        peer.read(0, qp.patternVa(0), qp.region.rkey(), 8),
        peer.read(1, qp.va(64), mw.rkey(), 8),
        peer.read(2, qp.patternVa(0), qp.region.rkey(), 8),
        peer.sendInvalidate(3, mw.rkey()).bytes(0, 8).ackReq());
    d.hears(here.readOnly(0, 1).bytes(0, 8), here.remoteAccessNak(1, 2));
    d.hearsNothing();
    qp.received(1, WcStatus.SUCCESS);
    qp.event(EventType.QP_ACCESS_ERR);
    qp.isIn(QpState.ERR);
    assertEquals(1, qp.counter(Counter.RESPONDER_ACCESS_ERROR));
  }

  @Test
  @DisplayName("SEND with Invalidate of what cannot be: no answer, REM_INV_REQ_ERR, QP to ERR")
  @Holds(Rule.INVALIDATE)
  void failsSilentlyWhenNothingCanBeInvalidated() {
    qp.postsReceive(1, 8);
    d.says(peer.sendInvalidate(0, qp.region.rkey()).bytes(0, 8).ackReq());
    d.hearsNothing();
    qp.received(1, WcStatus.REM_INV_REQ_ERR);
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("R12: a region with a bound window cannot be deregistered; a freed window is no key")
  void refusesAFreedWindow() {
    MemoryWindow mw = bound(MwType.TYPE_1, BOTH);
    int key = mw.rkey();
    assertThrows(VerbsException.class, qp.region::close);
    mw.close();
    d.says(write(0, qp.va(64), key));
    isRefused(0, 0);
  }

  @Test
  @DisplayName("a window of type 1 cannot be invalidated: LOC_QP_OP_ERR")
  @Holds(Rule.WINDOWS)
  void refusesToInvalidateATypeOneWindow() {
    MemoryWindow mw = bound(MwType.TYPE_1, BOTH);
    qp.posts(qp.request(1, WrOpcode.LOCAL_INV).invalidateRkey(mw.rkey()));
    qp.sent(1, WcStatus.LOC_QP_OP_ERR);
  }

  @Test
  @DisplayName("a window is invalidated by the queue pair that bound it alone")
  @Holds(Rule.WINDOWS)
  void refusesToInvalidateTheWindowOfAnother() {
    MemoryWindow mw = bound(MwType.TYPE_2, BOTH);
    QpUnderTest.Second other = qp.second();
    assertEquals(
        0, other.qp().postSend(qp.request(1, WrOpcode.LOCAL_INV).invalidateRkey(mw.rkey())));
    qp.sent(1, WcStatus.LOC_QP_OP_ERR);
    d.says(write(0, qp.va(64), mw.rkey()));
    d.hears(here.ack(0, 1));
  }

  @Test
  @DisplayName("a region is free again when its last window is unbound")
  @Holds(Rule.WINDOWS)
  void freesTheRegion() {
    MemoryWindow first = bound(MwType.TYPE_2, BOTH);
    MemoryWindow second = bound(MwType.TYPE_1, BOTH);
    qp.posts(qp.request(1, WrOpcode.LOCAL_INV).invalidateRkey(first.rkey()));
    qp.sent(1, WcStatus.SUCCESS);
    assertThrows(VerbsException.class, qp.region::close);
    bind(second, MwType.TYPE_1, null, 0, 0, 0);
    qp.sent(0, WcStatus.SUCCESS);
    qp.region.close();
  }

  @Test
  @DisplayName("a bind takes effect at once, whatever before it is not acknowledged")
  void doesNotWaitWithABind() {
    MemoryWindow mw = window(MwType.TYPE_2);
    qp.postsSend(1, 8);
    bind(mw, MwType.TYPE_2, qp.region, qp.va(64), 64, BOTH);
    d.hears(here.send(0).bytes(0, 8).ackReq());
    d.says(write(0, qp.va(64), mw.rkey()));
    d.hears(here.ack(0, 1));
    qp.nothingSent();
    d.says(peer.ack(0, 1));
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(0, WcStatus.SUCCESS);
  }

  @Test
  @DisplayName("what is posted behind a bind or a LOCAL_INV, in one list, goes in the same turn")
  @Holds(Rule.LOCAL_INVALIDATE)
  void goesOnBehindALocalOperation() {
    MemoryWindow mw = bound(MwType.TYPE_2, BOTH);
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 2, 1, 0);
    list.add().wrId(1).opcode(WrOpcode.LOCAL_INV).invalidateRkey(mw.rkey());
    list.add().wrId(2).opcode(WrOpcode.SEND).sge(qp.region, 0, 8);
    qp.posts(list);
    d.hears(here.send(0).bytes(0, 8).ackReq());
    qp.sent(1, WcStatus.SUCCESS);
  }

  @Test
  @DisplayName("SEND with Invalidate that fails in silence: what came before it is answered")
  @Holds(Rule.ANSWER_ORDER)
  void answersWhatCameBeforeAFailureInSilence() {
    qp.postsReceive(1, 8);
    d.says(
        peer.read(0, qp.patternVa(0), qp.region.rkey(), 8),
        write(1, qp.va(0), qp.region.rkey()),
        peer.sendInvalidate(2, qp.region.rkey()).ackReq(),
        write(3, qp.va(8), qp.region.rkey()));
    d.hears(here.readOnly(0, 1).bytes(0, 8), here.ack(1, 2));
    d.hearsNothing();
    qp.received(1, WcStatus.REM_INV_REQ_ERR);
    qp.isIn(QpState.ERR);
    qp.landed(8);
  }

  @Test
  @DisplayName("a window that was deallocated before its bind is carried out: MW_BIND_ERR")
  @Holds(Rule.WINDOWS)
  void bindsNoWindowThatIsGone() {
    MemoryWindow mw = window(MwType.TYPE_2);
    int key = MemoryWindow.incrementRkey(mw.rkey());
    qp.postsRead(1, 8, 0x1000, 7);
    qp.posts(
        qp.request(2, WrOpcode.BIND_MW)
            .bindMw(mw, key, qp.region, qp.va(64), 64, BOTH)
            .flags(SendFlags.FENCE));
    d.hears(here.read(0, 0x1000, 7, 8));
    mw.close();
    d.says(peer.readOnly(0, 1).bytes(0, 8));
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(2, WcStatus.MW_BIND_ERR);
    qp.region.close();
  }

  @Test
  @DisplayName("nothing is bound behind a request that waits to fail")
  @Holds(Rule.COMPLETION_ORDER)
  void bindsNothingBehindAFailure() {
    MemoryWindow mw = window(MwType.TYPE_2);
    int key = MemoryWindow.incrementRkey(mw.rkey());
    qp.postsSend(1, 8);
    for (int bytes : new int[] {QpUnderTest.HALF, 64}) {
      qp.posts(
          qp.request(bytes, WrOpcode.BIND_MW).bindMw(mw, key, qp.region, qp.va(64), bytes, BOTH));
    }
    d.hears(here.send(0).bytes(0, 8).ackReq());
    d.says(peer.ack(0, 1));
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(QpUnderTest.HALF, WcStatus.MW_BIND_ERR);
    qp.sent(64, WcStatus.WR_FLUSH_ERR);
    qp.region.close();
  }

  @Test
  @DisplayName("the key of a window is no key of local memory")
  @Holds(Rule.LOCAL_KEY)
  void isNoLocalKey() {
    MemoryWindow mw = bound(MwType.TYPE_1, BOTH);
    qp.posts(qp.request(1, WrOpcode.SEND).sge(qp.va(64), 8, mw.rkey()));
    qp.sent(1, WcStatus.LOC_PROT_ERR);
    d.hearsNothing();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("a type 2 window is not bound to nothing, nor unbound so: MW_BIND_ERR")
  @Holds(Rule.WINDOWS)
  void bindsNothingOfLengthZero(boolean isBound) {
    MemoryWindow mw = isBound ? bound(MwType.TYPE_2, BOTH) : window(MwType.TYPE_2);
    qp.posts(
        qp.request(1, WrOpcode.BIND_MW)
            .bindMw(mw, MemoryWindow.incrementRkey(mw.rkey()), qp.region, qp.va(64), 0, BOTH));
    qp.sent(1, WcStatus.MW_BIND_ERR);
    qp.isIn(QpState.ERR);
  }

  @Test
  @DisplayName("a type 1 window whose bind was flushed can be bound on another queue pair")
  @Holds(Rule.WINDOWS)
  void bindsAfterAFlushedBind() {
    MemoryWindow mw = window(MwType.TYPE_1);
    QpUnderTest.Second other = qp.second();
    qp.moves(QpState.ERR);
    bind(mw, MwType.TYPE_1, qp.region, qp.va(64), 64, BOTH);
    qp.sent(0, WcStatus.WR_FLUSH_ERR);
    bindsOn(other, mw);
  }

  @Test
  @DisplayName("a type 1 window whose bind failed can be bound on another queue pair")
  @Holds(Rule.WINDOWS)
  void bindsAfterABindThatFailed() {
    MemoryWindow mw = window(MwType.TYPE_1);
    QpUnderTest.Second other = qp.second();
    bind(mw, MwType.TYPE_1, qp.region, qp.va(QpUnderTest.HALF - 8), 16, BOTH);
    qp.sent(0, WcStatus.MW_BIND_ERR);
    bindsOn(other, mw);
  }

  private void bindsOn(QpUnderTest.Second other, MemoryWindow mw) {
    other.qp().bindMemoryWindow(mw, 7, SendFlags.SIGNALED, qp.region, qp.va(64), 64, BOTH);
    qp.sent(7, WcStatus.SUCCESS);
    d.says(other.peer().write(0, qp.va(64), mw.rkey(), 8).bytes(0, 8).ackReq());
    d.hears(other.here().ack(0, 1));
  }

  @Test
  @DisplayName("a type 2 window is bound, invalidated and bound again by one list")
  @Holds(Rule.WINDOWS)
  void bindsTwiceInOneList() {
    MemoryWindow mw = window(MwType.TYPE_2);
    int first = MemoryWindow.incrementRkey(mw.rkey());
    int second = MemoryWindow.incrementRkey(first);
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 3, 1, 0);
    list.add().wrId(1).opcode(WrOpcode.BIND_MW).bindMw(mw, first, qp.region, qp.va(0), 64, BOTH);
    list.add().wrId(2).opcode(WrOpcode.LOCAL_INV).invalidateRkey(first);
    list.add().wrId(3).opcode(WrOpcode.BIND_MW).bindMw(mw, second, qp.region, qp.va(64), 64, BOTH);
    qp.posts(list);
    qp.sent(1, WcStatus.SUCCESS);
    qp.sent(2, WcStatus.SUCCESS);
    qp.sent(3, WcStatus.SUCCESS);
    assertEquals(second, mw.rkey());
    d.says(write(0, qp.va(64), second));
    d.hears(here.ack(0, 1));
    d.says(write(1, qp.va(0), first));
    isRefused(1, 1);
  }
}
