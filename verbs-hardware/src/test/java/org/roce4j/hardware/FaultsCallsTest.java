package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.hardware.Refusals.refused;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.faulty.FaultyDevice;
import org.roce4j.faulty.VerbsFaults;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvCqEx;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.NodeType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.SendOpsFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.TransportType;
import org.roce4j.verbs.VerbsProvider;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.Wrapper;

/** Faults at the verbs of an adapter: what the driver is still asked. */
@EnabledOnOs(OS.LINUX)
class FaultsCallsTest extends ExtendedFixture {
  private Context faulty;
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
    public NodeType nodeType() {
      return NodeType.CA;
    }

    @Override
    public TransportType transportType() {
      return TransportType.IB;
    }

    @Override
    public VerbsProvider provider() {
      return null;
    }
  }

  private void open(String plan) {
    faulty = FaultyDevice.around(new Opened(context), VerbsFaults.parse(plan)).open();
    cq = faulty.createCqEx(new CqInitAttr().cqe(7));
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

  @Test
  void aRegistrationIsRefused() {
    open("refuse=ENOMEM call=registerMemory");
    List<List<Long>> registered = asked("ibv_reg_mr_iova2", 1);
    ProtectionDomain pd = faulty.allocPd();
    refused(Errno.ENOMEM, () -> pd.registerMemory(arena.allocate(64), AccessFlags.LOCAL_WRITE));
    assertEquals(List.of(), registered);
  }
}
