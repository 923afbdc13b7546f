package org.roce4j.engine.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.engine.cm.CmNode.Listening;
import org.roce4j.engine.cm.CmNode.Told;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.mad.Drep;
import org.roce4j.wire.mad.Dreq;
import org.roce4j.wire.mad.Rej;
import org.roce4j.wire.mad.Rep;
import org.roce4j.wire.mad.Req;

/**
 * An id or a queue pair that a peer names twice: in a reply it belongs to another connection, in
 * any state of that connection (10.6.5.2 of the IB specification, {@code cm_rep_handler} of Linux).
 */
class PeersNumbersTest {
  private static final int ID = 0x77;
  private static final int QPN = 0x22;
  private static final int MANY = 20_000;

  private final CmNode node = new CmNode(1, 1);
  private final Told first = new Told();
  private final Told second = new Told();
  private long nowNs = 1;

  /** The state of the first connection when the reply to the second arrives. */
  enum Progress {
    REPLIED,
    ESTABLISHED,
    RELEASED,
    TIME_WAIT,
    OVER
  }

  private CmConnection connecting(int qpn, Told told) {
    CmConnection end = node.connect(nowNs, 2, qpn, told);
    node.sent();
    return end;
  }

  private CmConnection replied() {
    CmConnection end = connecting(0x11, first);
    reply(end, ID, QPN);
    assertEquals(List.of("replied"), first.words);
    return end;
  }

  private void reply(CmConnection end, int id, int qpn) {
    reply(end, id, qpn, 2);
  }

  private void reply(CmConnection end, int id, int qpn, long guid) {
    Rep rep =
        new Rep(id, end.localId(), 0, qpn, 0, 0, 7, 4, 4, 15, 0, false, 7, false, guid, Bytes.NONE);
    node.handle(nowNs, 2, rep.in(5));
  }

  private void bring(CmConnection end, Progress to) {
    if (to.compareTo(Progress.ESTABLISHED) >= 0) {
      assertTrue(end.establish(nowNs));
    }
    if (to.compareTo(Progress.RELEASED) >= 0) {
      end.release(nowNs);
    }
    if (to.compareTo(Progress.TIME_WAIT) >= 0) {
      node.handle(nowNs, 2, new Drep(ID, end.localId(), Bytes.NONE).in(6));
    }
    if (to == Progress.OVER) {
      nowNs += 600 * CmNode.MS;
      node.handleTimeout(nowNs);
    }
    node.sent();
  }

  @ParameterizedTest
  @EnumSource
  void aReplyWithTheQueuePairOfAnotherConnectionIsRejectedAsStale(Progress progress) {
    CmConnection before = replied();
    bring(before, progress);
    CmConnection end = connecting(0x12, second);
    reply(end, ID + 1, QPN);
    List<Outgoing> sent = node.sent();
    if (progress == Progress.OVER) {
      assertEquals(List.of("replied"), second.words);
      assertEquals(List.of(), sent);
      return;
    }
    assertEquals(List.of(), second.words);
    assertEquals(ConnectionState.REQ_SENT, end.state());
    Rej rej = (Rej) sent.getFirst().mad().message();
    boolean stood = progress == Progress.ESTABLISHED;
    assertEquals(stood ? 2 : 1, sent.size());
    assertEquals(10, rej.reason());
    assertEquals(Rej.REP, rej.rejected());
    assertEquals(end.localId(), rej.localId());
    assertEquals(ID + 1, rej.remoteId());
    assertEquals(CmNode.address(2), sent.getFirst().path().remoteLow());
    // The peer has started again: the old connection is half open, and would stay stale for ever.
    assertEquals(stood, sent.getLast().mad().message() instanceof Dreq);
  }

  @ParameterizedTest
  @EnumSource
  void aReplyWithTheIdOfAnotherConnectionIsNotHeard(Progress progress) {
    bring(replied(), progress);
    CmConnection end = connecting(0x12, second);
    reply(end, ID, QPN + 1);
    boolean over = progress == Progress.OVER;
    assertEquals(over ? List.of("replied") : List.of(), second.words);
    assertEquals(List.of(), node.sent());
    reply(end, ID + 1, QPN + 1);
    assertEquals(List.of("replied"), second.words, "the peer's own numbers");
  }

  /** 0 means no end. */
  @Test
  void noEndHasTheNumberZero() {
    ConnectionEnds ends = new ConnectionEnds(3);
    for (int i = 0; i < 8; i++) {
      assertNotEquals(0, ends.freshId());
    }
  }

  /** A queue pair that two ends name belongs to the first end until that end is over. */
  @Test
  void theEndOfAnotherDoesNotFreeTheNumbersOfTheFirst() {
    Listening server = new Listening();
    node.manager.listen(CmNode.SERVICE, server);
    replied();
    CmConnection end = connecting(0x12, second);
    reply(end, ID + 1, QPN);
    node.sent();
    end.close(nowNs);
    node.sent();
    CmConnection third = connecting(0x13, second);
    reply(third, ID + 2, QPN);
    assertEquals(ConnectionState.REQ_SENT, third.state());
  }

  /** A peer may name 0, which an end that has heard nothing has in place of the numbers. */
  @Test
  void anEndThatHasHeardNothingFreesNoNumberWhenItEnds() {
    CmConnection zero = connecting(0x11, first);
    reply(zero, 0, 0, 0);
    assertEquals(List.of("replied"), first.words);
    node.sent();
    connecting(0x12, second).close(nowNs);
    CmConnection third = connecting(0x13, second);
    reply(third, 0, QPN, 0);
    assertEquals(ConnectionState.REQ_SENT, third.state(), "the id is the first end's");
    reply(third, ID, 0, 0);
    assertEquals(ConnectionState.REQ_SENT, third.state(), "the queue pair is the first end's");
    reply(third, ID, QPN, 0);
    assertEquals(ConnectionState.REP_RCVD, third.state());
  }

  /**
   * A peer chooses its numbers, so it may choose those that a hash table puts in one place. The
   * time is that of the processor, which other programs do not change.
   */
  @Test
  void numbersOfOneHashCostLittleMoreThanOthers() {
    long ordinaryNs = costNs(x -> x * 0x9E37_79B9_7F4A_7C15L);
    long collidingNs = costNs(x -> x << 32 | x);
    assertTrue(collidingNs < 8 * ordinaryNs, () -> collidingNs + " instead of " + ordinaryNs);
  }

  /** The numbers of many requests by devices with these GUIDs, with the same id and queue pair. */
  private static long costNs(LongUnaryOperator guid) {
    CmNode peer = new CmNode(2, 6);
    peer.connect(0, 1, QPN, new Told());
    Req honest = (Req) peer.sent().getFirst().mad().message();
    CmNode target = new CmNode(1, 3);
    target.manager.listen(CmNode.SERVICE, new Listening());
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long beginNs = threads.getCurrentThreadCpuTime();
    for (long x = 1; x <= MANY; x++) {
      target.handle(1, 2, CmNode.like(honest, guid.applyAsLong(x), QPN, honest.primary()).in(x));
    }
    assertEquals(MANY, target.manager.remaining());
    return threads.getCurrentThreadCpuTime() - beginNs;
  }
}
