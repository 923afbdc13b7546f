package org.roce4j.engine.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.cm.CmNode.Listening;
import org.roce4j.engine.cm.CmNode.Told;
import org.roce4j.engine.counter.Counter;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.mad.AddressHeader;
import org.roce4j.wire.mad.CmAttribute;
import org.roce4j.wire.mad.CmMessage;
import org.roce4j.wire.mad.CmPath;
import org.roce4j.wire.mad.Drep;
import org.roce4j.wire.mad.Dreq;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.Mra;
import org.roce4j.wire.mad.Rej;
import org.roce4j.wire.mad.RejCode;
import org.roce4j.wire.mad.Rep;
import org.roce4j.wire.mad.Req;
import org.roce4j.wire.mad.Rtu;
import org.roce4j.wire.mad.SidrRep;
import org.roce4j.wire.mad.SidrReq;

/**
 * A host that is no party to a connection may know all its numbers if it has seen the messages, and
 * a peer may send messages that no honest peer sends.
 */
class StrangersTest {
  private static final int CLIENT = 1;
  private static final int SERVER = 2;
  private static final int STRANGER = 3;

  /** The place of the kind of message in a management datagram. */
  private static final int ATTRIBUTE_AT = 16;

  /** 4.096 us * 2^31: 2 hours and 27 minutes. */
  private static final int LONGEST = 31;

  private static final long MINUTE_NS = 60_000 * CmNode.MS;

  private final CmNode a = new CmNode(CLIENT, 1);
  private final CmNode b = new CmNode(SERVER, 2);
  private final Listening server = new Listening();
  private final Told client = new Told();
  private long nowNs = 1;

  StrangersTest() {
    b.manager.listen(CmNode.SERVICE, server);
  }

  private void exchange() {
    while (carry(a, b) + carry(b, a) > 0) {
      // Until there are none.
    }
  }

  private int carry(CmNode from, CmNode to) {
    List<Outgoing> sent = from.sent();
    sent.forEach(out -> to.handle(nowNs, from.number, out.mad()));
    return sent.size();
  }

  private CmConnection passive() {
    return server.connections.getLast();
  }

  private CmConnection accepted() {
    CmConnection active = a.connect(nowNs, SERVER, 0x11, client);
    exchange();
    passive().accept(nowNs, CmNode.offer(0x22));
    return active;
  }

  private CmConnection established() {
    CmConnection active = accepted();
    exchange();
    active.establish(nowNs);
    exchange();
    return active;
  }

  private Rep replyTo(CmConnection active) {
    return new Rep(
        77, active.localId(), 0, 0x66, 0, 0, 1, 1, 1, 15, 0, false, 7, false, 5, Bytes.NONE);
  }

  private void refused(CmNode by, CmConnection end, CmMessage message) {
    ConnectionState before = end.state();
    List<String> told = List.copyOf(client.words);
    List<String> heard = List.copyOf(server.told.words);
    by.handle(nowNs, STRANGER, message.in(end.request() == null ? 1 : 4711));
    assertEquals(before, end.state(), message::toString);
    assertEquals(told, client.words, message::toString);
    assertEquals(heard, server.told.words, message::toString);
  }

  @Test
  void itEndsNoAttempt() {
    CmConnection active = a.connect(nowNs, SERVER, 0x11, client);
    RejCode reason = RejCode.INVALID_SERVICE_ID;
    refused(a, active, Rej.of(0, active.localId(), Rej.REQ, reason, Bytes.NONE));
    refused(a, active, replyTo(active));
    refused(a, active, new Mra(77, active.localId(), Mra.REQ, LONGEST, Bytes.NONE));
    refused(a, active, new Dreq(77, active.localId(), 0x11, Bytes.NONE));
  }

  @Test
  void itConfirmsNoAcceptance() {
    CmConnection active = accepted();
    CmConnection passive = passive();
    int here = passive.localId();
    int there = active.localId();
    refused(b, passive, new Rtu(there, here, Bytes.NONE));
    refused(b, passive, new Mra(there, here, Mra.REP, LONGEST, Bytes.NONE));
    refused(b, passive, Rej.of(there, here, Rej.REP, RejCode.TIMEOUT, Bytes.NONE));
    refused(b, passive, Rej.timedOut(there, here, a.caGuid()));
  }

  @Test
  void itTakesNoConnectionDown() {
    CmConnection active = established();
    CmConnection passive = passive();
    int here = passive.localId();
    int there = active.localId();
    refused(b, passive, new Dreq(there, here, 0x22, Bytes.NONE));
    refused(b, passive, Rej.of(there, here, Rej.OTHER, RejCode.NO_QP, Bytes.NONE));
    refused(b, passive, Rej.timedOut(there, 0, a.caGuid()));
    active.release(nowNs);
    a.sent();
    refused(a, active, new Drep(here, there, Bytes.NONE));
  }

  @Test
  void itAnswersForNoService() {
    List<String> words = new ArrayList<>();
    Resolution asked =
        a.manager.resolve(
            nowNs,
            a.routeTo(SERVER),
            CmNode.SERVICE,
            Bytes.NONE,
            new Resolution.User() {
              @Override
              public void resolved(SidrRep answer) {
                words.add("resolved");
              }

              @Override
              public void unreachable() {
                words.add("unreachable");
              }
            });
    int id = ((org.roce4j.wire.mad.SidrReq) a.sent().getFirst().mad().message()).requestId();
    SidrRep answer = new SidrRep(id, 0, 0, 0, 0x66, CmNode.SERVICE, 1, Bytes.NONE, Bytes.NONE);
    a.handle(nowNs, STRANGER, answer.in(1));
    assertEquals(List.of(), words);
    a.handle(nowNs, SERVER, answer.in(1));
    assertEquals(List.of("resolved"), words);
    assertEquals(a.routeTo(SERVER).path(), asked.route().path());
  }

  // ---- a stranger that names another's address or numbers

  private Req requestOf(CmNode node, int qpn) {
    node.connect(nowNs, SERVER, qpn, new Told());
    return (Req) node.sent().getFirst().mad().message();
  }

  /** Otherwise this host would send its answers, sixteen for each request, to a third party. */
  @Test
  void aRequestThatNamesAnothersAddressIsAnsweredToItsSenderAlone() {
    Req request = requestOf(a, 0x11);
    b.handle(nowNs, STRANGER, request.in(1));
    assertEquals(List.of(), server.connections);
    Outgoing answer = b.sent().getFirst();
    assertEquals(CmNode.address(STRANGER), answer.path().remoteLow());
    assertEquals(RejCode.INVALID_GID.code(), ((Rej) answer.mad().message()).reason());
    assertEquals(0, b.manager.remaining());
  }

  /** The program reads both addresses from this header. */
  @ParameterizedTest
  @CsvSource({"1, 2", "3, 1"})
  void anAddressHeaderThatNamesAnotherIsRefused(int source, int destination) {
    Req honest = requestOf(new CmNode(STRANGER, 5), 0x11);
    Bytes addresses =
        new AddressHeader(4, 1, 0, CmNode.address(source), 0, CmNode.address(destination))
            .before(Bytes.NONE);
    Req request = CmNode.like(honest, 7, 7, 0x11, honest.primary(), addresses);
    b.handle(nowNs, STRANGER, request.in(1));
    Rej answer = (Rej) b.sent().getFirst().mad().message();
    assertEquals(RejCode.CONSUMER_DEFINED.code(), answer.reason());
    SidrReq question = new SidrReq(9, 0xFFFF, CmNode.SERVICE, request.privateData());
    b.handle(nowNs, STRANGER, question.in(1));
    SidrRep refusal = (SidrRep) b.sent().getFirst().mad().message();
    assertEquals(SidrRep.REJECTED, refusal.status());
    assertEquals(List.of(), server.connections);
    assertEquals(List.of(), server.questions);
  }

  /** The server keeps the stranger's connection, and the client gets its own. */
  @Test
  void whoNamesAnothersNumbersDoesNotKeepItFromConnecting() {
    Req honest = requestOf(a, 0x11);
    Req forged = requestOf(new CmNode(STRANGER, 1), 0x11);
    Req taken = CmNode.like(forged, a.caGuid(), 0x11, forged.primary());
    assertEquals(honest.localId(), taken.localId(), "the same seed, so the same id");
    b.handle(nowNs, STRANGER, taken.in(1));
    passive().accept(nowNs, CmNode.offer(0x21));
    b.sent();
    b.handle(nowNs, CLIENT, honest.in(1));
    assertEquals(2, server.connections.size());
    assertEquals(ConnectionState.REQ_RCVD, passive().state());
    assertEquals(ConnectionState.REP_SENT, server.connections.getFirst().state());
  }

  @Test
  void whoRepliesByAnothersNumbersDoesNotKeepItFromReplying() {
    CmConnection active = a.connect(nowNs, SERVER, 0x11, client);
    Req request = (Req) a.sent().getFirst().mad().message();
    a.manager.listen(CmNode.SERVICE, server);
    CmPath p = request.primary();
    CmPath here =
        new CmPath(
            0,
            0,
            0,
            CmNode.address(STRANGER),
            0,
            CmNode.address(CLIENT),
            0,
            0,
            0,
            64,
            0,
            false,
            p.ackTimeout());
    Bytes addresses =
        new AddressHeader(4, 1, 0, CmNode.address(STRANGER), 0, CmNode.address(CLIENT))
            .before(Bytes.NONE);
    a.handle(nowNs, STRANGER, CmNode.like(request, 77, 5, 0x66, here, addresses).in(1));
    assertEquals(1, server.connections.size());
    a.handle(nowNs, SERVER, replyTo(active).in(1));
    assertEquals(List.of("replied"), client.words);
  }

  /** A group, everybody and nobody send nothing: an answer would go to all of them. */
  @ParameterizedTest
  @ValueSource(longs = {0xFFFF_EF01_0203L, 0xFFFF_FFFF_FFFFL, 0xFFFF_0000_0000L, 0})
  void whatComesFromNoHostIsNotAnswered(long low) {
    ByteBuffer buffer = ByteBuffer.allocate(Mad.SIZE);
    new Dreq(1, 2, 3, Bytes.NONE).in(4).emit(buffer, 0);
    b.manager.handleMad(nowNs, buffer, 0, Mad.SIZE, 0, low, 0, CmNode.address(SERVER));
    assertEquals(List.of(), b.sent());
    assertEquals(1, b.counters().get(Counter.CM_IGNORED));
  }

  /** A manager that says nothing counts, so that somebody can see why a program waits. */
  @ParameterizedTest
  @EnumSource
  void whatConcernsNoConnectionIsAnsweredOrCounted(CmAttribute attribute) {
    ByteBuffer buffer = ByteBuffer.allocate(Mad.SIZE);
    new Dreq(1, 2, 3, Bytes.NONE).in(4).emit(buffer, 0);
    buffer.putShort(ATTRIBUTE_AT, (short) attribute.id());
    long from = CmNode.address(STRANGER);
    b.manager.handleMad(nowNs, buffer, 0, Mad.SIZE, 0, from, 0, CmNode.address(SERVER));
    assertEquals(1, b.sent().size() + b.counters().get(Counter.CM_IGNORED));
  }

  // ---- a peer that sends messages that no honest peer sends

  /** The end of such a peer is over; without an answer the program would have half a connection. */
  @Test
  void aConfirmationThatComesTooLateIsRejected() {
    CmConnection active = accepted();
    exchange();
    passedUntilForgotten(b);
    assertEquals(List.of("unreachable"), server.told.words);
    assertTrue(active.establish(nowNs));
    exchange();
    assertEquals(List.of("replied", "rejected 6"), client.words);
    passedUntilForgotten(a);
    assertEquals(0, a.manager.remaining());
  }

  /** The number of the second target is not taken for that of the first, which is elsewhere. */
  @Test
  void targetsOfExtendedConnectionsNameTheirQueuePairsWhereLinuxDoes() {
    for (int number = 1; number <= 2; number++) {
      CmConnection active = a.connect(nowNs, SERVER, 0x10 + number, Req.SERVICE_EXTENDED, client);
      exchange();
      passive().accept(nowNs, CmNode.offer(0x20 + number));
      Rep reply = (Rep) b.sent().getFirst().mad().message();
      assertEquals(0, reply.qpn());
      assertEquals(0x20 + number, reply.eecn());
      assertTrue(reply.srq());
      a.handle(nowNs, SERVER, reply.in(1));
      assertEquals(0x20 + number, active.remoteQpn());
      active.establish(nowNs);
      exchange();
      active.release(nowNs);
      exchange();
      assertEquals(ConnectionState.DREQ_RCVD, passive().state(), "the release names its target");
    }
    assertEquals(List.of("replied", "replied"), client.words);
  }

  private long passedUntilForgotten(CmNode node) {
    long beginNs = nowNs;
    while (node.manager.remaining() > 0 && nowNs - beginNs < 200 * MINUTE_NS) {
      nowNs += 100 * CmNode.MS;
      node.handleTimeout(nowNs);
      node.sent();
    }
    return nowNs - beginNs;
  }

  /** Otherwise 65,536 short connections would keep a device from connecting for two hours. */
  @Test
  void noTimeWaitLastsForHours() {
    CmNode peer = new CmNode(CLIENT, 9);
    peer.connect(nowNs, SERVER, 0x11, new Told());
    Req honest = (Req) peer.sent().getFirst().mad().message();
    b.handle(nowNs, CLIENT, withAckTimeout(honest, LONGEST).in(1));
    CmConnection passive = passive();
    assertTrue(passive.accept(nowNs, CmNode.offer(0x22)));
    b.handle(nowNs, CLIENT, new Rtu(honest.localId(), passive.localId(), Bytes.NONE).in(1));
    b.handle(nowNs, CLIENT, new Dreq(honest.localId(), passive.localId(), 0x22, Bytes.NONE).in(2));
    passive.release(nowNs);
    assertEquals(ConnectionState.TIMEWAIT, passive.state());
    long ns = passedUntilForgotten(b);
    assertTrue(ns < MINUTE_NS, () -> ns / MINUTE_NS + " minutes");
  }

  @Test
  void noPeerKeepsAnAttemptWaitingForHours() {
    CmConnection active = a.connect(nowNs, SERVER, 0x11, client);
    a.sent();
    a.handle(nowNs, SERVER, new Mra(77, active.localId(), Mra.REQ, LONGEST, Bytes.NONE).in(1));
    assertEquals(ConnectionState.MRA_REQ_RCVD, active.state());
    long ns = passedUntilForgotten(a);
    assertTrue(ns < 5 * MINUTE_NS, () -> ns / MINUTE_NS + " minutes");
    assertEquals(List.of("unreachable"), client.words);
  }

  private static Req withAckTimeout(Req req, int code) {
    CmPath p = req.primary();
    return CmNode.like(req, req.caGuid(), req.qpn(), path(p.localHigh(), p.localLow(), p, code));
  }

  private static CmPath path(long high, long low, CmPath p, int ackTimeout) {
    return CmNode.path(p, high, low, p.remoteHigh(), p.remoteLow(), ackTimeout);
  }

  /** A group, everybody, nobody, and this device itself. */
  @ParameterizedTest
  @ValueSource(longs = {0xFFFF_EF01_0203L, 0xFFFF_FFFF_FFFFL, 0xFFFF_0000_0000L, 0})
  void aRequestFromWhatIsNoHostIsRejected(long low) {
    CmNode peer = new CmNode(CLIENT, 9);
    peer.connect(nowNs, SERVER, 0x11, new Told());
    Req honest = (Req) peer.sent().getFirst().mad().message();
    CmPath p = honest.primary();
    Mad forged = CmNode.like(honest, honest.caGuid(), honest.qpn(), path(0, low, p, 17)).in(1);
    b.handle(nowNs, CLIENT, forged);
    assertEquals(List.of(), server.connections);
    Rej answer = (Rej) b.sent().getFirst().mad().message();
    assertEquals(RejCode.INVALID_GID.code(), answer.reason());
    assertEquals(0, b.manager.remaining());
  }
}
