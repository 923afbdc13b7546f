package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.device.OddMemoryTest.Oddity;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** The words for a refused post. */
class RefusedPostTest {
  @AutoClose private final Rig rig = new Rig();

  private interface Request extends BiFunction<Rig, SendRequestList, SendRequestList> {}

  private static Arguments row(
      String words, QpType type, QpState state, WrOpcode opcode, Request request) {
    return Arguments.of(words, type, state, opcode, request);
  }

  static Stream<Arguments> sends() {
    QpType rc = QpType.RC;
    QpType ud = QpType.UD;
    QpState rts = QpState.RTS;
    WrOpcode send = WrOpcode.SEND;
    return Stream.of(
        row("in INIT sends nothing: bring it to RTS", rc, QpState.INIT, send, (r, l) -> l),
        row("in RTR only receives", rc, QpState.RTR, send, (r, l) -> l),
        row("no operation has that number", rc, rts, send, (r, l) -> l.opcodeValue(13)),
        row("UD queue pairs cannot RDMA_WRITE, only RC", ud, rts, WrOpcode.RDMA_WRITE, (r, l) -> l),
        row(
            "3 scatter/gather elements, but the queue takes 2",
            rc,
            rts,
            send,
            (r, l) -> l.sge(r.region, 0, 1).sge(r.region, 0, 1).sge(r.region, 0, 1)),
        row(
            "17 bytes of inline data, but the queue pair takes 16",
            rc,
            rts,
            send,
            (r, l) -> l.inline(r.memory.asSlice(0, 17))),
        row(
            "RDMA_READ sends no data of its own",
            rc,
            rts,
            WrOpcode.RDMA_READ,
            (r, l) -> l.inline(r.memory.asSlice(0, 8))),
        row("set maxRdAtomic(1) or more", rc, rts, WrOpcode.RDMA_READ, (r, l) -> l),
        row("call ud(ah, remoteQpn, remoteQkey)", ud, rts, send, (r, l) -> l),
        row(
            "is of type 1, which QueuePair.bindMemoryWindow binds",
            rc,
            rts,
            WrOpcode.BIND_MW,
            (r, l) -> l.bindMw(r.pd.allocMemoryWindow(MwType.TYPE_1), 1, null, 0, 0, 0)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("sends")
  void aRefusedSendSaysWhy(
      String words, QpType type, QpState state, WrOpcode opcode, Request request) {
    QueuePair qp = rig.in(state, type, 0);
    SendRequestList list = request.apply(rig, rig.request(opcode).wrId(7));
    VerbsException e = refused(Errno.EINVAL, () -> qp.postSendOrThrow(list));
    assertTrue(e.remedy().contains(words), e::remedy);
    assertTrue(e.remedy().startsWith(qp + ", request 0 (wr_id 7, "), e::remedy);
  }

  @Test
  void theQueueAndTheRequestAreNamed() {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    RecvRequestList list = rig.receive();
    for (int i = 1; i < 6; i++) {
      list.add().wrId(i);
    }
    VerbsException e = assertThrows(VerbsException.class, () -> qp.postRecvOrThrow(list));
    assertEquals(
        "QP 0x%x RC RTS on rig, request 4 (wr_id 4): the receive queue is full with 4 requests:"
                .formatted(qp.qpNum())
            + " poll completions first, or ask for a larger max_recv_wr",
        e.remedy());
  }

  @Test
  void aSharedQueueNamesItself() {
    SharedReceiveQueue srq = rig.pd.createSrq(new SrqInitAttr(1, 1));
    srq.postRecvOrThrow(rig.receive());
    VerbsException e = assertThrows(VerbsException.class, () -> srq.postRecvOrThrow(rig.receive()));
    assertTrue(e.remedy().startsWith(srq + ", request 0 (wr_id 0): the receive queue is full"));
    QueuePair qp = rig.pd.createQp(rig.init(QpType.RC).srq(srq));
    e = assertThrows(VerbsException.class, () -> qp.postRecvOrThrow(rig.receive()));
    assertTrue(e.remedy().contains("post them there (qp.srq())"), e.remedy());
    qp.close();
    srq.close();
  }

  @Test
  void memoryThatCannotBeReadSaysWhichKindItIs() {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    refusedView(qp, MemorySegment.ofArray(new byte[128]), "on the heap");
    refusedView(qp, rig.memory.asSlice(0, 8), "not in the memory of the list");
    MemorySegment freed;
    try (Arena arena = Arena.ofConfined()) {
      freed = arena.allocate(128);
    }
    refusedView(qp, freed, "was freed");
    refusedView(qp, Oddity.OF_ANOTHER_THREAD.view(rig.memory.asSlice(0, 128)), "another thread");
  }

  private static void refusedView(QueuePair qp, MemorySegment view, String words) {
    long result = qp.postSend(view, view.address() + 8);
    assertEquals(Errno.EFAULT.number(), PostResult.errno(result));
    String why = qp.whySendRefused(view, view.address() + 8, result);
    assertTrue(why.contains(words), why);
  }

  @Test
  void aQueueThatOverflowedSaysWhatBecameOfIt() {
    CompletionQueue small = rig.context.createCq(1);
    QueuePair qp = rig.pd.createQp(rig.init(QpType.RC).cq(small));
    QpBringUp.to(QpState.INIT, qp, QpBringUp.attributes());
    for (int i = 0; i < 3; i++) {
      qp.postRecvOrThrow(rig.receive());
    }
    qp.modify(new QpAttr().qpState(QpState.ERR));
    try (WorkCompletions done = new WorkCompletions(4)) {
      VerbsException e =
          refused(
              Errno.EIO,
              () -> {
                while (small.pollOrThrow(done) >= 0) {
                  Thread.onSpinWait();
                }
              });
      assertTrue(e.remedy().startsWith(small + ": it overflowed and lost a completion"), e::remedy);
    }
    qp.close();
    small.close();
  }

  @Test
  void aQueuePairThatIsGoneSaysSo() {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    qp.close();
    assertTrue(qp.toString().contains("(destroyed)"), qp.toString());
    VerbsException e =
        assertThrows(VerbsException.class, () -> qp.postSendOrThrow(rig.request(WrOpcode.SEND)));
    assertTrue(e.remedy().contains("was destroyed: make another"), e.remedy());
  }
}
