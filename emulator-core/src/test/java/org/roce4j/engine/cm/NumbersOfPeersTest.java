package org.roce4j.engine.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.datagram.Path;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.Req;
import org.roce4j.wire.mad.SidrRep;
import org.roce4j.wire.mad.SidrReq;

/** Ids that this host draws, and those by which it knows its peers. */
class NumbersOfPeersTest {
  private static Route to(long high, long low) {
    return new Route(new Path(0, 1, 2, high, low, 0, 64), 3, 17, 5);
  }

  private static SidrReq question(long serviceId) {
    return new SidrReq(7, Route.PKEY, serviceId, Bytes.NONE);
  }

  /** In a message it means that there is none. */
  @Test
  void noEndHasIdZero() {
    for (int operand : new int[] {0, 1, 5, -1}) {
      ConnectionEnds ends = new ConnectionEnds(operand);
      Set<Integer> ids = new HashSet<>();
      for (int i = 0; i < 16; i++) {
        ids.add(ends.freshId());
      }
      assertEquals(16, ids.size());
      assertEquals(false, ids.contains(0));
    }
  }

  /** Whatever its id is: its upper half is the sender's own in every transaction. */
  @Test
  void aTransactionIsOfItsSender() {
    Set<Boolean> negative = new HashSet<>();
    for (int seed = 1; seed <= 16; seed++) {
      CmNode node = new CmNode(1, seed);
      node.connect(1, 2, 0x11, new CmNode.Told());
      Mad request = node.sent().getFirst().mad();
      int id = ((Req) request.message()).localId();
      negative.add(id < 0);
      assertEquals(node.caGuid() << 32 | id & 0xFFFF_FFFFL, request.header().transactionId());
    }
    assertEquals(2, negative.size());
  }

  /** Each half of an address tells two hosts apart. */
  @Test
  void equalQuestionsOfTwoHostsAreTwo() {
    ServiceRequests all = new ServiceRequests(new Outbox());
    assertNotNull(all.add(to(1, 1), 9, question(3)));
    assertNull(all.add(to(1, 1), 9, question(3)), "the same one");
    assertNotNull(all.add(to(1, 2), 9, question(3)));
    assertNotNull(all.add(to(2, 1), 9, question(3)));
    assertEquals(3, all.size());
  }

  @Test
  void anAnswerIsForTheQuestionAndTheHostThatAsked() {
    ServiceRequests all = new ServiceRequests(new Outbox());
    ServiceRequest asked = all.add(to(1, 1), 9, question(3));
    asked.accept(5, 0x33, 7, Bytes.NONE);
    Mad answer = all.answerTo(6, to(1, 1), question(3));
    assertEquals(0x33, ((SidrRep) answer.message()).qpn());
    assertNull(all.answerTo(6, to(1, 1), question(4)), "another service");
    assertNull(all.answerTo(6, to(2, 1), question(3)), "another host");
    assertNull(all.answerTo(6, to(1, 2), question(3)), "another host");
    assertEquals(0, all.size());
  }

  /** Both name the same numbers, which each draws for itself. */
  @Test
  void theNumbersOfAPeerAreItsOwnAtEachHalfOfItsAddress() {
    ConnectionEnds ends = new ConnectionEnds(3);
    CmNode node = new CmNode(1, 1);
    for (Route way : List.of(to(1, 1), to(1, 2), to(2, 1))) {
      assertNull(ends.byRemoteId(way.path(), 7, 9));
      assertNull(ends.byRemoteQp(way.path(), 8, 9));
      CmConnection end = new CmConnection(node, ends, new Outbox(), null, way);
      ends.join(end, 7, 8, 9);
      assertSame(end, ends.byRemoteId(way.path(), 7, 9));
      assertSame(end, ends.byRemoteQp(way.path(), 8, 9));
    }
  }

  /** An answer that was given again is young again. */
  @Test
  void theOldestAnswerIsForgottenFirst() {
    RecentAnswers<Integer> recent = new RecentAnswers<>();
    Mad answer = question(3).in(9);
    for (int i = 0; i < RecentAnswers.MOST; i++) {
      recent.add(1, i, answer);
    }
    recent.add(1, 0, answer);
    recent.add(1, -1, answer);
    assertEquals(answer, recent.of(1, 0));
    assertNull(recent.of(1, 1));
    assertEquals(answer, recent.of(1, 2));
    assertEquals(answer, recent.of(1, -1));
  }
}
