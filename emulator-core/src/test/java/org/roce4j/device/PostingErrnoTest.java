package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.roce4j.device.Refusals.refused;

import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.PostResult;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.WrOpcode;

/** The results of post_send, post_recv and post_srq_recv (verbs-tables 3, 4 and 7). */
class PostingErrnoTest {
  private static final int OK = 0;
  private static final int EINVAL = Errno.EINVAL.number();
  private static final int ENOMEM = Errno.ENOMEM.number();

  private final Rig rig = new Rig();

  @AfterEach
  void close() {
    rig.close();
  }

  /** Posts; a refusal must have an explanation of its own. */
  private static int sends(QueuePair qp, SendRequestList list) {
    int errno = qp.postSend(list);
    return explained(errno, qp.whySendRefused(list, errno));
  }

  private static int receives(QueuePair qp, RecvRequestList list) {
    int errno = qp.postRecv(list);
    return explained(errno, qp.whyRecvRefused(list, errno));
  }

  private static int receives(SharedReceiveQueue srq, RecvRequestList list) {
    int errno = srq.postRecv(list);
    return explained(errno, srq.whyRecvRefused(list, errno));
  }

  private static int explained(int errno, String why) {
    assertEquals(errno == OK, why.endsWith("every request was posted"), why);
    assertFalse(why.contains("no rule of posting"), why);
    return errno;
  }

  private SendRequestList request(WrOpcode opcode) {
    SendRequestList list = rig.request(opcode);
    return switch (opcode) {
      case LOCAL_INV -> list.invalidateRkey(1);
      case BIND_MW -> list.bindMw(rig.pd.allocMemoryWindow(MwType.TYPE_2), 1, rig.region, 0, 8, 0);
      case ATOMIC_CMP_AND_SWP, ATOMIC_FETCH_AND_ADD ->
          list.atomic(8, 1, 1, 1).sge(rig.region, 0, 8);
      case RDMA_WRITE, RDMA_WRITE_WITH_IMM, RDMA_READ, ATOMIC_WRITE, FLUSH ->
          list.remote(8, 1).sge(rig.region, 0, 8);
      default -> list.sge(rig.region, 0, 8);
    };
  }

  // ---- states

  @ParameterizedTest
  @CsvSource({
    "RESET, false, false",
    "INIT, false, true",
    "RTR, false, true",
    "RTS, true, true",
    "SQD, true, true",
    "ERR, true, true"
  })
  void statesTakePostsAsTheTableSays(QpState state, boolean sends, boolean receives) {
    QueuePair qp = rig.in(state, QpType.RC, 1);
    assertEquals(sends ? OK : EINVAL, sends(qp, request(WrOpcode.SEND)));
    assertEquals(receives ? OK : EINVAL, receives(qp, rig.receive()));
  }

  /** It takes the receives of its shared queue, in whatever state it is. */
  @ParameterizedTest
  @EnumSource(names = {"RESET", "INIT", "RTR", "RTS", "ERR"})
  void aQueuePairWithASharedQueueTakesNoReceives(QpState state) {
    SharedReceiveQueue srq = rig.pd.createSrq(new SrqInitAttr(4, 1));
    QueuePair qp = rig.in(state, rig.init(QpType.RC).srq(srq), 1);
    assertEquals(EINVAL, receives(qp, rig.receive()));
  }

  // ---- opcodes

  @ParameterizedTest
  @CsvSource({
    "RDMA_WRITE, UC RC",
    "RDMA_WRITE_WITH_IMM, UC RC",
    "SEND, UD UC RC",
    "SEND_WITH_IMM, UD UC RC",
    "RDMA_READ, RC",
    "ATOMIC_CMP_AND_SWP, RC",
    "ATOMIC_FETCH_AND_ADD, RC",
    "LOCAL_INV, UC RC",
    "BIND_MW, UC RC",
    "SEND_WITH_INV, RC",
    "TSO, ''",
    "DRIVER1, ''",
    "FLUSH, ''",
    "ATOMIC_WRITE, RC"
  })
  void servicesTakeTheOpcodesOfTheTable(WrOpcode opcode, String types) {
    AddressHandle ah = rig.pd.createAh(AhAttr.roce(Rig.NOBODY, 0));
    for (QpType type : new QpType[] {QpType.UD, QpType.UC, QpType.RC}) {
      QueuePair qp = rig.in(QpState.RTS, type, 1);
      SendRequestList list = request(opcode);
      if (type == QpType.UD && types.contains("UD")) {
        list.ud(ah, 5, 5);
      }
      assertEquals(
          types.contains(type.name()) ? OK : EINVAL, sends(qp, list), () -> opcode + " on " + type);
    }
  }

  @ParameterizedTest
  @CsvSource({"12", "13", "16", "255", "-1"})
  void unknownOpcodesAreRefused(int opcode) {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    assertEquals(EINVAL, sends(qp, request(WrOpcode.SEND).opcodeValue(opcode)));
  }

  // ---- lengths of 32 bits without a sign

  @ParameterizedTest
  @CsvSource({"-1", "-2147483648", "17"})
  void noElementIsShorterThanNothing(int length) {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    SendRequestList list = rig.request(WrOpcode.SEND).flags(SendFlags.INLINE);
    list.sge(rig.region.address(), length, rig.region.lkey());
    assertEquals(EINVAL, sends(qp, list));
    list.clear().add().opcode(WrOpcode.SEND).flags(SendFlags.INLINE);
    list.sge(rig.region.address(), 8, rig.region.lkey());
    list.sge(rig.region.address(), length, rig.region.lkey());
    assertEquals(EINVAL, sends(qp, list));
  }

  // ---- rows of 7

  private static Arguments row(
      String what, int errno, Function<PostingErrnoTest, SendRequestList> request) {
    return Arguments.of(what, errno, request);
  }

  static Stream<Arguments> rows() {
    return Stream.of(
        row(
            "more entries than max_send_sge",
            EINVAL,
            t -> t.request(WrOpcode.SEND).sge(t.rig.region, 0, 8).sge(t.rig.region, 0, 8)),
        row("just max_send_sge", OK, t -> t.request(WrOpcode.SEND).sge(t.rig.region, 0, 8)),
        row(
            "inline beyond max_inline_data",
            EINVAL,
            t -> t.rig.request(WrOpcode.SEND).inline(t.rig.memory.asSlice(0, Rig.INLINE + 1))),
        row(
            "just max_inline_data",
            OK,
            t -> t.rig.request(WrOpcode.SEND).inline(t.rig.memory.asSlice(0, Rig.INLINE))),
        row(
            "inline READ",
            EINVAL,
            t -> t.rig.request(WrOpcode.RDMA_READ).inline(t.rig.memory.asSlice(0, 8))),
        row(
            "inline atomic",
            EINVAL,
            t ->
                t.rig
                    .request(WrOpcode.ATOMIC_FETCH_AND_ADD)
                    .atomic(8, 1, 1, 1)
                    .inline(t.rig.memory.asSlice(0, 8))),
        row(
            "atomic of 4 bytes",
            EINVAL,
            t ->
                t.rig
                    .request(WrOpcode.ATOMIC_FETCH_AND_ADD)
                    .atomic(8, 1, 1, 1)
                    .sge(t.rig.region, 0, 4)),
        row(
            "atomic at an unaligned address",
            EINVAL,
            t ->
                t.rig
                    .request(WrOpcode.ATOMIC_CMP_AND_SWP)
                    .atomic(12, 1, 1, 1)
                    .sge(t.rig.region, 0, 8)),
        row(
            "ATOMIC_WRITE of 16 bytes",
            EINVAL,
            t -> t.rig.request(WrOpcode.ATOMIC_WRITE).remote(8, 1).sge(t.rig.region, 0, 16)),
        row(
            "ATOMIC_WRITE at an unaligned address",
            EINVAL,
            t -> t.rig.request(WrOpcode.ATOMIC_WRITE).remote(4, 1).sge(t.rig.region, 0, 8)),
        row(
            "BIND_MW with an entry",
            EINVAL,
            t -> t.request(WrOpcode.BIND_MW).sge(t.rig.region, 0, 8)),
        row(
            "BIND_MW of a type 1 window",
            EINVAL,
            t ->
                t.rig
                    .request(WrOpcode.BIND_MW)
                    .bindMw(t.rig.pd.allocMemoryWindow(MwType.TYPE_1), 1, t.rig.region, 0, 8, 0)),
        row("no entry at all", OK, t -> t.rig.request(WrOpcode.SEND)),
        row(
            "a bad lkey (found when it runs)",
            OK,
            t -> t.rig.request(WrOpcode.SEND).sge(0, 8, 12345)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void postSendReturns(
      String what, int errno, Function<PostingErrnoTest, SendRequestList> request) {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    assertEquals(errno, sends(qp, request.apply(this)));
  }

  @Test
  void readsAndAtomicsNeedMaxRdAtomic() {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 0);
    assertEquals(EINVAL, sends(qp, request(WrOpcode.RDMA_READ)));
    assertEquals(EINVAL, sends(qp, request(WrOpcode.ATOMIC_FETCH_AND_ADD)));
    assertEquals(EINVAL, sends(qp, request(WrOpcode.ATOMIC_WRITE)));
    assertEquals(OK, sends(qp, request(WrOpcode.SEND)));
  }

  @Test
  void datagramsNeedAnAddressHandleOfTheirDomain() {
    QueuePair qp = rig.in(QpState.RTS, QpType.UD, 1);
    assertEquals(EINVAL, sends(qp, request(WrOpcode.SEND)), "no address handle");
    AddressHandle foreign = rig.context.allocPd().createAh(AhAttr.roce(Rig.NOBODY, 0));
    assertEquals(EINVAL, sends(qp, request(WrOpcode.SEND).ud(foreign, 1, 1)));
    AddressHandle gone = rig.pd.createAh(AhAttr.roce(Rig.NOBODY, 0));
    SendRequestList list = request(WrOpcode.SEND).ud(gone, 1, 1);
    gone.close();
    assertEquals(EINVAL, sends(qp, list));
  }

  // ---- full queues, lists

  @Test
  void aFullSendQueueSaysEnomemAndNamesTheFirstThatWasNotPosted() {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    SendRequestList list = new SendRequestList(rig.arena, 8, 2, 16);
    for (int i = 0; i < 6; i++) {
      list.add().wrId(i).opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
    }
    assertEquals(ENOMEM, sends(qp, list));
    assertEquals(Rig.SEND_WR, list.badIndex());
  }

  @Test
  void requestsBeforeTheBadOneArePosted() {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    SendRequestList list = new SendRequestList(rig.arena, 8, 2, 16);
    list.add().opcode(WrOpcode.SEND).add().opcode(WrOpcode.SEND).add().opcode(WrOpcode.TSO);
    assertEquals(EINVAL, sends(qp, list));
    assertEquals(2, list.badIndex());
    for (int i = 0; i < Rig.SEND_WR - 2; i++) {
      assertEquals(OK, sends(qp, rig.request(WrOpcode.SEND)));
    }
    assertEquals(ENOMEM, sends(qp, rig.request(WrOpcode.SEND)));
  }

  @Test
  void aListOutsideTheViewIsABadAddress() {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    SendRequestList list = request(WrOpcode.SEND);
    MemorySegment narrow = list.memory().asSlice(0, 8);
    assertEquals(Errno.EFAULT.number(), PostResult.errno(qp.postSend(narrow, list.address())));
  }

  @Test
  void aFullReceiveQueueSaysEnomem() {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    for (int i = 0; i < Rig.RECV_WR; i++) {
      assertEquals(OK, receives(qp, rig.receive()));
    }
    assertEquals(ENOMEM, receives(qp, rig.receive()));
  }

  @Test
  void tooManyReceiveEntriesAreRefused() {
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    RecvRequestList list = rig.receive();
    for (int i = 0; i <= Rig.SGE; i++) {
      list.sge(rig.region, 0, 8);
    }
    assertEquals(EINVAL, receives(qp, list));
    assertEquals(0, list.badIndex());
  }

  @Test
  void aQueuePairWithASharedReceiveQueueTakesNoReceives() {
    SharedReceiveQueue srq = rig.pd.createSrq(new SrqInitAttr(2, 1));
    QueuePair qp = rig.pd.createQp(rig.init(QpType.RC).srq(srq));
    assertEquals(EINVAL, receives(qp, rig.receive()));
    assertEquals(OK, receives(srq, rig.receive()));
    assertEquals(OK, receives(srq, rig.receive()));
    assertEquals(ENOMEM, receives(srq, rig.receive()));
    assertEquals(EINVAL, receives(srq, rig.receive().sge(rig.region, 0, 1).sge(rig.region, 0, 1)));
  }

  @Test
  void aDatagramQueuePairBindsNoWindow() {
    MemoryWindow window = rig.pd.allocMemoryWindow(MwType.TYPE_1);
    refusesToBind(rig.in(QpState.RTS, QpType.UD, 1), window, rig.region);
  }

  @Test
  void aWindowThatIsGoneIsNotBound() {
    MemoryWindow window = rig.pd.allocMemoryWindow(MwType.TYPE_1);
    window.close();
    refusesToBind(rig.in(QpState.RTS, QpType.RC, 1), window, rig.region);
  }

  @ParameterizedTest
  @EnumSource(MwType.class)
  void noWindowIsBoundToARegionThatIsGone(MwType type) {
    MemoryWindow window = rig.pd.allocMemoryWindow(type);
    QueuePair qp = rig.in(QpState.RTS, QpType.RC, 1);
    MemoryRegion gone = rig.pd.registerMemory(rig.memory, AccessFlags.MW_BIND);
    gone.close();
    if (type == MwType.TYPE_1) {
      refusesToBind(qp, window, gone);
    } else {
      int key = MemoryWindow.incrementRkey(window.rkey());
      SendRequestList bind = rig.request(WrOpcode.BIND_MW).bindMw(window, key, gone, 0, 0, 0);
      assertEquals(EINVAL, sends(qp, bind));
    }
  }

  @Test
  void aRegionOfAnotherMakeIsNotBound() {
    MemoryWindow window = rig.pd.allocMemoryWindow(MwType.TYPE_1);
    MemoryRegion foreign =
        (MemoryRegion)
            Proxy.newProxyInstance(
                MemoryRegion.class.getClassLoader(),
                new Class<?>[] {MemoryRegion.class},
                (proxy, method, arguments) -> null);
    refusesToBind(rig.in(QpState.RTS, QpType.RC, 1), window, foreign);
  }

  @Test
  void anInitiatorTakesNoReceive() {
    assertEquals(EINVAL, receives(rig.in(QpState.RTS, QpType.XRC_SEND, 1), rig.receive()));
  }

  private void refusesToBind(QueuePair qp, MemoryWindow window, MemoryRegion region) {
    int before = window.rkey();
    refused(
        Errno.EINVAL,
        () ->
            qp.bindMemoryWindow(
                window, 1, 0, region, rig.region.address(), 8, AccessFlags.REMOTE_READ));
    assertEquals(before, window.rkey());
    assertEquals(QpState.RTS, qp.state());
    rig.region.close();
  }
}
