package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ParentDomainInitAttr;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCreateFlags;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqInitAttr;
import org.roce4j.verbs.SrqInitAttrEx;
import org.roce4j.verbs.SrqType;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.XrcDomain;
import org.roce4j.verbs.XrcdInitAttr;

/** An object that was created, used and closed leaves the device field by field as it was. */
class NothingRemainsTest {
  private static final Gid GROUP = Gid.parse("239.1.2.3");
  private static final int RIGHTS =
      AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.MW_BIND;

  /** Fields that differ afterwards: the next free places and numbers. */
  private static final Pattern KEPT =
      Pattern.compile(
          "\\.active\\.head|\\.queuePairs\\.next"
              + "|\\.device\\.(handles\\.(free|next)|keys\\.(slots|used)).*");

  @AutoClose private final Arena arena = Arena.ofShared();
  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);
  private final ProtectionDomain pd = lone.pd;
  private final Context context = pd.context();
  private final CompletionQueue cq = context.createCq(8);
  private final WorkCompletions completions = new WorkCompletions(arena, 1);
  private final Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), 1);
  private final MemorySegment memory = arena.allocate(4096, 4096);

  static Stream<Arguments> lives() {
    return Stream.of(
        life("a context", t -> t.anotherContext().close()),
        life("a context with objects", t -> t.anotherContext().allocPd().context().close()),
        life("a protection domain", t -> t.context.allocPd().close()),
        life("a thread domain", t -> t.context.allocTd().close()),
        life("a parent domain", t -> t.context.allocParentDomain(t.parent()).close()),
        life("device memory", t -> t.context.allocDm(64, 3).close()),
        life("a completion channel", t -> t.context.createCompletionChannel().close()),
        life("a completion queue", t -> t.context.createCq(8).close()),
        life(
            "an extended completion queue",
            t -> t.context.createCqEx(new CqInitAttr().cqe(8)).close()),
        life("a region", t -> t.region().close()),
        life("a null region", t -> t.pd.allocNullMr().close()),
        life("an address handle", t -> t.pd.createAh(path()).close()),
        life("a window", t -> t.pd.allocMemoryWindow(MwType.TYPE_2).close()),
        life("a window that is bound", NothingRemainsTest::boundWindow),
        life("a shared receive queue", t -> t.pd.createSrq(new SrqInitAttr(4, 1)).close()),
        life("a queue pair of it", NothingRemainsTest::sharing),
        life("a queue pair in RESET", t -> t.pd.createQp(t.init(QpType.RC)).close()),
        life("a connection", t -> t.ready(t.init(QpType.RC)).close()),
        life("an unreliable connection", t -> t.ready(t.init(QpType.UC)).close()),
        life("a queue pair that failed", NothingRemainsTest::failed),
        life("a queue pair of datagrams in a group", NothingRemainsTest::member),
        life("an XRC domain and its objects", NothingRemainsTest::xrc));
  }

  private static Arguments life(String of, Consumer<NothingRemainsTest> lived) {
    return Arguments.of(of, lived);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("lives")
  void ofAnObjectThatWasClosed(String of, Consumer<NothingRemainsTest> lived) {
    lone.engine.takeEventful();
    Portrait before = Portrait.of(lone.engine);
    lived.accept(this);
    assertTrue(lone.engine.takeEventful(), "every close wakes the waiting threads");
    assertEquals(List.of(), Portrait.of(lone.engine).differences(before, KEPT));
  }

  private Context anotherContext() {
    return EmulatedContext.open(((EmulatedContext) context).emulated(), () -> {});
  }

  private static AhAttr path() {
    return AhAttr.roce(Gid.parse("10.0.0.2"), 0);
  }

  private ParentDomainInitAttr parent() {
    return new ParentDomainInitAttr(pd);
  }

  private MemoryRegion region() {
    return pd.registerMemory(memory, RIGHTS);
  }

  private QpInitAttr init(QpType type) {
    return LoneEngine.init(type, cq);
  }

  private QueuePair ready(QpInitAttr init) {
    QueuePair qp = pd.createQp(init);
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024).qkey(5));
    return qp;
  }

  private void boundWindow() {
    try (MemoryRegion region = region();
        MemoryWindow window = pd.allocMemoryWindow(MwType.TYPE_1);
        QueuePair qp = ready(init(QpType.RC))) {
      qp.bindMemoryWindow(
          window, 1, SendFlags.SIGNALED, region, region.iova(), 8, AccessFlags.REMOTE_WRITE);
      lone.engine.handleDoorbells(0);
      lone.engine.pollTransmit(0, train);
      assertEquals(1, cq.poll(completions));
    }
  }

  private void sharing() {
    try (SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(4, 1));
        QueuePair qp = ready(init(QpType.RC).srq(srq))) {
      qp.modify(new QpAttr().qpState(QpState.ERR));
      context.pollAsyncEvent().ack();
    }
  }

  private void failed() {
    try (QueuePair qp = ready(init(QpType.RC))) {
      qp.modify(new QpAttr().qpState(QpState.ERR));
    }
  }

  private void member() {
    try (QueuePair qp = ready(init(QpType.UD).createFlags(QpCreateFlags.BLOCK_SELF_MCAST_LB))) {
      qp.attachMulticast(GROUP);
      qp.detachMulticast(GROUP);
    }
  }

  private void xrc() {
    try (XrcDomain xrcd = context.openXrcd(new XrcdInitAttr());
        SharedReceiveQueue srq =
            context.createSrq(
                new SrqInitAttrEx()
                    .srqType(SrqType.XRC)
                    .pd(pd)
                    .xrcd(xrcd)
                    .cq(cq)
                    .maxWr(4)
                    .maxSge(1));
        QueuePair target = context.createQp(new QpInitAttr().qpType(QpType.XRC_RECV).xrcd(xrcd))) {
      assertEquals(QpState.RESET, target.state());
      assertEquals(SrqType.XRC, srq.srqType());
    }
  }
}
