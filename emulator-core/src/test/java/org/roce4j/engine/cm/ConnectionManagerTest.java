package org.roce4j.engine.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.cm.CmNode.Listening;
import org.roce4j.engine.cm.CmNode.Told;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.datagram.Path;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.mad.AddressHeader;
import org.roce4j.wire.mad.CmMessage;
import org.roce4j.wire.mad.CmPath;
import org.roce4j.wire.mad.Dreq;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.Rej;
import org.roce4j.wire.mad.RejCode;
import org.roce4j.wire.mad.Req;
import org.roce4j.wire.mad.ServiceId;
import org.roce4j.wire.mad.SidrRep;
import org.roce4j.wire.mad.SidrReq;

/** Two connection managers and the messages between them. */
class ConnectionManagerTest {
  private static final long SECOND = 1000 * CmNode.MS;

  private final CmNode a = new CmNode(1, 1);
  private final CmNode b = new CmNode(2, 2);
  private final Listening server = new Listening();
  private final Told client = new Told();
  private long nowNs = 1;

  ConnectionManagerTest() {
    b.manager.listen(CmNode.SERVICE, server);
  }

  /** Carries messages until there are none. */
  private void exchange() {
    while (carry(a, b) + carry(b, a) > 0) {}
  }

  private int carry(CmNode from, CmNode to) {
    List<Outgoing> sent = from.sent();
    for (Outgoing out : sent) {
      if (out.path().remoteLow() == CmNode.address(to.number)) {
        to.handle(nowNs, from.number, out.mad());
      }
    }
    return sent.size();
  }

  private void pass(long ns) {
    long endNs = nowNs + ns;
    while (nowNs < endNs) {
      nowNs += 10 * CmNode.MS;
      a.handleTimeout(nowNs);
      b.handleTimeout(nowNs);
      exchange();
    }
  }

  private CmConnection established() {
    CmConnection active = a.connect(nowNs, 2, 0x11, client);
    exchange();
    assertTrue(server.connections.getLast().accept(nowNs, CmNode.offer(0x22)));
    exchange();
    assertTrue(active.establish(nowNs));
    exchange();
    assertEquals(ConnectionState.ESTABLISHED, server.connections.getLast().state());
    return active;
  }

  @Test
  void connectsAndTakesDown() {
    CmConnection active = established();
    CmConnection passive = server.connections.getLast();
    assertEquals(List.of("replied"), client.words);
    assertEquals(List.of("established"), server.told.words);
    assertEquals(active.startingPsn(), passive.request().startingPsn());
    assertEquals(passive.startingPsn(), active.reply().startingPsn());
    assertEquals(0x11, passive.request().qpn());
    assertEquals(0x22, active.reply().qpn());
    assertEquals(active.route().path().localLow(), passive.route().path().remoteLow());

    active.release(nowNs);
    exchange();
    assertEquals(ConnectionState.DREQ_RCVD, passive.state());
    passive.release(nowNs);
    exchange();
    assertEquals(List.of("replied", "released"), client.words);
    assertEquals(List.of("established", "released"), server.told.words);
    pass(SECOND);
    assertEquals(List.of("replied", "released", "over"), client.words);
    assertEquals(0, a.manager.remaining() + b.manager.remaining());
  }

  @Test
  void privateDataArrivesInFullSize() {
    CmConnection active = established();
    CmConnection passive = server.connections.getLast();
    Bytes user = AddressHeader.userData(passive.request().privateData());
    assertEquals(56, user.length());
    assertEquals(42, user.toArray()[0]);
    assertEquals(196, active.reply().privateData().length());
  }

  @Test
  void aRequestThatIsLostIsRepeatedAfterHalfASecond() {
    CmConnection active = a.connect(nowNs, 2, 0x11, client);
    a.sent();
    pass(SECOND * 65 / 100);
    assertEquals(1, server.connections.size());
    assertEquals(ConnectionState.REQ_SENT, active.state());
  }

  @Test
  void aPeerThatIsGoneIsGivenUpAfterAboutAMinute() {
    a.connect(nowNs, 3, 0x11, client);
    List<Long> times = new ArrayList<>();
    while (client.words.isEmpty()) {
      nowNs += CmNode.MS;
      a.handleTimeout(nowNs);
      a.sent().forEach(_ -> times.add(nowNs / CmNode.MS));
    }
    assertEquals(List.of("unreachable"), client.words);
    assertEquals(16, times.size(), "the first time, and 15 more");
    long seconds = nowNs / SECOND;
    assertTrue(seconds > 55 && seconds < 75, "given up after " + seconds + " s");
    assertEquals(0, a.manager.remaining());
  }

  @Test
  void aProgramThatTakesItsTimeIsWaitedFor() {
    CmConnection active = a.connect(nowNs, 2, 0x11, client);
    pass(60 * SECOND);
    assertEquals(ConnectionState.MRA_REQ_RCVD, active.state());
    server.connections.getFirst().accept(nowNs, CmNode.offer(0x22));
    exchange();
    pass(60 * SECOND);
    assertEquals(ConnectionState.MRA_REP_RCVD, server.connections.getFirst().state());
    active.establish(nowNs);
    exchange();
    assertEquals(List.of("established"), server.told.words);
    assertEquals(1, server.connections.size());
  }

  @Test
  void anotherServiceIsRejected() {
    b.manager.listenNoMore(CmNode.SERVICE, server);
    a.connect(nowNs, 2, 0x11, client);
    exchange();
    assertEquals(List.of("rejected 8"), client.words);
    assertEquals(0, a.manager.remaining() + b.manager.remaining());
  }

  @Test
  void aFullBacklogSendsNothingAndThePeerAsksAgain() {
    server.backlog = 0;
    CmConnection active = a.connect(nowNs, 2, 0x11, client);
    exchange();
    assertEquals(0, b.manager.remaining());
    assertEquals(1, b.counters().get(Counter.CM_DROPPED));
    server.backlog = 1;
    pass(SECOND);
    assertEquals(1, server.connections.size());
    assertEquals(ConnectionState.REQ_SENT, active.state());
  }

  @Test
  void aQuestionThatFoundAFullBacklogIsTakenWhenItIsRepeated() {
    server.backlog = 0;
    Mad question = new SidrReq(5, 0xFFFF, CmNode.SERVICE, Bytes.NONE).in(1);
    for (int asked = 1; asked <= 2; asked++) {
      b.handle(nowNs, 1, addressed(question));
      assertEquals(asked, b.counters().get(Counter.CM_DROPPED));
      assertEquals(0, b.manager.remaining());
    }
    server.backlog = 1;
    b.handle(nowNs, 1, addressed(question));
    assertEquals(1, server.questions.size());
  }

  /** A question with the header of rdma_cm. */
  private static Mad addressed(Mad question) {
    SidrReq asked = (SidrReq) question.message();
    AddressHeader addresses =
        new AddressHeader(4, 50_000, 0, CmNode.address(1), 0, CmNode.address(2));
    return new SidrReq(
            asked.requestId(), asked.pkey(), asked.serviceId(), addresses.before(Bytes.NONE))
        .in(question.header().transactionId());
  }

  @Test
  void whatARequestSaysOfItsPathIsThePathBack() {
    a.connect(nowNs, 2, 0x11, client);
    Req request = (Req) a.sent().getFirst().mad().message();
    for (int hopLimit : new int[] {0, 1, 2, 255}) {
      CmPath said =
          new CmPath(
              0xFFFF,
              0xFFFF,
              0,
              CmNode.address(1),
              0,
              CmNode.address(2),
              0x1_2345,
              0,
              0xB8,
              hopLimit,
              5,
              false,
              14);
      b.handle(nowNs, 1, along(said, request, 100 + hopLimit).in(1));
      Route back = server.connections.getLast().route();
      int reaching = hopLimit <= 1 ? 64 : hopLimit; // Linux, too, takes 0 and 1 as unknown
      Path path = new Path(0, 0, CmNode.address(2), 0, CmNode.address(1), 0xB8, reaching);
      assertEquals(new Route(path, request.pathMtu(), 14, 0x1_2345), back);
    }
    assertEquals(4, server.connections.size());
  }

  private static Req along(CmPath path, Req req, int number) {
    return CmNode.like(req, number, req.caGuid(), number, path, req.privateData());
  }

  @Test
  void aQueuePairInTimeWaitIsStaleForThePeer() {
    CmConnection active = established();
    active.close(nowNs);
    exchange();
    server.connections.getLast().release(nowNs);
    exchange();
    Told again = new Told();
    a.connect(nowNs, 2, 0x11, again);
    exchange();
    assertEquals(List.of("rejected 10"), again.words);
    pass(2 * SECOND);
    a.connect(nowNs, 2, 0x11, new Told());
    exchange();
    assertEquals(2, server.connections.size());
  }

  @Test
  void aPeerThatBeganAnewEndsWhatIsLeftOfItsOldConnection() {
    established();
    CmNode reborn = new CmNode(1, 99);
    Told again = new Told();
    reborn.connect(nowNs, 2, 0x11, again);
    carry(reborn, b);
    carry(b, reborn);
    assertEquals(List.of("rejected 10"), again.words);
    assertEquals(ConnectionState.DREQ_SENT, server.connections.getFirst().state());
    carry(reborn, b);
    assertEquals(List.of("established", "released"), server.told.words);
  }

  @Test
  void aStrangerThatNamesAQueuePairTakesNothingDown() {
    CmConnection active = established();
    CmConnection passive = server.connections.getLast();
    CmNode stranger = new CmNode(3, 3);
    stranger.connect(nowNs, 2, 0x11, new Told());
    Req forged = (Req) stranger.sent().getFirst().mad().message();
    b.handle(nowNs, 3, CmNode.like(forged, a.caGuid(), 0x11, forged.primary()).in(1));
    assertEquals(ConnectionState.ESTABLISHED, passive.state());
    // The right ids, but a wrong queue pair number.
    b.handle(nowNs, 3, new Dreq(active.localId(), passive.localId(), 0x77, Bytes.NONE).in(1));
    // Only the peer's id is right.
    for (int message = 0; message < 4; message++) {
      b.handle(
          nowNs, 3, new Rej(0, passive.localId(), message, 0, 28, Bytes.NONE, Bytes.NONE).in(1));
    }
    b.handle(nowNs, 3, Rej.timedOut(active.localId(), 0, 5).in(1));
    assertEquals(ConnectionState.ESTABLISHED, passive.state());
    assertEquals(List.of("established"), server.told.words);
  }

  @Test
  void bothEndsMayTakeItDownAtOnce() {
    CmConnection active = established();
    CmConnection passive = server.connections.getLast();
    active.release(nowNs);
    passive.release(nowNs);
    exchange();
    assertEquals(ConnectionState.TIMEWAIT, active.state());
    assertEquals(ConnectionState.TIMEWAIT, passive.state());
    assertEquals(List.of("replied", "released"), client.words);
    assertEquals(List.of("established", "released"), server.told.words);
    // While the queue pairs wait for an ACK, packets may be under way.
    pass(CmTiming.codeNs(active.route().ackTimeout()) - 20 * CmNode.MS);
    assertEquals(ConnectionState.TIMEWAIT, active.state());
    assertEquals(ConnectionState.TIMEWAIT, passive.state());
    pass(40 * CmNode.MS);
    assertEquals(0, a.manager.remaining() + b.manager.remaining());
  }

  @Test
  void anEndThatIsGoneTellsItsPeerThoughTheFirstMessageIsLost() {
    CmConnection active = established();
    active.close(nowNs);
    a.sent();
    pass(SECOND);
    assertEquals(List.of("established", "released"), server.told.words);
    assertEquals(List.of("replied"), client.words, "nobody is told who has closed");
  }

  @Test
  void aPassiveEndThatIsGoneIsNotHalfAConnectionForItsPeer() {
    CmConnection active = a.connect(nowNs, 2, 0x11, client);
    exchange();
    CmConnection passive = server.connections.getFirst();
    passive.accept(nowNs, CmNode.offer(0x22));
    exchange();
    active.establish(nowNs);
    a.sent(); // RTU is lost
    passive.close(nowNs);
    b.sent(); // REJ and DREQ, too
    pass(SECOND);
    assertEquals(List.of("replied", "released"), client.words);
  }

  private static Resolution.User into(List<SidrRep> answers) {
    return new Resolution.User() {
      @Override
      public void resolved(SidrRep answer) {
        answers.add(answer);
      }

      @Override
      public void unreachable() {
        answers.add(null);
      }
    };
  }

  @Test
  void aServiceIsResolved() {
    List<SidrRep> answers = new ArrayList<>();
    Resolution.User user = into(answers);
    long service = ServiceId.of(ServiceId.UDP, 7174);
    AddressHeader addresses =
        new AddressHeader(4, 50_000, 0, CmNode.address(1), 0, CmNode.address(2));
    a.manager.resolve(nowNs, a.routeTo(2), service, addresses.before(Bytes.NONE), user);
    exchange();
    assertEquals(SidrRep.UNSUPPORTED_SERVICE, answers.removeFirst().status());

    b.manager.listen(service, server);
    a.manager.resolve(nowNs, a.routeTo(2), service, addresses.before(Bytes.NONE), user);
    exchange();
    pass(SECOND);
    assertEquals(1, server.questions.size(), "a question that is repeated is one");
    assertTrue(server.questions.getFirst().accept(nowNs, 0x33, 0x0123_4567, Bytes.of((byte) 9)));
    assertFalse(server.questions.getFirst().reject(nowNs, Bytes.NONE));
    exchange();
    SidrRep answer = answers.removeFirst();
    assertEquals(0x33, answer.qpn());
    assertEquals(0x0123_4567, answer.qkey());
    assertEquals(136, answer.privateData().length());
  }

  @Test
  void aServiceOfAHostThatIsGoneIsAskedForAsOftenAsAConnection() {
    List<SidrRep> answers = new ArrayList<>();
    Resolution.User user = into(answers);
    long service = ServiceId.of(ServiceId.UDP, 7174);
    AddressHeader addresses =
        new AddressHeader(4, 50_000, 0, CmNode.address(1), 0, CmNode.address(2));
    a.manager.resolve(nowNs, a.routeTo(3), service, addresses.before(Bytes.NONE), user);
    int asked = 0;
    while (answers.isEmpty()) {
      asked += a.sent().size();
      nowNs += 10 * CmNode.MS;
      a.handleTimeout(nowNs);
    }
    assertEquals(1 + CmTiming.MAX_RETRIES, asked, "as often as a request of a connection");
    assertEquals(1, answers.size());
    assertEquals(null, answers.getFirst());
    assertEquals(0, a.manager.remaining() + b.manager.remaining());
  }

  @Test
  void aFloodCostsABoundedNumberOfEndsAndMessages() {
    CmNode flood = new CmNode(1, 7);
    server.backlog = 64;
    for (int i = 0; i < 20_000; i++) {
      flood.connect(nowNs, 2, 0x10 + i, client);
      carry(flood, b);
    }
    assertEquals(64, b.manager.remaining());
    b.manager.listenNoMore(CmNode.SERVICE, server);
    for (int i = 0; i < 5000; i++) {
      flood.connect(nowNs, 2, 0x90_0000 + i, client);
      carry(flood, b);
    }
    assertEquals(1024, b.sent().size());
  }

  @Test
  void endsAndQuestionsThatThisHostRemembersAreABoundedNumber() {
    a.connect(nowNs, 2, 0x11, client);
    Req request = (Req) a.sent().getFirst().mad().message();
    for (int number = 1; number <= ConnectionEnds.MOST_OF_PEERS + 3; number++) {
      b.handle(nowNs, 1, along(request.primary(), request, number).in(number));
    }
    assertEquals(ConnectionEnds.MOST_OF_PEERS, b.manager.remaining());
    assertEquals(3, b.counters().get(Counter.CM_DROPPED));
    assertFalse(b.manager.full(), "this host's own program may still connect");
    int all = ConnectionEnds.MOST_OF_PEERS + ConnectionEnds.MOST;
    for (int number = 1; number <= ConnectionEnds.MOST + 3; number++) {
      b.handle(nowNs, 1, addressed(new SidrReq(number, 0xFFFF, CmNode.SERVICE, Bytes.NONE).in(1)));
    }
    assertEquals(all, b.manager.remaining());
    server.connections.getFirst().close(nowNs);
    server.questions.getFirst().reject(nowNs, Bytes.NONE);
    pass(SECOND * 100);
    b.handle(nowNs, 1, along(request.primary(), request, ConnectionEnds.MOST + 4).in(1));
    b.handle(nowNs, 1, addressed(new SidrReq(0, 0xFFFF, CmNode.SERVICE, Bytes.NONE).in(1)));
    assertEquals(all, b.manager.remaining(), "what was freed is used again");
  }

  @Test
  void garbageIsCountedAndChangesNothing() {
    CmConnection active = established();
    Random random = new Random(3);
    Mad valid = active.request().in(7);
    ByteBuffer bytes = ByteBuffer.allocate(Mad.SIZE);
    for (int i = 0; i < 20_000; i++) {
      valid.emit(bytes, 0);
      for (int k = random.nextInt(8); k >= 0; k--) {
        bytes.put(random.nextInt(Mad.SIZE), (byte) random.nextInt());
      }
      bytes.putShort(16, (short) (0x0F + random.nextInt(13)));
      b.manager.handleMad(nowNs, bytes, 0, Mad.SIZE, 0, CmNode.address(3), 0, CmNode.address(2));
      b.sent();
    }
    assertTrue(b.counters().get(Counter.CM_IGNORED) > 0);
    assertEquals(ConnectionState.ESTABLISHED, server.connections.getFirst().state());
    assertNotNull(active);
  }

  /** A limited member may connect, as on Linux: its queue pair's packets are judged later. */
  @ParameterizedTest
  @CsvSource({"0xFFFF, true", "0x7FFF, true", "0x8012, false", "0x0000, false", "0x8000, false"})
  void aRequestIsOfAPartitionOfThisHost(int pkey, boolean taken) {
    a.connect(nowNs, 2, 0x11, client);
    ByteBuffer bytes = ByteBuffer.allocate(Mad.SIZE);
    a.sent().getFirst().mad().emit(bytes, 0);
    bytes.putShort(72, (short) pkey);
    b.handle(nowNs, 1, Mad.parse(bytes, 0, Mad.SIZE));
    assertEquals(taken ? 1 : 0, server.connections.size());
    if (!taken) {
      a.handle(nowNs, 2, b.sent().getFirst().mad());
      assertEquals(List.of("rejected " + RejCode.INVALID_GID.code()), client.words);
    }
  }

  @Test
  void aRequestToAnAddressThatIsNotOursIsRejected() {
    CmConnection active = a.connect(nowNs, 3, 0x11, client);
    CmMessage request = a.sent().getFirst().mad().message();
    b.handle(nowNs, 1, request.in(1));
    a.handle(nowNs, 3, b.sent().getFirst().mad());
    assertEquals(List.of("rejected " + RejCode.INVALID_GID.code()), client.words);
    assertEquals(ConnectionState.IDLE, active.state());
  }
}
