package org.roce4j.engine.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.cm.CmNode.Listening;
import org.roce4j.engine.cm.CmNode.Told;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.mad.AddressHeader;
import org.roce4j.wire.mad.CmPath;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.Rep;
import org.roce4j.wire.mad.Req;
import org.roce4j.wire.mad.SidrRep;
import org.roce4j.wire.mad.SidrReq;

/** Every field of the messages that carry what two programs agree on, each by its own value. */
class ConnectionFieldsTest {
  private final CmNode a = new CmNode(1, 1);
  private final CmNode b = new CmNode(2, 2);
  private final Listening server = new Listening();

  ConnectionFieldsTest() {
    b.manager.listen(CmNode.SERVICE, server);
  }

  private static Bytes addressed() {
    return new AddressHeader(4, 50_000, 0, CmNode.address(1), 0, CmNode.address(2))
        .before(Bytes.of((byte) 9));
  }

  private Req request(int service, int extended, boolean flow, boolean srq) {
    Offer offer = new Offer(0x11, 2, 7, flow, 3, 5, srq, addressed());
    CmConnection end =
        a.manager.connect(0, a.routeTo(2), CmNode.SERVICE, service, extended, offer, new Told());
    Req sent = (Req) a.sent().getFirst().mad().message();
    CmPath route = a.routeTo(2).inRequest();
    int timeout = CmTiming.RESPONSE_TIMEOUT;
    Req whole =
        new Req(
            end.localId(),
            0,
            CmNode.SERVICE,
            a.caGuid(),
            0,
            0x11,
            2,
            0,
            7,
            0,
            timeout,
            service,
            flow,
            end.startingPsn(),
            timeout,
            3,
            0xFFFF,
            3,
            false,
            5,
            15,
            srq,
            extended,
            route,
            CmPath.NONE,
            false,
            sent.privateData());
    assertEquals(whole, sent);
    return sent;
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, false, false", "0, 0, true, false", "0, 0, false, true",
    "1, 0, true, true", "3, 1, false, false", "3, 1, true, true"
  })
  void aRequestAndItsReplySayWhatWasOffered(int service, int extended, boolean flow, boolean srq) {
    Req request = request(service, extended, flow, srq);
    b.handle(0, 1, request.in(1));
    CmConnection end = server.connections.getLast();
    end.accept(0, new Offer(0x22, 4, 6, flow, 1, 2, srq, Bytes.of((byte) 8)));
    Rep sent = (Rep) b.sent().getFirst().mad().message();
    boolean target = extended == Req.EXTENDED_XRC;
    Rep whole =
        new Rep(
            end.localId(),
            request.localId(),
            0,
            target ? 0 : 0x22,
            0,
            target ? 0x22 : 0,
            end.startingPsn(),
            4,
            6,
            CmTiming.ACK_DELAY,
            0,
            flow,
            2,
            target || srq,
            b.caGuid(),
            sent.privateData());
    assertEquals(whole, sent);
  }

  /** A PSN that can be guessed lets a stranger write into a connection. */
  @Test
  void eachConnectionBeginsAtAnotherPsn() {
    Set<Integer> psns = new HashSet<>();
    for (int i = 0; i < 50; i++) {
      psns.add(a.connect(0, 2, 0x11, new Told()).startingPsn());
    }
    assertTrue(psns.size() > 45, () -> psns + " of 50");
    assertTrue(psns.stream().allMatch(psn -> psn >= 0 && psn < 1 << 24), psns::toString);
    assertTrue(psns.stream().anyMatch(psn -> psn >= 1 << 23), psns::toString);
  }

  /** A peer finds the question that an answer belongs to by its transaction. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void anAnswerOfAServiceHasTheTransactionOfItsQuestion(boolean accepted) {
    Resolution.User nobody =
        new Resolution.User() {
          @Override
          public void resolved(SidrRep answer) {}

          @Override
          public void unreachable() {}
        };
    a.manager.resolve(0, a.routeTo(2), CmNode.SERVICE, addressed(), nobody);
    assertEquals(1, a.manager.remaining());
    Mad question = a.sent().getFirst().mad();
    int id = ((SidrReq) question.message()).requestId();
    assertEquals(a.caGuid() << 32 | Integer.toUnsignedLong(id), question.header().transactionId());
    b.handle(0, 1, question);
    assertEquals(1, b.manager.remaining());
    ServiceRequest asked = server.questions.getFirst();
    assertTrue(accepted ? asked.accept(0, 0x33, 5, Bytes.NONE) : asked.reject(0, Bytes.NONE));
    assertFalse(asked.accept(0, 0x34, 6, Bytes.NONE), "it was answered");
    assertFalse(asked.reject(0, Bytes.NONE), "it was answered");
    List<Outgoing> answers = b.sent();
    assertEquals(1, answers.size());
    Mad answer = answers.getFirst().mad();
    assertEquals(question.header().transactionId(), answer.header().transactionId());
    SidrRep whole =
        accepted
            ? new SidrRep(
                id, SidrRep.SUCCESS, 0, 0, 0x33, CmNode.SERVICE, 5, Bytes.NONE, Bytes.NONE)
            : new SidrRep(id, SidrRep.REJECTED, 0, 0, 0, CmNode.SERVICE, 0, Bytes.NONE, Bytes.NONE);
    assertEquals(whole.toString(), answer.message().toString());
    assertEquals(0, b.manager.remaining());
    a.handle(0, 2, answer);
    assertEquals(0, a.manager.remaining());
  }

  /** 0 means that an id is not known. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 7, -1, Integer.MIN_VALUE})
  void noEndHasTheNumberOfNone(int operand) {
    ConnectionEnds ends = new ConnectionEnds(operand);
    Set<Integer> ids = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      int id = ends.freshId();
      assertNotEquals(0, id);
      assertTrue(ids.add(id), () -> "twice " + id);
    }
  }
}
