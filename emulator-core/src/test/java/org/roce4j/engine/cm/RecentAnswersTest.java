package org.roce4j.engine.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.cm.CmNode.Listening;
import org.roce4j.engine.cm.CmNode.Told;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.mad.AddressHeader;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.RejCode;
import org.roce4j.wire.mad.SidrReq;

/** Messages after a rejection: a request again, or an acceptance of an abandoned request. */
class RecentAnswersTest {
  private final CmNode a = new CmNode(1, 1);
  private final CmNode b = new CmNode(2, 2);
  private final Listening server = new Listening();
  private final Told client = new Told();
  private long nowNs = 1;

  RecentAnswersTest() {
    b.manager.listen(CmNode.SERVICE, server);
  }

  /** The peer retransmits before REJ arrives, or because REJ is lost. */
  @Test
  void aRequestThatWasRejectedIsNoOtherRequestWhenItIsRepeated() {
    CmConnection active = a.connect(nowNs, 2, 0x11, client);
    Mad request = a.sent().getFirst().mad();
    b.handle(nowNs, 1, request);
    server.connections.getFirst().reject(nowNs, RejCode.CONSUMER_DEFINED, Bytes.NONE);
    List<Outgoing> lost = b.sent();
    b.handle(nowNs += RecentAnswers.LIFE_NS, 1, request);
    assertEquals(lost.getFirst().mad(), b.manager.pollTransmit().mad());
    b.handle(nowNs, 1, request);
    a.handle(nowNs, 2, b.sent().getFirst().mad());
    assertEquals(List.of("rejected 28"), client.words);
    assertEquals(ConnectionState.IDLE, active.state());
    assertEquals(1, server.connections.size());
    a.connect(nowNs, 2, 0x11, client);
    b.handle(nowNs, 1, a.sent().getFirst().mad());
    assertEquals(2, server.connections.size(), "another request of the same queue pair");
    b.handle(nowNs + 1, 1, request);
    assertEquals(2, server.connections.size(), "its queue pair is in use");
    server.connections.getLast().reject(nowNs, RejCode.CONSUMER_DEFINED, Bytes.NONE);
    b.handle(nowNs + 1, 1, request);
    assertEquals(3, server.connections.size(), "too old to be remembered");
  }

  /** Otherwise a lost answer would be a refusal: a program of one service has no second one. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aQuestionThatWasAnsweredIsNoOtherQuestionWhenItIsRepeated(boolean accepted) {
    Mad question = question(5, 1);
    b.handle(nowNs, 1, question);
    ServiceRequest asked = server.questions.getFirst();
    assertTrue(
        accepted ? asked.accept(nowNs, 0x33, 7, Bytes.NONE) : asked.reject(nowNs, Bytes.NONE));
    List<Outgoing> lost = b.sent();
    b.handle(nowNs += RecentAnswers.LIFE_NS, 1, question);
    assertEquals(lost, b.sent());
    assertEquals(1, server.questions.size());
    b.handle(nowNs, 3, question(5, 3));
    b.handle(nowNs, 1, question(6, 1));
    assertEquals(3, server.questions.size(), "another host, another number");
    b.handle(nowNs + 1, 1, question);
    assertEquals(4, server.questions.size(), "too old to be remembered");
    assertEquals(3, b.manager.remaining());
  }

  private static Mad question(int number, int from) {
    AddressHeader addresses =
        new AddressHeader(4, 50_000, 0, CmNode.address(from), 0, CmNode.address(2));
    return new SidrReq(number, 0xFFFF, CmNode.SERVICE, addresses.before(Bytes.NONE)).in(number);
  }

  @Test
  void rejectedRequestsThatThisHostRemembersAreABoundedNumber() {
    List<Mad> requests = new ArrayList<>();
    for (int i = 0; i <= RecentAnswers.MOST; i++) {
      a.connect(nowNs, 2, 0x100 + i, client);
      requests.add(a.sent().getFirst().mad());
      b.handle(nowNs, 1, requests.getLast());
      server.connections.getLast().reject(nowNs, RejCode.CONSUMER_DEFINED, Bytes.NONE);
    }
    for (int i : new int[] {RecentAnswers.MOST, 1, 0}) {
      server.connections.clear();
      b.handle(nowNs, 1, requests.get(i));
      assertEquals(i == 0 ? 1 : 0, server.connections.size(), "request " + i);
    }
  }

  /** The end is closed before or after it hears of the acceptance; its REJ is lost. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anAcceptanceOfAnEndThatIsGoneIsRejected(boolean heard) {
    CmConnection active = a.connect(nowNs, 2, 0x11, client);
    b.handle(nowNs, 1, a.sent().getFirst().mad());
    CmConnection passive = server.connections.getFirst();
    passive.accept(nowNs, CmNode.offer(0x22));
    Mad acceptance = b.sent().getFirst().mad();
    if (heard) {
      a.handle(nowNs, 2, acceptance);
    }
    active.close(nowNs);
    a.sent();
    a.handle(nowNs, 2, acceptance);
    b.handle(nowNs, 1, a.sent().getFirst().mad());
    assertEquals(List.of("rejected 6"), server.told.words);
    assertEquals(0, a.manager.remaining() + b.manager.remaining());
  }
}
