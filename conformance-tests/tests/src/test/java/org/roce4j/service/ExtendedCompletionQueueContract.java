package org.roce4j.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.roce4j.conformance.bench.Expect.refused;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.CqCreateFlags;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.CqModeration;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.MemoryWindow;
import org.roce4j.verbs.MwType;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcExFlags;
import org.roce4j.verbs.WcFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/**
 * {@code ibv_create_cq_ex} and {@code ibv_modify_cq}: a queue pair that is connected to itself
 * sends, and its completions are read field by field.
 */
@Timeout(60)
abstract class ExtendedCompletionQueueContract {
  private static final int ENOENT = Errno.ENOENT.number();
  private static final int EINVAL = Errno.EINVAL.number();
  private static final int TIMES =
      WcExFlags.WITH_COMPLETION_TIMESTAMP | WcExFlags.WITH_COMPLETION_TIMESTAMP_WALLCLOCK;

  /** A queue pair that is its own peer. */
  static final class Loop {
    final ExtendedCompletionQueue cq;
    final QueuePair qp;
    final MemoryRegion region;
    final SendRequestList request = new SendRequestList(Arena.ofAuto(), 1, 1, 0);

    Loop(Context context, CqInitAttr attr) {
      cq = context.createCqEx(attr);
      ProtectionDomain pd = context.allocPd();
      MemorySegment memory = Arena.ofAuto().allocate(4096, 4096);
      region =
          pd.registerMemory(
              memory, AccessFlags.LOCAL_WRITE | AccessFlags.REMOTE_WRITE | AccessFlags.MW_BIND);
      qp = pd.createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(64, 64, 1, 1, 0)));
      QpBringUp.toRts(qp, QpBringUp.attributes(AhAttr.roce(context.queryGid(1, 0), 0), qp.qpNum()));
    }

    void write(long wrId) {
      request
          .clear()
          .add()
          .wrId(wrId)
          .opcode(WrOpcode.RDMA_WRITE)
          .flags(SendFlags.SIGNALED)
          .remote(region.address(), region.rkey())
          .sge(region, 0, 8);
      qp.postSendOrThrow(request);
    }

    void sendWithImmediate(int immediate, int bytes) {
      RecvRequestList receive = new RecvRequestList(Arena.ofAuto(), 1, 1);
      qp.postRecvOrThrow(receive.add().wrId(100).sge(region, 0, 4096));
      request.clear().add().opcode(WrOpcode.SEND_WITH_IMM).immediate(immediate);
      qp.postSendOrThrow(request.sge(region, 0, bytes));
    }

    /** Polls until there is a completion. */
    void start() {
      int errno = cq.startPoll();
      while (errno == ENOENT) {
        errno = cq.startPoll();
      }
      assertEquals(0, errno);
    }

    /** The wr_ids of {@code count} completions, all read after one start. */
    List<Long> drain(int count) {
      List<Long> ids = new ArrayList<>();
      while (ids.size() < count) {
        start();
        do {
          assertEquals(WcStatus.SUCCESS, cq.status());
          ids.add(cq.wrId());
        } while (cq.nextPoll() == 0);
        cq.endPoll();
      }
      return ids;
    }
  }

  static CqInitAttr plain() {
    return new CqInitAttr().cqe(16);
  }

  @Test
  @Tag("ibv_create_cq_ex")
  @Tag("ibv_start_poll")
  @Tag("ibv_next_poll")
  @Tag("ibv_end_poll")
  void completionsAreReadInOrderAndOnce(Context context) {
    Loop loop = new Loop(context, plain());
    assertEquals(ENOENT, loop.cq.startPoll());
    for (int i = 0; i < 5; i++) {
      loop.write(i);
    }
    assertEquals(List.of(0L, 1L, 2L, 3L, 4L), loop.drain(5));
    assertEquals(ENOENT, loop.cq.startPoll());
  }

  @Test
  @Tag("ibv_wc_read_opcode")
  @Tag("ibv_wc_read_vendor_err")
  @Tag("ibv_wc_read_byte_len")
  @Tag("ibv_wc_read_imm_data")
  @Tag("ibv_wc_read_qp_num")
  @Tag("ibv_wc_read_src_qp")
  @Tag("ibv_wc_read_wc_flags")
  @Tag("ibv_wc_read_pkey_index")
  @Tag("ibv_wc_read_slid")
  @Tag("ibv_wc_read_sl")
  @Tag("ibv_wc_read_dlid_path_bits")
  void everyFieldOfACompletionIsRead(Context context) {
    Loop loop = new Loop(context, plain());
    loop.sendWithImmediate(0x1234_5678, 77);
    loop.start();
    assertEquals(100, loop.cq.wrId());
    assertEquals(WcOpcode.RECV, loop.cq.readOpcode());
    assertEquals(WcFlags.WITH_IMM, loop.cq.readWcFlags());
    assertEquals(0x1234_5678, loop.cq.readImmediate());
    assertEquals(77, loop.cq.readByteLength());
    assertEquals(loop.qp.qpNum(), loop.cq.readQpNum());
    assertEquals(0, loop.cq.readVendorErr());
    assertEquals(0, loop.cq.readSourceQp());
    assertEquals(0, loop.cq.readPkeyIndex());
    assertEquals(0, loop.cq.readSlid());
    assertEquals(0, loop.cq.readServiceLevel());
    assertEquals(0, loop.cq.readDlidPathBits());
    loop.cq.endPoll();
  }

  @Test
  @Tag("ibv_wc_read_invalidated_rkey")
  void theKeyThatThePeerInvalidatedIsRead(Context context) {
    Loop loop = new Loop(context, plain());
    MemoryWindow window = loop.qp.pd().allocMemoryWindow(MwType.TYPE_2);
    int key = MemoryWindow.incrementRkey(window.rkey());
    loop.request.clear().add().opcode(WrOpcode.BIND_MW);
    loop.qp.postSendOrThrow(
        loop.request.bindMw(
            window, key, loop.region, loop.region.address(), 8, AccessFlags.REMOTE_WRITE));
    RecvRequestList receive = new RecvRequestList(Arena.ofAuto(), 1, 1);
    loop.qp.postRecvOrThrow(receive.add().wrId(100).sge(loop.region, 0, 64));
    loop.request.clear().add().opcode(WrOpcode.SEND_WITH_INV).invalidateRkey(key);
    loop.qp.postSendOrThrow(loop.request);
    loop.start();
    assertEquals(WcOpcode.RECV, loop.cq.readOpcode());
    assertEquals(WcFlags.WITH_INV, loop.cq.readWcFlags());
    assertEquals(key, loop.cq.readInvalidatedRkey());
    loop.cq.endPoll();
  }

  @Test
  void theStatusOfAFailedRequestIsRead(Context context) {
    Loop loop = new Loop(context, plain());
    loop.request.clear().add().wrId(9).opcode(WrOpcode.RDMA_WRITE).flags(SendFlags.SIGNALED);
    loop.request.remote(loop.region.address(), loop.region.rkey());
    loop.qp.postSendOrThrow(loop.request.sge(loop.region.address(), 8, loop.region.lkey() + 1));
    loop.start();
    assertEquals(9, loop.cq.wrId());
    assertEquals(WcStatus.LOC_PROT_ERR, loop.cq.status());
    loop.cq.endPoll();
  }

  @Test
  @Tag("ibv_wc_read_cvlan")
  @Tag("ibv_wc_read_flow_tag")
  @Tag("ibv_wc_read_tm_info")
  void aFieldThatWasNotAskedForIsRefused(Context context) {
    Loop loop = new Loop(context, plain().wcFlags(WcExFlags.WITH_BYTE_LEN));
    loop.write(1);
    loop.start();
    assertEquals(8, loop.cq.readByteLength());
    List<LongSupplier> others =
        List.of(
            loop.cq::readImmediate,
            loop.cq::readInvalidatedRkey,
            loop.cq::readQpNum,
            loop.cq::readSourceQp,
            loop.cq::readSlid,
            loop.cq::readServiceLevel,
            loop.cq::readDlidPathBits,
            loop.cq::readCompletionTimestamp,
            loop.cq::readCompletionWallclockNs,
            loop.cq::readCvlan,
            loop.cq::readFlowTag,
            loop.cq::readTagMatchingInfo);
    for (LongSupplier reader : others) {
      refused(
          Errno.EINVAL,
          () -> {
            long _ = reader.getAsLong();
          });
    }
    loop.cq.endPoll();
  }

  @Test
  void nothingIsReadOutsideOfAPoll(Context context) {
    Loop loop = new Loop(context, plain());
    refused(Errno.EINVAL, loop.cq::wrId);
    refused(Errno.EINVAL, loop.cq::readByteLength);
    refused(Errno.EINVAL, loop.cq::endPoll);
    assertEquals(EINVAL, loop.cq.nextPoll());
    loop.write(1);
    loop.start();
    assertEquals(EINVAL, loop.cq.startPoll(), "this thread polls already");
    assertEquals(ENOENT, loop.cq.nextPoll());
    refused(Errno.EINVAL, loop.cq::wrId);
    loop.cq.endPoll();
    loop.qp.close();
    loop.cq.close();
    assertEquals(EINVAL, loop.cq.startPoll());
  }

  @Test
  void whatIsReadStaysAlthoughTheQueuePairGoes(Context context) {
    Loop loop = new Loop(context, plain());
    loop.write(7);
    loop.write(8);
    loop.start();
    loop.qp.close();
    loop.cq.resize(64);
    assertEquals(7, loop.cq.wrId());
    assertEquals(ENOENT, loop.cq.nextPoll(), "completions of a destroyed queue pair are gone");
    loop.cq.endPoll();
  }

  @Test
  @Tag("ibv_cq_ex_to_cq")
  void bothWaysOfPollingTakeFromOneQueue(Context context) {
    Loop loop = new Loop(context, plain());
    loop.write(1);
    loop.write(2);
    loop.start();
    assertEquals(1, loop.cq.wrId());
    try (WorkCompletions completions = new WorkCompletions(4)) {
      int count = 0;
      while (count == 0) {
        count = loop.cq.poll(completions);
      }
      assertEquals(1, count);
      assertEquals(2, completions.wrId(0));
    }
    assertEquals(ENOENT, loop.cq.nextPoll());
    loop.cq.endPoll();
  }

  @Test
  @Tag("ibv_wc_read_completion_ts")
  @Tag("ibv_wc_read_completion_wallclock_ns")
  void timesOfCompletionsNeverRunBackwards(Context context) {
    Loop loop = new Loop(context, plain().wcFlags(TIMES));
    long last = Long.MIN_VALUE;
    long lastWall = Long.MIN_VALUE;
    for (int i = 0; i < 20; i++) {
      loop.write(i);
      loop.start();
      long ticks = loop.cq.readCompletionTimestamp();
      long wall = loop.cq.readCompletionWallclockNs();
      assertTrue(ticks > last, () -> "an acknowledged write takes time: " + ticks);
      assertTrue(wall > lastWall);
      if (i > 0) {
        assertEquals(ticks - last, wall - lastWall, "both clocks run alike");
      }
      last = ticks;
      lastWall = wall;
      loop.cq.endPoll();
    }
  }

  @Test
  void whatADeviceCannotTellIsRefused(Context context) {
    for (int flag :
        new int[] {
          WcExFlags.WITH_CVLAN, WcExFlags.WITH_FLOW_TAG, WcExFlags.WITH_TM_INFO, 1 << 20
        }) {
      refused(Errno.EOPNOTSUPP, () -> context.createCqEx(plain().wcFlags(flag)));
    }
    refused(Errno.EINVAL, () -> context.createCqEx(plain().flags(1 << 7)));
    refused(Errno.EINVAL, () -> context.createCqEx(plain().cqe(0)));
    refused(Errno.EINVAL, () -> context.createCqEx(plain().compVector(-1)));
    refused(Errno.EINVAL, () -> context.createCqEx(null));
  }

  @Test
  void anOverrunThatIsIgnoredFailsNobody(Context context) {
    Loop loop = new Loop(context, plain().cqe(4).flags(CqCreateFlags.IGNORE_OVERRUN));
    for (int i = 0; i < 10; i++) {
      loop.write(i);
    }
    Loop watch = new Loop(context, plain());
    watch.write(0);
    watch.drain(1);
    assertEquals(List.of(0L, 1L, 2L, 3L), loop.drain(4));
    assertNull(context.pollAsyncEvent());
    assertEquals(QpState.RTS, loop.qp.state());
    loop.write(10);
    assertEquals(List.of(10L), loop.drain(1));
  }

  @Test
  @Tag("ibv_modify_cq")
  void completionsShareAnEvent(Context context) {
    CompletionChannel channel = context.createCompletionChannel();
    Loop loop = new Loop(context, plain().channel(channel));
    loop.cq.modify(new CqModeration(3, 60_000));
    loop.cq.requestNotification(false);
    long startNs = System.nanoTime();
    loop.write(1);
    loop.write(2);
    Loop watch = new Loop(context, plain());
    watch.write(0);
    watch.drain(1);
    boolean early = channel.getCqEvent(0) != null;
    long passedNs = System.nanoTime() - startNs;
    assertTrue(!early || passedNs >= 60_000_000, "the event comes with the third");
    loop.write(3);
    assertTrue(early || channel.getCqEvent(5_000_000_000L) == loop.cq);
    loop.cq.ackEvents(1);
    assertEquals(List.of(1L, 2L, 3L), loop.drain(3));
  }

  @Test
  void anEventIsHeldBackNoLongerThanThePeriod(Context context) {
    CompletionChannel channel = context.createCompletionChannel();
    Loop loop = new Loop(context, plain().channel(channel));
    loop.cq.modify(new CqModeration(100, 2_000));
    loop.cq.requestNotification(false);
    loop.write(1);
    assertNotNull(channel.getCqEvent(5_000_000_000L));
    loop.cq.ackEvents(1);
    loop.drain(1);

    loop.cq.requestNotification(false);
    loop.write(2);
    loop.drain(1);
    loop.cq.modify(CqModeration.OFF);
    assertNotNull(channel.getCqEvent(5_000_000_000L), "what was held back comes at once");
    loop.cq.ackEvents(1);
    refused(Errno.EINVAL, () -> loop.cq.modify(null));
    refused(Errno.EINVAL, () -> new CqModeration(1 << 16, 0));
    refused(Errno.EINVAL, () -> new CqModeration(0, -1));
  }
}
