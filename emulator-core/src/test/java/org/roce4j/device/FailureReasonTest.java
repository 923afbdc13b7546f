package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.emulator.EmulatedDevice;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.layout.WcLayout;

/** The words of a completion in error if both ends are devices of one process. */
class FailureReasonTest {
  /** More than any virtual time of these tests takes. */
  private static final int POLLS = 100_000_000;

  private static final int BYTES = 64;
  private static final int ALL =
      AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.REMOTE_READ;

  /** One of two ends. */
  private static final class End {
    private final EmulatedDevice device;
    private final Context context;
    private final ProtectionDomain pd;
    private final CompletionQueue cq;
    private final QueuePair qp;
    private final MemorySegment memory;

    End(FabricDevices devices, Arena arena, String name, String address) {
      device = devices.device(name, Gid.parse(address));
      context = device.open();
      pd = context.allocPd();
      cq = context.createCq(16);
      memory = arena.allocate(BYTES, BYTES);
      qp =
          pd.createQp(
              new QpInitAttr().qpType(QpType.RC).cq(cq).cap(new QpCapabilities(4, 4, 1, 1)));
    }

    MemoryRegion region(int access) {
      return pd.registerMemory(memory, access);
    }
  }

  @AutoClose private final Arena arena = Arena.ofShared();
  @AutoClose private final FabricDevices devices = new FabricDevices(FabricOptions.of(1));
  private final End near = new End(devices, arena, "roce0", "10.0.0.1");
  private final End far = new End(devices, arena, "roce1", "10.0.0.2");

  private QpAttr attributes(String peer, QueuePair to) {
    return QpBringUp.attributes(AhAttr.roce(Gid.parse(peer), 0), to.qpNum())
        .timeout(4)
        .rnrRetry(2)
        .minRnrTimer(1);
  }

  private void connect() {
    QpBringUp.toRts(near.qp, attributes("10.0.0.2", far.qp));
    QpBringUp.toRts(far.qp, attributes("10.0.0.1", near.qp));
  }

  private SendRequestList request(WrOpcode opcode) {
    return new SendRequestList(arena, 1, 1, 0)
        .add()
        .wrId(7)
        .opcode(opcode)
        .flags(SendFlags.SIGNALED);
  }

  private SendRequestList write(MemoryRegion to) {
    return request(WrOpcode.RDMA_WRITE)
        .sge(near.region(ALL), 0, 8)
        .remote(to.iova() + 8, to.rkey());
  }

  private static Arguments row(
      WcStatus status,
      String words,
      Consumer<FailureReasonTest> prepare,
      Function<FailureReasonTest, SendRequestList> request) {
    return Arguments.of(status, words, prepare, request);
  }

  static Stream<Arguments> rows() {
    Consumer<FailureReasonTest> connected = FailureReasonTest::connect;
    return Stream.of(
        row(
            WcStatus.REM_ACCESS_ERR,
            " on roce1 refused RC_RDMA_WRITE_ONLY of 8 bytes at 0x.*the region of rkey 0x.* grants"
                + " LOCAL_WRITE only, REMOTE_WRITE is needed",
            connected,
            t -> t.write(t.far.region(AccessFlags.LOCAL_WRITE))),
        row(
            WcStatus.REM_ACCESS_ERR,
            "64 bytes from 0x.* on; 8 bytes at 0x.* are not all in it",
            connected,
            t -> {
              MemoryRegion to = t.far.region(ALL);
              return t.write(to).remote(to.iova() + BYTES, to.rkey());
            }),
        row(
            WcStatus.REM_ACCESS_ERR,
            "rkey 0x1234 names no region or window now",
            connected,
            t -> t.write(t.far.region(ALL)).remote(0, 0x1234)),
        row(
            WcStatus.REM_ACCESS_ERR,
            "the queue pair grants REMOTE_READ, not REMOTE_WRITE: set it by qpAccessFlags",
            t -> {
              t.connect();
              t.far.qp.modify(new QpAttr().qpAccessFlags(AccessFlags.REMOTE_READ));
            },
            t -> t.write(t.far.region(ALL))),
        row(
            WcStatus.REM_INV_REQ_ERR,
            "longer than the 4 bytes of the receive it came to \\(wr_id 3\\): at least 8",
            t -> {
              t.connect();
              t.far.qp.postRecvOrThrow(
                  new RecvRequestList(t.arena, 1, 1).add().wrId(3).sge(t.far.region(ALL), 0, 4));
            },
            t -> t.request(WrOpcode.SEND).sge(t.near.region(ALL), 0, 8)),
        row(
            WcStatus.REM_OP_ERR,
            "refused RC_SEND_ONLY with 8 bytes: the receive of wr_id 3: element 0: lkey 0x4d names"
                + " no region or window now",
            t -> {
              t.connect();
              t.far.qp.postRecvOrThrow(
                  new RecvRequestList(t.arena, 1, 1)
                      .add()
                      .wrId(3)
                      .sge(t.far.memory.address(), 8, 77));
            },
            t -> t.request(WrOpcode.SEND).sge(t.near.region(ALL), 0, 8)),
        row(
            WcStatus.RNR_RETRY_EXC_ERR,
            "SEND of 8 bytes: the peer has no receive posted; 3 RNR NAKs, rnrRetry is 2; QP 0x.*"
                + " RC RTS on roce1 has no receive posted",
            connected,
            t -> t.request(WrOpcode.SEND).sge(t.near.region(ALL), 0, 8)),
        row(
            WcStatus.LOC_PROT_ERR,
            "element 0: lkey 0x4d names no region or window now",
            connected,
            t -> t.request(WrOpcode.SEND).sge(t.near.memory.address(), 8, 77)),
        row(
            WcStatus.LOC_PROT_ERR,
            "where its answer goes: element 0: the region of lkey 0x.* grants local reading only,"
                + " LOCAL_WRITE is needed",
            connected,
            t -> {
              MemoryRegion from = t.far.region(ALL);
              return t.request(WrOpcode.RDMA_READ)
                  .sge(t.near.region(0), 0, 8)
                  .remote(from.iova(), from.rkey());
            }),
        row(
            WcStatus.LOC_QP_OP_ERR,
            "LOCAL_INV: key 0x1234 is of no type 2 window that is bound on this queue pair",
            connected,
            t -> t.request(WrOpcode.LOCAL_INV).invalidateRkey(0x1234)),
        row(
            WcStatus.RETRY_EXC_ERR,
            "no acknowledgement of PSN 0 after 7 retries, ACK timeout 0.066 ms; QP 0x.* RC INIT on"
                + " roce1 takes no packet before RTR",
            t -> {
              QpBringUp.toRts(t.near.qp, t.attributes("10.0.0.2", t.far.qp));
              QpBringUp.to(QpState.INIT, t.far.qp, QpBringUp.attributes());
            },
            t -> t.write(t.far.region(ALL))),
        row(
            WcStatus.RETRY_EXC_ERR,
            "QP 0x.* RC RESET on roce1 takes no packet before RTR",
            t -> QpBringUp.toRts(t.near.qp, t.attributes("10.0.0.2", t.far.qp)),
            t -> t.write(t.far.region(ALL))),
        row(
            WcStatus.RETRY_EXC_ERR,
            "is connected with QP 0x.*, not with this one \\(destQpNum\\)",
            t -> {
              QpBringUp.toRts(t.near.qp, t.attributes("10.0.0.2", t.far.qp));
              QpBringUp.toRts(t.far.qp, t.attributes("10.0.0.1", t.far.qp));
            },
            t -> t.write(t.far.region(ALL))),
        row(
            WcStatus.RETRY_EXC_ERR,
            "QP 0x.* RC RTS on roce1 expects its peer at another address \\(ahAttr\\)",
            t -> {
              QpBringUp.toRts(t.near.qp, t.attributes("10.0.0.2", t.far.qp));
              QpBringUp.toRts(t.far.qp, t.attributes("10.0.0.9", t.near.qp));
            },
            t -> t.write(t.far.region(ALL))),
        row(
            WcStatus.RETRY_EXC_ERR,
            "is connected with this one and takes packets: they were lost, or sqPsn and rqPsn"
                + " differ",
            t -> {
              QpBringUp.toRts(t.near.qp, t.attributes("10.0.0.2", t.far.qp));
              QpBringUp.toRts(t.far.qp, t.attributes("10.0.0.1", t.near.qp).rqPsn(1000));
            },
            t -> t.write(t.far.region(ALL))),
        row(
            WcStatus.RETRY_EXC_ERR,
            "QP 0x.* UC RESET on roce1 is of another service",
            t -> {
              QpInitAttr other = new QpInitAttr().qpType(QpType.UC).cq(t.far.cq);
              QueuePair of = t.far.pd.createQp(other.cap(new QpCapabilities(1, 1, 1, 1)));
              QpBringUp.toRts(t.near.qp, t.attributes("10.0.0.2", of));
            },
            t -> t.write(t.far.region(ALL))),
        row(
            WcStatus.RETRY_EXC_ERR,
            "QP 0x.* RC ERR on roce1 takes no packet in ERR; it failed because the program",
            t -> {
              t.connect();
              t.far.qp.modify(new QpAttr().qpState(QpState.ERR));
            },
            t -> t.write(t.far.region(ALL))),
        row(
            WcStatus.RETRY_EXC_ERR,
            "roce1 has no QP 0x.*: it was destroyed",
            t -> {
              t.connect();
              t.far.qp.close();
            },
            t -> t.write(t.far.region(ALL))),
        row(
            WcStatus.RETRY_EXC_ERR,
            "no device of this process has the address 10.0.0.9",
            t -> QpBringUp.toRts(t.near.qp, t.attributes("10.0.0.9", t.far.qp)),
            t -> t.write(t.far.region(ALL))),
        row(
            WcStatus.WR_FLUSH_ERR,
            "flushed because QP 0x.* failed: the program, or a plan of faults at the verbs, moved"
                + " it to ERR",
            t -> {
              t.connect();
              t.near.qp.modify(new QpAttr().qpState(QpState.ERR));
            },
            t -> t.write(t.far.region(ALL))));
  }

  private final Locale usual = Locale.getDefault();

  /** The digits of the words are those that scripts and tests read. */
  @BeforeEach
  void theMachineWritesOtherDigits() {
    Locale.setDefault(Locale.forLanguageTag("ar-u-nu-arab"));
    assertEquals("\u0667", "%d".formatted(7));
  }

  @AfterEach
  void asUsual() {
    Locale.setDefault(usual);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("rows")
  void aFailedSendSaysWhy(
      WcStatus status,
      String words,
      Consumer<FailureReasonTest> prepare,
      Function<FailureReasonTest, SendRequestList> request) {
    prepare.accept(this);
    near.qp.postSendOrThrow(request.apply(this));
    try (WorkCompletions done = completed(near)) {
      assertEquals(status, done.status(0));
      String why = near.cq.whyFailed(done, 0);
      assertTrue(why.startsWith(done.toString(0) + ": "), why);
      assertTrue(why.matches("(?s).*" + words + ".*"), why);
    }
  }

  /** An answer came, so the peer was up. */
  @Test
  void ofAPeerThatAnsweredItIsNotSaidThatNobodyHasItsAddress() {
    connect();
    near.qp.postSendOrThrow(request(WrOpcode.SEND).sge(near.region(ALL), 0, 8));
    try (WorkCompletions done = completed(near)) {
      assertEquals(WcStatus.RNR_RETRY_EXC_ERR, done.status(0));
      devices.unplug(far.device);
      String why = near.cq.whyFailed(done, 0);
      assertTrue(why.endsWith("3 RNR NAKs, rnrRetry is 2"), why);
    }
  }

  @Test
  void aDatagramThatIsTooLongSaysWhatThePortHolds() {
    QueuePair qp =
        near.pd.createQp(
            new QpInitAttr().qpType(QpType.UD).cq(near.cq).cap(new QpCapabilities(4, 4, 1, 1)));
    QpBringUp.toRts(qp, QpBringUp.attributes().qkey(5));
    int most = near.context.queryPort(1).activeMtu().bytes();
    MemorySegment message = arena.allocate(most + 1L, 64);
    qp.postSendOrThrow(
        request(WrOpcode.SEND)
            .sge(near.pd.registerMemory(message, 0), 0, most + 1)
            .ud(near.pd.createAh(AhAttr.roce(Gid.parse("10.0.0.2"), 0)), far.qp.qpNum(), 5));
    try (WorkCompletions done = completed(near)) {
      assertEquals(WcStatus.LOC_LEN_ERR, done.status(0));
      String why = near.cq.whyFailed(done, 0);
      assertTrue(why.contains("a datagram holds the " + most + " bytes of the port's MTU"), why);
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"RC", "UC", "UD", "XRC_SEND"})
  void aPeerThatIsNoTargetIsNamedAsOfAnotherService(QpType type) {
    try (XrcRig rig = new XrcRig(1)) {
      QpInitAttr init = new QpInitAttr().qpType(type).pd(rig.far.allocPd());
      CompletionQueue cq = rig.far.createCq(1);
      QueuePair peer = rig.far.createQp(type == QpType.XRC_SEND ? init.sendCq(cq) : init.cq(cq));
      QueuePair initiator = rig.initiator();
      QpBringUp.toRts(initiator, XrcRig.attributes(XrcRig.FAR, peer.qpNum()));
      assertEquals(WcStatus.RETRY_EXC_ERR, rig.status(initiator, rig.send(1, 1, 10)));
      String why = rig.nearCq.whyFailed(rig.last(), 0);
      assertTrue(why.contains("is of another service"), why);
    }
  }

  @Test
  void aReceiveThatFailsSaysWhatItsQueuePairRefused() {
    connect();
    far.qp.postRecvOrThrow(
        new RecvRequestList(arena, 1, 1).add().wrId(3).sge(far.region(ALL), 0, 4));
    near.qp.postSendOrThrow(request(WrOpcode.SEND).sge(near.region(ALL), 0, 8));
    try (WorkCompletions done = completed(far)) {
      String why = far.cq.whyFailed(done, 0);
      assertTrue(why.matches(".*: QP 0x.* RC ERR on roce1 refused RC_SEND_ONLY.*"), why);
      WcLayout.status(done.memory(), 0, 99);
      assertEquals(done.toString(0), far.cq.whyFailed(done, 0), "of an unknown status");
    }
  }

  private WorkCompletions completed(End at) {
    WorkCompletions done = new WorkCompletions(1);
    for (int polls = 0; at.cq.pollOrThrow(done) == 0; polls++) {
      assertTrue(polls < POLLS, "nothing completed");
      Thread.onSpinWait();
    }
    return done;
  }
}
