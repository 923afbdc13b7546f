package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.hardware.LibraryRefusals.refused;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.faulty.FaultyDevice;
import org.roce4j.faulty.VerbsFaults;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvCqEx;
import org.roce4j.hardware.bindings.LibraryInJava;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsProvider;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.Wrapper;

/** Faults at the verbs of an adapter: the calls that still reach the driver. */
@EnabledOnOs(OS.LINUX)
class FaultsCallsTest extends ExtendedFixture {
  private static final long LATE_NS = 5_000_000;

  /** The plan's clock. */
  private final AtomicLong nowNs = new AtomicLong();

  private Context faulty;
  private CompletionChannel channel;
  private ExtendedCompletionQueue cq;
  private QueuePair qp;

  /** The device whose context the library has opened. */
  private record Opened(Context open) implements RdmaDevice {
    @Override
    public String name() {
      return "none";
    }

    @Override
    public long guid() {
      return 0;
    }

    @Override
    public VerbsProvider provider() {
      return null;
    }
  }

  private void open(String plan) {
    faulty = FaultyDevice.around(new Opened(context), VerbsFaults.parse(plan), nowNs::get).open();
    channel = faulty.createCompletionChannel();
    cq = faulty.createCqEx(new CqInitAttr().cqe(7).channel(channel));
    qp =
        faulty
            .allocPd()
            .createQp(
                new QpInitAttr()
                    .qpType(QpType.RC)
                    .cq(cq)
                    .sendOps(SendOpsFlags.WITH_SEND)
                    .cap(new QpCapabilities(4, 4, 1, 1, 0)));
    calls.clear();
  }

  @Test
  void aRefusedBatchIsAborted() {
    open("refuse=ENOMEM call=postSend nth=1");
    WorkRequestBuilder wr = qp.builder();
    wr.start();
    wr.wrId(5).send();
    assertEquals(Errno.ENOMEM.number(), wr.complete());
    assertTrue(wr.whyRefused().startsWith("a plan of faults refuses"), wr.whyRefused());
    assertEquals(List.of("wr_start", "wr_send", "wr_abort"), calls);
    wr.start();
    assertEquals(0, wr.complete());
    assertEquals("", wr.whyRefused());
    assertSame(qp, wr.queuePair());
  }

  @Test
  void aRequestOfAListIsRefused() {
    open("refuse=ENOMEM call=postSend index=1");
    try (SendRequestList list = new SendRequestList(2, 1, 0)) {
      list.add().wrId(1).add().wrId(2);
      assertEquals(Errno.ENOMEM.number(), qp.postSend(list));
      assertEquals(1, list.badIndex());
    }
  }

  @Test
  void aCompletionThatIsReadFails() {
    open("fail=RETRY_EXC_ERR nth=1");
    List<List<Long>> modified = asked("ibv_modify_qp", 1);
    c.does("read_qp_num", a -> qp.qpNum());
    cqEx.set(JAVA_LONG, IbvCqEx.WR_ID, 99);
    cqEx.set(JAVA_INT, IbvCqEx.STATUS, WcStatus.SUCCESS.value());
    assertEquals(0, cq.startPoll());
    assertEquals(99, cq.wrId());
    assertEquals(WcStatus.RETRY_EXC_ERR, cq.status());
    cq.endPoll();
    assertEquals("end_poll", calls.getLast());
    assertEquals(List.of(List.of(address(Wrapper.innermost(qp)))), modified);
  }

  @Test
  void aQueueOverflows() {
    open("cq-overflow nth=1");
    c.does("next_poll", a -> Errno.ENOENT.number());
    List<List<Long>> modified = asked("ibv_modify_qp", 1);
    assertEquals(Errno.EIO.number(), cq.startPoll());
    assertEquals(EventType.CQ_ERR, faulty.pollAsyncEvent().type());
    assertEquals(1, modified.size());
  }

  /** The driver has one completion, and no event. */
  private void oneCompletion() {
    AtomicInteger left = new AtomicInteger(1);
    c.does("start_poll", a -> left.getAndDecrement() > 0 ? 0 : Errno.ENOENT.number());
    c.does("next_poll", a -> Errno.ENOENT.number());
    c.does("read_qp_num", a -> qp.qpNum());
    c.does("ibv_get_cq_event", a -> Errno.EAGAIN.number());
    cqEx.set(JAVA_LONG, IbvCqEx.WR_ID, 99);
    cqEx.set(JAVA_INT, IbvCqEx.STATUS, WcStatus.SUCCESS.value());
  }

  private void comesLate() {
    assertEquals(0, cq.startPoll());
    assertEquals(99, cq.wrId());
    assertEquals(WcStatus.SUCCESS, cq.status());
    cq.endPoll();
    assertEquals(Errno.ENOENT.number(), cq.startPoll());
  }

  @Test
  void aCompletionIsLate() {
    open("late=5ms nth=1");
    oneCompletion();
    assertEquals(Errno.ENOENT.number(), cq.startPoll());
    nowNs.set(LATE_NS - 1);
    assertEquals(Errno.ENOENT.number(), cq.startPoll());
    nowNs.set(LATE_NS);
    comesLate();
  }

  /** The driver has no event, so a thread of the decorator calls the hook. */
  @Test
  @Timeout(60)
  void theHookIsCalledWhenALateCompletionComes() throws InterruptedException {
    open("late=5ms nth=1");
    oneCompletion();
    Semaphore called = new Semaphore(0);
    channel.onEvent(called::release);
    cq.requestNotification(false);
    assertEquals(Errno.ENOENT.number(), cq.startPoll());
    nowNs.set(LATE_NS);
    called.acquire();
    assertSame(cq, channel.getCqEvent(0));
    comesLate();
    assertNull(channel.getCqEvent(0));
    channel.onEvent(null);
  }

  @Test
  void afterAFatalEventTheDriverIsAskedNothing() {
    open("device-fatal call=registerMemory");
    ProtectionDomain pd = faulty.allocPd();
    c.calls.clear();
    refused(Errno.EIO, () -> pd.registerMemory(arena.allocate(64), AccessFlags.LOCAL_WRITE));
    refused(Errno.EIO, () -> faulty.queryPort(1));
    assertEquals(List.of(), c.calls);
    assertEquals(EventType.DEVICE_FATAL, faulty.pollAsyncEvent().type());
  }

  @Test
  void anEventWithoutCauseComesAndOneOfTheDriverIsLost() {
    open("event=PORT_ERR call=allocPd nth=1; lose-event=COMM_EST");
    faulty.allocPd();
    List<EventType> told = new ArrayList<>(List.of(EventType.COMM_EST, EventType.LID_CHANGE));
    c.does(
        "ibv_get_async_event",
        a -> {
          if (told.isEmpty()) {
            return Errno.EAGAIN.number();
          }
          long of = told.getFirst() == EventType.COMM_EST ? address(Wrapper.innermost(qp)) : 1;
          LibraryInJava.event(a[1], of, told.removeFirst().value());
          return 0;
        });
    assertEquals(EventType.PORT_ERR, faulty.pollAsyncEvent().type());
    assertEquals(EventType.LID_CHANGE, faulty.pollAsyncEvent().type());
    assertNull(faulty.pollAsyncEvent());
    assertTrue(
        c.calls.contains("ibv_ack_async_event"), "or C waits when it destroys the queue pair");
  }

  @Test
  void aRegistrationIsRefused() {
    open("refuse=ENOMEM call=registerMemory");
    List<List<Long>> registered = asked("ibv_reg_mr_iova2", 1);
    ProtectionDomain pd = faulty.allocPd();
    refused(Errno.ENOMEM, () -> pd.registerMemory(arena.allocate(64), AccessFlags.LOCAL_WRITE));
    assertEquals(List.of(), registered);
  }
}
