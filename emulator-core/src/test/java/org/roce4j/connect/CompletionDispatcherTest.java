package org.roce4j.connect;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.emulator.FabricDevices;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.faulty.FaultyDevice;
import org.roce4j.faulty.VerbsFaults;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Errno;
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
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** Futures of requests, by their wr_id. */
class CompletionDispatcherTest {
  private static final Gid HERE = Gid.parse("10.0.0.1");

  @Test
  void aFutureCompletesWithItsRequestOrSaysWhyItFailed() {
    try (FabricDevices devices = new FabricDevices(FabricOptions.of(1));
        Context context = devices.device("futures", HERE).open();
        SendRequestList send = new SendRequestList(1, 1, 0);
        Arena arena = Arena.ofShared();
        RecvRequestList receive = new RecvRequestList(2, 1)) {
      CompletionQueue cq = context.createCq(16);
      ProtectionDomain pd = context.allocPd();
      MemoryRegion mr = pd.registerMemory(arena.allocate(64), AccessFlags.LOCAL_WRITE);
      QueuePair qp =
          pd.createQp(
              new QpInitAttr().qpType(QpType.RC).cq(cq).cap(new QpCapabilities(4, 4, 1, 1, 0)));
      QpBringUp.toRts(qp, QpBringUp.attributes(AhAttr.roce(HERE, 0), qp.qpNum()));
      CompletionDispatcher dispatcher = new CompletionDispatcher(cq);
      var received = dispatcher.expect();
      var flushed = dispatcher.expect();
      var sent = dispatcher.expect();
      receive.add().wrId(received.wrId()).sge(mr, 0, 32);
      receive.add().wrId(flushed.wrId());
      qp.postRecvOrThrow(receive);
      send.add().wrId(sent.wrId()).opcode(WrOpcode.SEND_WITH_IMM).immediate(7).sge(mr, 32, 5);
      send.flags(SendFlags.SIGNALED);
      qp.postSendOrThrow(send);
      for (int i = 0; i < 1000 && !sent.future().isDone(); i++) {
        dispatcher.dispatch();
      }
      assertEquals(sent.wrId(), sent.future().join().wrId());
      CompletionDispatcher.Done message = received.future().join();
      assertEquals(7, message.immediate());
      assertEquals(5, message.byteLength());
      assertEquals(qp.qpNum(), message.qpNum());
      assertFalse(flushed.future().isDone());
      qp.modify(new QpAttr().qpState(QpState.ERR));
      dispatcher.dispatch();
      CompletionException e =
          assertThrows(CompletionException.class, () -> flushed.future().join());
      FailedRequestException why = assertInstanceOf(FailedRequestException.class, e.getCause());
      assertEquals(WcStatus.WR_FLUSH_ERR, why.status());
      assertEquals(Errno.EIO, why.errno());
      var never = dispatcher.expect();
      dispatcher.forget(never);
      assertTrue(never.future().isCancelled());
      assertEquals("0 requests whose completions come to " + cq, dispatcher.toString());
    }
  }

  /** No status but SUCCESS is a success; a plan of faults gives each. */
  @ParameterizedTest
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"SUCCESS"})
  void aFutureFailsWithTheStatusOfItsRequest(WcStatus status) {
    try (FabricDevices devices = new FabricDevices(FabricOptions.of(1));
        Context context =
            FaultyDevice.around(
                    devices.device("futures", HERE),
                    VerbsFaults.parse("fail=" + status + " nth=1"),
                    devices.fabric()::nowNs)
                .open();
        SendRequestList send = new SendRequestList(1, 1, 0)) {
      CompletionQueue cq = context.createCq(16);
      QueuePair qp =
          context
              .allocPd()
              .createQp(
                  new QpInitAttr().qpType(QpType.RC).cq(cq).cap(new QpCapabilities(4, 4, 1, 1)));
      QpBringUp.toRts(qp, QpBringUp.attributes(AhAttr.roce(HERE, 0), qp.qpNum()));
      CompletionDispatcher dispatcher = new CompletionDispatcher(cq);
      var sent = dispatcher.expect();
      send.add().wrId(sent.wrId()).opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED);
      qp.postSendOrThrow(send);
      for (int i = 0; i < 1000 && !sent.future().isDone(); i++) {
        dispatcher.dispatch();
      }
      CompletionException e = assertThrows(CompletionException.class, () -> sent.future().join());
      assertEquals(status, assertInstanceOf(FailedRequestException.class, e.getCause()).status());
    }
  }

  /** More than are polled at a time; the program expects every other one. */
  @Test
  void oneCallTakesAllCompletions() {
    try (FabricDevices devices = new FabricDevices(FabricOptions.of(1));
        Context context = devices.device("futures", HERE).open();
        RecvRequestList receive = new RecvRequestList(40, 1)) {
      CompletionQueue cq = context.createCq(64);
      QueuePair qp =
          context
              .allocPd()
              .createQp(
                  new QpInitAttr().qpType(QpType.RC).cq(cq).cap(new QpCapabilities(4, 40, 1, 1)));
      QpBringUp.toRts(qp, QpBringUp.attributes(AhAttr.roce(HERE, 0), qp.qpNum()));
      CompletionDispatcher dispatcher = new CompletionDispatcher(cq);
      List<CompletionDispatcher.Pending> expected = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        expected.add(dispatcher.expect());
        receive.add().wrId(expected.getLast().wrId());
        receive.add().wrId(1_000_000 + i);
      }
      qp.postRecvOrThrow(receive);
      qp.modify(new QpAttr().qpState(QpState.ERR));
      assertEquals(40, dispatcher.dispatch());
      assertEquals(0, dispatcher.dispatch());
      assertTrue(expected.stream().allMatch(each -> each.future().isCompletedExceptionally()));
      assertEquals("0 requests whose completions come to " + cq, dispatcher.toString());
    }
  }

  @Test
  void aQueueThatTellsNoMoreFailsWhatIsPending() {
    try (FabricDevices devices = new FabricDevices(FabricOptions.of(1));
        Context context = devices.device("futures", HERE).open()) {
      CompletionQueue cq = context.createCq(16);
      CompletionDispatcher dispatcher = new CompletionDispatcher(cq);
      var pending = dispatcher.expect();
      cq.close();
      assertEquals(Errno.EINVAL, assertThrows(VerbsException.class, dispatcher::dispatch).errno());
      CompletionException e =
          assertThrows(
              CompletionException.class, () -> pending.future().orTimeout(9, SECONDS).join());
      assertEquals(Errno.EINVAL, assertInstanceOf(VerbsException.class, e.getCause()).errno());
    }
  }
}
