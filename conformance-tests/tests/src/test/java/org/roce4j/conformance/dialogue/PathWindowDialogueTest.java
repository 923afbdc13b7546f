package org.roce4j.conformance.dialogue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.dialogue.QpSetup.rc;

import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Rule;
import org.roce4j.engine.path.PathWindow;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.capture.RocePacket;

/** What may be in flight to one address is shared by its queue pairs (design decision 4). */
@Holds(Rule.PATH_WINDOW)
class PathWindowDialogueTest extends DialogueFixture {
  private static final int BIG = QpUnderTest.HALF;

  /** What a path takes at first, packets of 4096 bytes. */
  private static final int PATH_PACKETS = 32;

  /** What it takes after losses. */
  private static final int LEAST_PATH_PACKETS = 8;

  /** Each takes a quarter of the window. */
  private static final int LOSSES_TO_THE_LEAST = 5;

  private static final Gid ELSEWHERE = Gid.parse("10.0.0.3");

  PathWindowDialogueTest() {
    super(rc().mtu(Mtu.MTU_4096).timeout(0));
  }

  private void posts(QueuePair sender, long wrId) {
    assertEquals(0, sender.postSend(qp.request(wrId, WrOpcode.SEND).sge(qp.region, 0, BIG)));
  }

  /** Posts until the path is full, and listens; returns how many packets went to that number. */
  private int fillsThePath(QueuePair sender, int destQp) {
    for (int i = 0; i < 4; i++) {
      posts(sender, i);
    }
    return hears(destQp);
  }

  /** Everything that comes now is for that queue pair; the last packet asks for an ACK. */
  private int hears(int destQp) {
    int count = 0;
    RocePacket last = null;
    for (RocePacket packet = d.hearsIfAny(); packet != null; packet = d.hearsIfAny()) {
      assertEquals(destQp, packet.bth().destQp());
      last = packet;
      count++;
    }
    assertTrue(last == null || last.bth().ackReq(), "the packet that closes the window asks");
    return count;
  }

  @Test
  @DisplayName("the rest goes as acknowledgements come, the waiting queue pair's too")
  void letsTheNextQueuePairGoWhenRoomIsMade() {
    QpUnderTest.Second other = qp.second();
    int first = fillsThePath(qp.qp, QpUnderTest.PEER_QPN);
    assertTrue(first < 4 * BIG / 4096, "all was sent at once");
    posts(other.qp(), 9);
    d.hearsNothing();
    d.says(peer.ack(first - 1, 0));
    int rest = 0;
    int there = 0;
    for (RocePacket packet = d.hearsIfAny(); packet != null; packet = d.hearsIfAny()) {
      if (packet.bth().destQp() == QpUnderTest.PEER_QPN) {
        rest++;
      } else {
        there++;
      }
    }
    assertTrue(rest > 0 && there > 0, rest + " and " + there + " packets");
  }

  @Test
  @DisplayName("a queue pair that is reset gives its room to those that wait")
  void givesTheRoomOfAResetQueuePairAway() {
    QpUnderTest.Second other = qp.second();
    fillsThePath(qp.qp, QpUnderTest.PEER_QPN);
    posts(other.qp(), 9);
    d.hearsNothing();
    qp.moves(QpState.RESET);
    assertEquals(BIG / 4096, hears(QpUnderTest.PEER_QPN + 1));
  }

  @Test
  @DisplayName("a queue pair that fails gives its room to those that wait")
  void givesTheRoomOfAFailedQueuePairAway() {
    QpUnderTest.Second other = qp.second();
    fillsThePath(qp.qp, QpUnderTest.PEER_QPN);
    posts(other.qp(), 9);
    d.hearsNothing();
    qp.moves(QpState.ERR);
    assertEquals(BIG / 4096, hears(QpUnderTest.PEER_QPN + 1));
  }

  @Test
  @DisplayName("a queue pair that is destroyed gives its room to those that wait")
  void givesTheRoomOfADestroyedQueuePairAway() {
    QpUnderTest.Second other = qp.second();
    fillsThePath(qp.qp, QpUnderTest.PEER_QPN);
    posts(other.qp(), 9);
    d.hearsNothing();
    qp.qp.close();
    assertEquals(BIG / 4096, hears(QpUnderTest.PEER_QPN + 1));
  }

  @Test
  @DisplayName(
      "a queue pair whose peer is gone costs the others on its path no more than two looks")
  void doesNotWaitForAPeerThatIsGone() {
    QpUnderTest.Second other = qp.second();
    for (int i = 0; i < 4; i++) {
      posts(qp.qp, i);
    }
    assertEquals(PATH_PACKETS, hears(QpUnderTest.PEER_QPN));
    posts(other.qp(), 9);
    long since = d.nowNs();
    // One packet goes past the window; its answer shows that the others' have left it.
    d.hearsAt(
        since + PathWindow.LEAST_PATIENCE_NS, other.here().sendFirst(0).bytes(0, 4096).ackReq());
    d.hearsNothing();
    d.says(other.peer().ack(0, 0));
    d.hearsAt(
        since + 2 * PathWindow.LEAST_PATIENCE_NS, other.here().sendMiddle(1).bytes(4096, 8192));
    assertEquals(BIG / 4096 - 2, hears(QpUnderTest.PEER_QPN + 1));
  }

  @Test
  @DisplayName("a queue pair whose peer is gone sends no more than a window, however much is free")
  void sendsNoMoreThanAWindowToAPeerThatIsGone() {
    doesNotWaitForAPeerThatIsGone();
    d.hearsNothing();
    d.says(peer.ack(0, 0)); // a late sign of life: the account is exact
    d.hears(here.sendFirst(PATH_PACKETS).bytes(0, 4096).ackReq());
    d.hearsNothing();
  }

  @Test
  @DisplayName("one that waited for a path waits for its next one too")
  void waitsForTheNewPathAfterReset() {
    QpUnderTest.Second here = qp.second();
    fillsThePath(here.qp(), QpUnderTest.PEER_QPN + 1);
    posts(qp.qp, 1);
    d.hearsNothing();
    qp.moves(QpState.RESET);
    QpUnderTest.Second there = qp.second(ELSEWHERE);
    int filled = fillsThePath(there.qp(), QpUnderTest.PEER_QPN + 1);
    qp.connectsTo(ELSEWHERE);
    posts(qp.qp, 2);
    d.hearsNothing();
    d.says(there.peer().ack(filled - 1, 0).from(ELSEWHERE));
    boolean went = false;
    for (RocePacket packet = d.hearsIfAny(); packet != null; packet = d.hearsIfAny()) {
      went |= packet.bth().destQp() == QpUnderTest.PEER_QPN;
    }
    assertTrue(went, "the queue pair waits for ever");
  }

  @Test
  @DisplayName("the packet that closes the window asks for an ACK, though its message goes on")
  void asksWhereTheWindowCloses() {
    assertEquals(0, qp.qp.postSend(qp.request(1, WrOpcode.SEND).sge(qp.region, 0, 3 * 4096)));
    assertEquals(PATH_PACKETS, fillsThePath(qp.qp, QpUnderTest.PEER_QPN));
  }

  @Test
  @DisplayName("two that fill the window in turns have both asked when it is closed")
  void asksBeforeAnotherClosesTheWindow() {
    QpUnderTest.Second other = qp.second();
    int filled = fillsThePath(qp.qp, QpUnderTest.PEER_QPN);
    posts(other.qp(), 9);
    posts(other.qp(), 10);
    d.hearsNothing();
    d.says(peer.ack(filled - 1, 0));
    Map<Integer, Boolean> lastAsks = new TreeMap<>();
    for (RocePacket packet = d.hearsIfAny(); packet != null; packet = d.hearsIfAny()) {
      lastAsks.put(packet.bth().destQp(), packet.bth().ackReq());
    }
    assertEquals(Map.of(QpUnderTest.PEER_QPN, true, QpUnderTest.PEER_QPN + 1, true), lastAsks);
  }

  @Test
  @DisplayName("atomics and ATOMIC_WRITE wait for room as well")
  void holdsAtomicsBackToo() {
    for (boolean write : new boolean[] {false, true}) {
      begin(rc().mtu(Mtu.MTU_4096).timeout(0));
      posts(qp.qp, 1);
      posts(qp.qp, 2);
      assertEquals(PATH_PACKETS, hears(QpUnderTest.PEER_QPN));
      if (write) {
        qp.postsAtomicWrite(3, 0x1000, 7);
      } else {
        qp.postsFetchAdd(3, 0x1000, 7, 1);
      }
      d.hearsNothing();
      d.says(peer.ack(0, 0));
      d.hears(
          write
              ? here.atomicWrite(PATH_PACKETS, 0x1000, 7, 8).bytes(0, 8)
              : here.fetchAdd(PATH_PACKETS, 0x1000, 7, 1));
    }
  }

  @Test
  @DisplayName("a window that losses made small is asked for an ACK of twice, in its middle too")
  void asksInTheMiddleOfASmallWindow() {
    for (int psn = 0; psn < LOSSES_TO_THE_LEAST; psn++) {
      PacketDraft send = here.send(psn).bytes(0, 10).ackReq();
      qp.postsSend(psn, 10);
      d.hears(send);
      d.says(peer.sequenceNak(psn, psn));
      d.hears(send);
      d.says(peer.ack(psn, psn + 1));
      qp.sent(psn, WcStatus.SUCCESS);
    }
    int first = LOSSES_TO_THE_LEAST;
    posts(qp.qp, first);
    for (int i = 0; i < LEAST_PATH_PACKETS; i++) {
      PacketDraft draft = i == 0 ? here.sendFirst(first) : here.sendMiddle(first + i);
      draft = draft.bytes(i * 4096, (i + 1) * 4096);
      d.hears(i % (LEAST_PATH_PACKETS / 2) == LEAST_PATH_PACKETS / 2 - 1 ? draft.ackReq() : draft);
    }
    d.hearsNothing();
  }

  @Test
  @DisplayName(
      "a READ that needs the whole window is not passed by for ever by packets that do not")
  void letsAReadGoBesideAStream() {
    QpUnderTest.Second other = qp.second();
    int before = 6;
    for (int i = 0; i < before; i++) {
      posts(qp.qp, i);
    }
    int psn = 0;
    for (; psn < before * BIG / 4096; psn++) { // what passed before the READ does not count
      if (d.hearsSomething().bth().ackReq()) {
        d.says(peer.ack(psn, 0));
      }
    }
    for (int i = 0; i < 40; i++) {
      posts(qp.qp, before + i);
    }
    postsLongRead(other.qp());
    int passed = 0;
    RocePacket packet = d.hearsSomething();
    while (packet.bth().destQp() == QpUnderTest.PEER_QPN) {
      if (packet.bth().ackReq()) {
        d.says(peer.ack(psn + passed, 0));
      }
      passed++;
      packet = d.hearsSomething();
    }
    assertTrue(passed > PATH_PACKETS && passed < 4 * PATH_PACKETS, passed + " have passed it by");
  }

  private void postsLongRead(QueuePair reader) {
    SendRequestList read = qp.request(9, WrOpcode.RDMA_READ).remote(0x1000, 7);
    for (int i = 0; i < 4; i++) {
      read.sge(qp.region, 0, BIG);
    }
    assertEquals(0, reader.postSend(read));
  }
}
