package org.roce4j.junit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.GlobalRouteHeader;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

@EmulatedRdma(seed = 7, mtu = 1024)
class RdmaEndTest {
  @Test
  void aMessageGoesEitherWay(Context a, Context b) {
    try (Pair pair = Pair.of(QpType.RC, a, b)) {
      for (RdmaEnd from : pair.ends()) {
        RdmaEnd to = from == pair.client() ? pair.server() : pair.client();
        from.memory().setString(0, "ping");
        to.postReceive(1, 100, 64);
        from.postSend(2, 0, 5);
        assertEquals(WcStatus.SUCCESS, from.next().status());
        Completion received = to.next();
        assertEquals(5, received.bytes());
        assertEquals(0, received.flags(), "no immediate data");
        assertEquals("ping", to.memory().getString(100));
      }
    }
  }

  @Test
  void aCompletionSaysAllOfItsRequest(Context a, Context b) {
    try (Pair pair = Pair.of(QpType.RC, a, b)) {
      RdmaEnd server = pair.server();
      RdmaEnd client = pair.client();
      server.postReceive(11, 0, 64);
      server.qp().postRecvOrThrow(server.receive(12, 0, 0));
      client
          .qp()
          .postSendOrThrow(client.request(1, WrOpcode.SEND_WITH_IMM, 0, 5).immediate(0x1234));
      client.postSend(2, 0, 0);
      List<Completion> received = server.next(2);
      Completion first = received.getFirst().succeeded();
      assertEquals(11, first.wrId());
      assertEquals(WcOpcode.RECV, first.opcode());
      assertEquals(5, first.bytes());
      assertEquals(WcFlags.WITH_IMM, first.flags());
      assertEquals(0x1234, first.immediate());
      assertEquals(server.qp().qpNum(), first.qpNum());
      assertEquals(12, received.getLast().wrId());
      List<Completion> sent = new ArrayList<>();
      while (sent.size() < 2) {
        sent.addAll(client.poll());
      }
      assertEquals(List.of(1L, 2L), sent.stream().map(Completion::wrId).toList());
      assertEquals(List.of(), client.poll());
    }
  }

  @Test
  void aQueuePairHasTheQueuesThatAreSaid(Context context) {
    try (RdmaEnd end = new RdmaEnd(context, QpType.RC);
        SharedReceiveQueue shared = end.pd().createSrq(new SrqInitAttr(4, 1))) {
      assertNotNull(end.channel());
      assertSame(end.channel(), end.cq().channel());
      assertTrue(end.qp().cap().maxSendWr() >= RdmaEnd.DEPTH, end.qp().cap().toString());
      assertTrue(end.qp().cap().maxRecvWr() >= RdmaEnd.DEPTH, end.qp().cap().toString());
      assertTrue(end.qp().cap().maxRecvSge() >= 1, end.qp().cap().toString());
      QueuePair sharing = end.createQp(QpType.RC, shared);
      assertEquals(0, sharing.cap().maxRecvWr());
      assertEquals(0, sharing.cap().maxRecvSge());
      sharing.close();
    }
  }

  @Test
  void anEndHasTheUsualMemoryAndTheFirstAddress(Context context) {
    try (RdmaEnd end = new RdmaEnd(context, QpType.RC)) {
      assertEquals(65_536, end.memory().byteSize());
      assertEquals(context.queryGid(1, 0), end.gid());
      assertEquals(64, end.qp().cap().maxInlineData());
      assertEquals(64, RdmaEnd.DEPTH);
      assertEquals(0, end.counter("of nothing"));
    }
  }

  @Test
  void theMemoryOfEitherEndCanBeReadAndWritten(Context a, Context b) {
    try (Pair pair = Pair.of(QpType.RC, a, b)) {
      RdmaEnd server = pair.server();
      server.memory().setString(0, "read me");
      pair.client()
          .qp()
          .postSendOrThrow(
              pair.client()
                  .request(1, WrOpcode.RDMA_READ, 64, 8)
                  .remote(server.region().iova(), server.region().rkey()));
      assertEquals(WcStatus.SUCCESS, pair.client().next().status());
      assertEquals("read me", pair.client().memory().getString(64));
    }
  }

  @Test
  void attributesAreTheUsualOnesUnlessTheTestSaysOtherwise(Context a, Context b) {
    try (Pair usual = Pair.of(QpType.RC, a, b);
        Pair other = Pair.of(QpType.RC, a, b, attr -> attr.timeout(9).pathMtu(Mtu.MTU_256))) {
      QpAttr attr = usual.client().qp().query();
      assertArrayEquals(
          new int[] {17, 7, 7, 12}, // the attributes of ibv_rc_pingpong except the ACK timeout
          new int[] {attr.timeout(), attr.retryCnt(), attr.rnrRetry(), attr.minRnrTimer()});
      assertEquals(Mtu.MTU_1024, attr.pathMtu(), "the port's");
      assertEquals(9, other.server().qp().query().timeout());
      assertEquals(Mtu.MTU_256, other.client().qp().query().pathMtu());
    }
  }

  @Test
  void aQueuePairIsBroughtForwardOnly(Context context) {
    try (RdmaEnd end = new RdmaEnd(context, QpType.RC)) {
      QpAttr attr = RdmaEnd.toward(end.qp());
      QpBringUp.to(QpState.RTR, end.qp(), attr);
      QpBringUp.to(QpState.RTR, end.qp(), attr);
      assertThrows(VerbsException.class, () -> QpBringUp.to(QpState.INIT, end.qp(), attr));
      assertEquals(QpState.RTR, end.qp().state());
      end.qp().modify(new QpAttr().qpState(QpState.ERR));
      assertThrows(VerbsException.class, () -> QpBringUp.toRts(end.qp(), attr));
      assertEquals(QpState.ERR, end.qp().state());
    }
  }

  @Test
  void aDatagramComesBehindTheNetworkHeader(Context a, Context b) {
    try (Pair pair = Pair.of(QpType.UD, a, b)) {
      pair.client().memory().setString(0, "datagram");
      pair.server().postReceive(1, 0, 100);
      pair.client().postSend(2, 0, 9);
      Completion received = pair.server().next();
      assertEquals(GlobalRouteHeader.SIZE + 9, received.bytes());
      assertEquals(pair.client().qp().qpNum(), received.sourceQp());
      assertEquals("datagram", pair.server().memory().getString(GlobalRouteHeader.SIZE));
    }
  }

  @Test
  void aRequestOfNoBytesHasNoElement(Context a) {
    try (RdmaEnd end = new RdmaEnd(a, QpType.RC)) {
      assertEquals(0, end.request(1, WrOpcode.SEND, 8, 0).sgeCountAt(0));
      assertEquals(0, end.receive(1, 8, 0).sgeCountAt(0));
      assertEquals(8, end.request(1, WrOpcode.SEND, 8, 3).sgeAddressAt(0, 0) - end.region().iova());
      assertEquals(8, end.receive(1, 8, 3).sgeAddressAt(0, 0) - end.region().iova());
    }
  }

  @Test
  void aRefusedRequestIsAnException(Context a) {
    try (RdmaEnd end = new RdmaEnd(a, QpType.RC)) {
      VerbsException refused =
          assertThrows(VerbsException.class, () -> end.postSend(1, 0, 8), "in RESET");
      assertEquals(Errno.EINVAL, refused.errno());
    }
  }

  @Test
  void anEndLeavesNothingBehind(RdmaDevice device, Context context) {
    RdmaEnd end = new RdmaEnd(context, QpType.RC);
    QueuePair another = end.createQp(QpType.UD, null);
    end.close();
    assertThrows(VerbsException.class, another::state);
    assertThrows(VerbsException.class, () -> end.pd().createQp(new QpInitAttr().cq(end.cq())));
    assertFalse(end.memory().scope().isAlive());
    RdmaEnd alone = RdmaEnd.open(device, QpType.UC, 4096);
    MemorySegment memory = alone.memory();
    alone.close();
    assertThrows(VerbsException.class, alone.context()::allocPd);
    assertFalse(memory.scope().isAlive());
  }

  /** Two connected ends. */
  private record Pair(RdmaEnd client, RdmaEnd server) implements AutoCloseable {
    static Pair of(QpType type, Context a, Context b) {
      return of(type, a, b, attr -> {});
    }

    static Pair of(QpType type, Context a, Context b, Consumer<QpAttr> attributes) {
      Pair pair = new Pair(new RdmaEnd(a, type), new RdmaEnd(b, type));
      RdmaEnd.connect(pair.client, pair.server, attributes);
      return pair;
    }

    List<RdmaEnd> ends() {
      return List.of(client, server);
    }

    @Override
    public void close() {
      client.close();
      server.close();
    }
  }

  /** A queue pair whose event nobody acknowledges is not destroyed before it is. */
  @Test
  @Timeout(value = 30, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void anEventThatWasTakenIsAcknowledged(Context a, Context b) {
    try (Pair pair = Pair.of(QpType.RC, a, b)) {
      QueuePair qp = pair.client().qp();
      QpAttr attr = new QpAttr().qpState(QpState.SQD).enSqdAsyncNotify(true);
      qp.modify(attr);
      assertEquals(EventType.SQ_DRAINED, pair.client().event().type());
    }
  }
}
