package org.roce4j.engine.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.engine.cm.CmNode.Listening;
import org.roce4j.engine.cm.CmNode.Told;
import org.roce4j.engine.counter.Counter;
import org.roce4j.wire.Bytes;
import org.roce4j.wire.mad.AddressHeader;
import org.roce4j.wire.mad.CmPath;
import org.roce4j.wire.mad.Mad;
import org.roce4j.wire.mad.Rej;
import org.roce4j.wire.mad.RejCode;
import org.roce4j.wire.mad.Req;
import org.roce4j.wire.mad.SidrRep;
import org.roce4j.wire.mad.SidrReq;

/** Which requests reach a listener, and which it never sees. */
class ListenersTest {
  private static final int CLIENT = 1;
  private static final int SERVER = 2;

  private final CmNode node = new CmNode(SERVER, 2);
  private final Listening server = new Listening();

  private Req honest() {
    CmNode peer = new CmNode(CLIENT, 9);
    peer.connect(0, SERVER, 0x11, new Told());
    return (Req) peer.sent().getFirst().mad().message();
  }

  /** Listeners at several addresses have one service. */
  @Test
  void aListenerThatLeavesTakesNoOtherWithIt() {
    Listening other = new Listening();
    node.manager.listen(CmNode.SERVICE, server);
    node.manager.listen(CmNode.SERVICE, other);
    node.manager.listenNoMore(CmNode.SERVICE, server);
    node.manager.listenNoMore(CmNode.SERVICE, server);
    node.manager.listenNoMore(CmNode.SERVICE + 1, other);
    node.handle(0, CLIENT, honest().in(1));
    assertEquals(0, server.connections.size());
    assertEquals(1, other.connections.size());
  }

  /** The code of each path MTU: 1 to 5. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 5, 6, 15})
  void aRequestHasAPathMtuThatThereIs(int code) {
    node.manager.listen(CmNode.SERVICE, server);
    ByteBuffer bytes = ByteBuffer.allocate(Mad.SIZE);
    honest().in(1).emit(bytes, 0);
    int at = 24 + 50; // the upper half of the byte
    bytes.put(at, (byte) (code << 4 | bytes.get(at) & 0xf));
    Mad said = Mad.parse(bytes, 0, Mad.SIZE);
    assertEquals(code, ((Req) said.message()).pathMtu());
    node.handle(0, CLIENT, said);
    boolean known = code >= 1 && code <= 5;
    assertEquals(known ? 1 : 0, server.connections.size());
    if (!known) {
      Rej answer = (Rej) node.sent().getFirst().mad().message();
      assertEquals(RejCode.INVALID_MTU.code(), answer.reason());
    }
  }

  /** Each half of each address that a request names, in its path and in its header, and one bit. */
  @ParameterizedTest
  @CsvSource({
    "PATH, 1, 0, 0, 0", "PATH, 0, 1, 0, 0", "PATH, 0, 0, 1, 0", "PATH, 0, 0, 0, 1",
    "HEADER, 1, 0, 0, 0", "HEADER, 0, 1, 0, 0", "HEADER, 0, 0, 1, 0", "HEADER, 0, 0, 0, 1",
    "NEITHER, 0, 0, 0, 0"
  })
  void aRequestNamesTheAddressesOfItsPacket(
      String where, long localHigh, long localLow, long remoteHigh, long remoteLow) {
    node.manager.listen(CmNode.SERVICE, server);
    Req req = honest();
    CmPath p = req.primary();
    boolean inPath = where.equals("PATH");
    CmPath path =
        inPath
            ? CmNode.path(
                p,
                p.localHigh() ^ localHigh,
                p.localLow() ^ localLow,
                p.remoteHigh() ^ remoteHigh,
                p.remoteLow() ^ remoteLow,
                p.ackTimeout())
            : p;
    Bytes header =
        inPath
            ? req.privateData()
            : new AddressHeader(
                    6, // with both halves
                    1,
                    localHigh,
                    CmNode.address(CLIENT) ^ localLow,
                    remoteHigh,
                    CmNode.address(SERVER) ^ remoteLow)
                .before(Bytes.NONE);
    node.handle(0, CLIENT, CmNode.like(req, 7, 7, 0x11, path, header).in(1));
    node.handle(0, CLIENT, new SidrReq(9, 0xFFFF, CmNode.SERVICE, header).in(2));
    boolean honest = where.equals("NEITHER");
    assertEquals(0, node.counters().get(Counter.CM_DROPPED));
    assertEquals(honest ? 1 : 0, server.connections.size());
    assertEquals(honest || inPath ? 1 : 0, server.questions.size());
  }

  /** The peer repeats it where the answer is lost. */
  @Test
  void whatAListenerIsUnfitForIsRefusedEachTimeAndLeavesNothing() {
    server.unfit = true;
    node.manager.listen(CmNode.SERVICE, server);
    Req request = honest();
    for (int i = 0; i < 2; i++) {
      node.handle(0, CLIENT, request.in(1));
      assertInstanceOf(Rej.class, node.sent().getFirst().mad().message());
      node.handle(0, CLIENT, new SidrReq(9, 0xFFFF, CmNode.SERVICE, request.privateData()).in(2));
      SidrRep refusal = (SidrRep) node.sent().getFirst().mad().message();
      assertEquals(SidrRep.REJECTED, refusal.status());
      assertEquals(0, node.manager.remaining());
    }
  }

  /** It was sent before the address was taken from this host. */
  @Test
  void whatWasSentToAnAddressThatIsGoneIsCounted() {
    node.manager.listen(CmNode.SERVICE, server);
    ByteBuffer buffer = ByteBuffer.allocate(Mad.SIZE);
    honest().in(1).emit(buffer, 0);
    long from = CmNode.address(CLIENT);
    node.manager.handleMad(0, buffer, 0, Mad.SIZE, 0, from, 0, CmNode.address(77));
    assertEquals(0, node.sent().size());
    assertEquals(1, node.counters().get(Counter.CM_IGNORED));
  }

  @Test
  void thisHostsOwnProgramHasTheLastEnds() {
    for (int i = 1; i < ConnectionEnds.MOST; i++) {
      node.connect(0, CLIENT, i, new Told());
      node.sent();
    }
    assertFalse(node.manager.full(), "there is one more");
    node.connect(0, CLIENT, ConnectionEnds.MOST, new Told());
    assertTrue(node.manager.full());
  }
}
