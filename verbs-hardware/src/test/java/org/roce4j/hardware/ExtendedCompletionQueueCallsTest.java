package org.roce4j.hardware;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.roce4j.hardware.LibraryRefusals.refused;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvCqEx;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvCqInitAttrEx;
import org.roce4j.hardware.bindings.ExtendedLayouts.IbvModifyCqAttr;
import org.roce4j.hardware.bindings.LibraryInJava;
import org.roce4j.hardware.bindings.Structures.IbvDeviceAttr;
import org.roce4j.verbs.CqCreateFlags;
import org.roce4j.verbs.CqInitAttr;
import org.roce4j.verbs.CqModeration;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.ExtendedCompletionQueue;
import org.roce4j.verbs.WcExFlags;
import org.roce4j.verbs.WcOpcode;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;

/** The calls of the driver that an extended completion queue makes. */
@EnabledOnOs(OS.LINUX)
class ExtendedCompletionQueueCallsTest extends ExtendedFixture {
  private static final int ALL_FIELDS = (1 << 12) - 1;

  @Test
  @Tag("ibv_create_cq_ex")
  @Tag("ibv_modify_cq")
  @Tag("ibv_cq_ex_to_cq")
  void aCompletionQueueIsMadeWithItsFieldsAndIsAPlainOneToo() {
    ExtendedCompletionQueue cq =
        context.createCqEx(
            new CqInitAttr()
                .cqe(7)
                .wcFlags(WcExFlags.STANDARD)
                .flags(CqCreateFlags.IGNORE_OVERRUN));
    assertEquals(7, asked.get(JAVA_INT, IbvCqInitAttrEx.CQE));
    assertEquals(WcExFlags.STANDARD, asked.get(JAVA_LONG, IbvCqInitAttrEx.WC_FLAGS));
    assertEquals(1, asked.get(JAVA_INT, IbvCqInitAttrEx.COMP_MASK));
    assertEquals(CqCreateFlags.IGNORE_OVERRUN, asked.get(JAVA_INT, IbvCqInitAttrEx.FLAGS));
    assertEquals(0, cq.poll(new WorkCompletions(arena, 1)));
    c.does(
        "modify_cq",
        a -> {
          MemorySegment attr = LibraryInJava.at(a[1], IbvModifyCqAttr.SIZE);
          assertEquals(5 | 9 << 16, attr.get(JAVA_INT, IbvModifyCqAttr.CQ_COUNT));
          return Errno.EOPNOTSUPP.number();
        });
    refused(Errno.EOPNOTSUPP, () -> cq.modify(new CqModeration(5, 9)));
    cq.close();
    assertEquals(Errno.EINVAL.number(), cq.startPoll());
  }

  @Test
  @Tag("ibv_start_poll")
  @Tag("ibv_next_poll")
  @Tag("ibv_end_poll")
  void aCompletionIsReadBetweenStartAndEnd() {
    ExtendedCompletionQueue cq = context.createCqEx(new CqInitAttr().cqe(7));
    refused(Errno.EINVAL, cq::wrId);
    refused(Errno.EINVAL, cq::endPoll);
    c.does("start_poll", a -> Errno.ENOENT.number());
    assertEquals(Errno.ENOENT.number(), cq.startPoll());
    refused(Errno.EINVAL, cq::readOpcode);
    c.does("start_poll", a -> LibraryInJava.at(a[1], 4).get(JAVA_INT, 0)); // its empty mask
    assertEquals(0, cq.startPoll());
    assertEquals(Errno.EINVAL.number(), cq.startPoll());
    cqEx.set(JAVA_LONG, IbvCqEx.WR_ID, 99);
    cqEx.set(JAVA_INT, IbvCqEx.STATUS, WcStatus.RNR_RETRY_EXC_ERR.value());
    assertEquals(99, cq.wrId());
    assertEquals(WcStatus.RNR_RETRY_EXC_ERR, cq.status());
    c.does("next_poll", a -> Errno.ENOENT.number());
    assertEquals(Errno.ENOENT.number(), cq.nextPoll());
    refused(Errno.EINVAL, cq::wrId);
    cq.endPoll();
    assertEquals(List.of("end_poll"), calls);
  }

  private void readersAnswer() {
    c.does("read_opcode", a -> WcOpcode.RECV.value());
    c.does("read_imm_data", a -> 0x01020304);
    c.does("read_sl", a -> 0x1f5);
    c.does("read_cvlan", a -> 0x1fff5);
    c.does("read_completion_ts", a -> -2L);
    c.does("read_completion_wallclock_ns", a -> 1L << 60);
    c.does("read_byte_len", a -> 11);
    c.does("read_vendor_err", a -> 12);
    c.does("read_qp_num", a -> 13);
    c.does("read_src_qp", a -> 14);
    c.does("read_wc_flags", a -> 15);
    c.does("read_slid", a -> 16);
    c.does("read_dlid_path_bits", a -> 17);
    c.does("read_flow_tag", a -> 18);
    c.does(
        "read_tm_info",
        a -> {
          LibraryInJava.at(a[1], 8).set(JAVA_LONG, 0, 19L);
          return 0;
        });
  }

  @Test
  @Tag("ibv_wc_read_opcode")
  @Tag("ibv_wc_read_vendor_err")
  @Tag("ibv_wc_read_byte_len")
  @Tag("ibv_wc_read_imm_data")
  @Tag("ibv_wc_read_invalidated_rkey")
  @Tag("ibv_wc_read_qp_num")
  @Tag("ibv_wc_read_src_qp")
  @Tag("ibv_wc_read_wc_flags")
  @Tag("ibv_wc_read_pkey_index")
  @Tag("ibv_wc_read_slid")
  @Tag("ibv_wc_read_sl")
  @Tag("ibv_wc_read_dlid_path_bits")
  @Tag("ibv_wc_read_completion_ts")
  @Tag("ibv_wc_read_completion_wallclock_ns")
  @Tag("ibv_wc_read_cvlan")
  @Tag("ibv_wc_read_flow_tag")
  @Tag("ibv_wc_read_tm_info")
  void everyFieldIsReadByItsFunction() {
    ExtendedCompletionQueue cq = context.createCqEx(new CqInitAttr().cqe(7).wcFlags(ALL_FIELDS));
    assertEquals(0, cq.startPoll());
    readersAnswer();
    assertEquals(WcOpcode.RECV, cq.readOpcode());
    assertEquals(0x04030201, cq.readImmediate());
    assertEquals(0x01020304, cq.readInvalidatedRkey());
    assertEquals(0xf5, cq.readServiceLevel());
    assertEquals(0xfff5, cq.readCvlan());
    assertEquals(-2, cq.readCompletionTimestamp());
    assertEquals(1L << 60, cq.readCompletionWallclockNs());
    assertEquals(
        List.of(11, 12, 13, 14, 15, 16, 17, 18),
        List.of(
            cq.readByteLength(),
            cq.readVendorErr(),
            cq.readQpNum(),
            cq.readSourceQp(),
            cq.readWcFlags(),
            cq.readSlid(),
            cq.readDlidPathBits(),
            cq.readFlowTag()));
    assertEquals(19, cq.readTagMatchingInfo());
    refused(Errno.EOPNOTSUPP, cq::readPkeyIndex);
    cq.endPoll();
  }

  /** The driver of rdma-core 44 skips the last completion the second time. */
  @Test
  @Tag("ibv_next_poll")
  void onSoftRoceEachCompletionIsStartedAnew() {
    c.does(
        "ibv_query_device",
        a -> {
          LibraryInJava.at(a[1], 232).set(JAVA_INT, IbvDeviceAttr.VENDOR_ID, 0xffffff);
          return 0;
        });
    ExtendedCompletionQueue cq = context.createCqEx(new CqInitAttr().cqe(7));
    assertEquals(0, cq.startPoll());
    assertEquals(0, cq.nextPoll());
    c.does("start_poll", a -> Errno.ENOENT.number());
    assertEquals(Errno.ENOENT.number(), cq.nextPoll());
    assertEquals(Errno.ENOENT.number(), cq.nextPoll());
    cq.endPoll();
    assertEquals(List.of("start_poll", "end_poll", "start_poll", "end_poll"), calls);
  }

  @Test
  void aFieldThatWasNotAskedForHasNoFunction() {
    ExtendedCompletionQueue cq = context.createCqEx(new CqInitAttr().cqe(7).wcFlags(0));
    assertEquals(0, cq.startPoll());
    refused(Errno.EINVAL, cq::readByteLength);
    refused(Errno.EINVAL, cq::readCompletionTimestamp);
    refused(Errno.EINVAL, cq::readCvlan);
    cq.endPoll();
  }
}
