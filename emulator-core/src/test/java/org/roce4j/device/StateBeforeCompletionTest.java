package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.emulator.DeviceOptions;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.engine.counter.Counter;
import org.roce4j.engine.trace.EngineTrace;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
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

/**
 * The engine may run on another thread than the polling one. A thread that polls an error must find
 * the state that goes with it, so the state is published before the first error is counted or
 * completed.
 */
class StateBeforeCompletionTest implements EngineTrace {
  private static final Gid ADDRESS = Gid.parse("10.0.0.1");
  private static final int NO_KEY = 0x1234;

  @AutoClose private final FabricDevices devices = new FabricDevices(FabricOptions.of(1));
  @AutoClose private final Arena arena = Arena.ofShared();

  @AutoClose
  private final Context context =
      devices
          .device(DeviceOptions.of("rig", ADDRESS).withActiveMtu(Mtu.MTU_4096).withTrace(this))
          .open();

  private final ProtectionDomain pd = context.allocPd();
  private final CompletionQueue cq = context.createCq(16);
  private final MemorySegment memory = arena.allocate(64);
  private final MemoryRegion region = pd.registerMemory(memory, AccessFlags.LOCAL_WRITE);
  private long errorsAtFailure = -1;

  @Override
  public void stateChanged(int qpNum, QpState from, QpState to) {
    if (to == QpState.ERR || to == QpState.SQE) {
      errorsAtFailure = errors();
    }
  }

  private long errors() {
    return context.counters().get(Counter.REQUESTER_CQE_ERROR.label())
        + context.counters().get(Counter.RESPONDER_CQE_ERROR.label());
  }

  @ParameterizedTest
  @CsvSource({"RC, ERR", "UC, SQE", "UD, SQE"})
  void aSendQueueHasItsStateBeforeItsErrorCanBePolled(QpType type, QpState state) {
    QueuePair qp = toItself(type);

    qp.postSendOrThrow(send(type, qp, NO_KEY));

    failedBeforeItsCompletion(state, qp);
  }

  @ParameterizedTest
  @EnumSource(
      value = QpType.class,
      names = {"RC", "UC", "UD"})
  void aReceiveQueueHasItsStateBeforeItsErrorCanBePolled(QpType type) {
    QueuePair qp = toItself(type);
    qp.postRecvOrThrow(new RecvRequestList(arena, 1, 1).add().sge(memory.address(), 64, NO_KEY));

    qp.postSendOrThrow(send(type, qp, region.lkey()));

    failedBeforeItsCompletion(QpState.ERR, qp);
  }

  private void failedBeforeItsCompletion(QpState state, QueuePair qp) {
    try (WorkCompletions completions = new WorkCompletions(4)) {
      int polled = 0;
      for (int turn = 0; turn < 1000 && errors() == 0; turn++) {
        polled += cq.poll(completions.memory(), completions.address(), 4);
      }
      polled += cq.poll(completions.memory(), completions.address(), 4);
      assertTrue(polled > 0);
    }
    assertEquals(1, errors());
    assertEquals(0, errorsAtFailure, "completed in error when the state changed");
    assertEquals(state, qp.state());
  }

  /** In SQE a request is flushed as it is posted; receives wait for what peers send. */
  @Test
  void aRequestThatIsPostedInSqeTakesNoReceiveAlong() {
    QueuePair qp = toItself(QpType.UC);
    qp.postSendOrThrow(send(QpType.UC, qp, NO_KEY));
    assertEquals(List.of(WcStatus.LOC_PROT_ERR), polled());
    assertEquals(QpState.SQE, qp.state());
    qp.postRecvOrThrow(
        new RecvRequestList(arena, 1, 1).add().sge(memory.address(), 64, region.lkey()));
    qp.postSendOrThrow(send(QpType.UC, qp, region.lkey()));
    assertEquals(List.of(WcStatus.WR_FLUSH_ERR), polled());
    qp.modify(new QpAttr().qpState(QpState.RTS));
    qp.postSendOrThrow(send(QpType.UC, qp, region.lkey()));
    assertEquals(List.of(WcStatus.SUCCESS, WcStatus.SUCCESS), polled());
  }

  private List<WcStatus> polled() {
    List<WcStatus> polled = new ArrayList<>();
    try (WorkCompletions completions = new WorkCompletions(1)) {
      for (int turn = 0; turn < 100; turn++) {
        if (cq.poll(completions.memory(), completions.address(), 1) > 0) {
          polled.add(completions.status(0));
        }
      }
    }
    return polled;
  }

  private QueuePair toItself(QpType type) {
    QueuePair qp = pd.createQp(new QpInitAttr().qpType(type).cq(cq));
    QpBringUp.toRts(
        qp, QpBringUp.attributes(AhAttr.roce(ADDRESS, 0), qp.qpNum()).qkey(5).qpAccessFlags(0));
    return qp;
  }

  private SendRequestList send(QpType type, QueuePair qp, int lkey) {
    SendRequestList send =
        new SendRequestList(arena, 1, 1, 0)
            .add()
            .opcode(WrOpcode.SEND)
            .flags(SendFlags.SIGNALED)
            .sge(memory.address(), 16, lkey);
    return type == QpType.UD ? send.ud(pd.createAh(AhAttr.roce(ADDRESS, 0)), qp.qpNum(), 5) : send;
  }
}
