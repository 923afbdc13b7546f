package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
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
