package org.roce4j.examples.flows;

import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.util.List;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AsyncEvent;
import org.roce4j.verbs.CompletionChannel;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttrMask;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.SharedReceiveQueue;
import org.roce4j.verbs.SrqAttr;
import org.roce4j.verbs.SrqAttrMask;
import org.roce4j.verbs.SrqInitAttr;

/** Flows that make objects, change and destroy them. */
final class ObjectFlows {
  private ObjectFlows() {}

  /** Flow 7. */
  static void channelCqPd(List<RdmaDevice> devices, PrintStream out) {
    try (Context context = devices.getFirst().open()) {
      CompletionChannel channel = context.createCompletionChannel(); // ibv_create_comp_channel
      channel.close(); // ibv_destroy_comp_channel
      CompletionQueue cq = context.createCq(100); // ibv_create_cq
      out.println("at least 100 entries: " + (cq.cqe() >= 100));
      cq.resize(2000); // ibv_resize_cq
      out.println("at least 2000 entries: " + (cq.cqe() >= 2000));
      cq.close(); // ibv_destroy_cq
      ProtectionDomain pd = context.allocPd(); // ibv_alloc_pd
      pd.close(); // ibv_dealloc_pd
    }
  }

  /** Flow 8. */
  static void querySrq(List<RdmaDevice> devices, PrintStream out) {
    try (Context context = devices.getFirst().open()) {
      SharedReceiveQueue srq = context.allocPd().createSrq(new SrqInitAttr(4, 1));
      SrqAttr attr = srq.query(); // ibv_query_srq
      out.println("at least 4 requests: " + (attr.maxWr() >= 4) + ", limit " + attr.limit());
    }
  }

  /** Flow 9: nothing is posted, so the limit is reached at once. */
  static void modifySrq(List<RdmaDevice> devices, PrintStream out) {
    try (Context context = devices.getFirst().open()) {
      ProtectionDomain pd = context.allocPd();
      SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(1, 2)); // ibv_create_srq
      srq.modify( // ibv_modify_srq
          new SrqAttr(10, 1, 10), SrqAttrMask.MAX_WR | SrqAttrMask.LIMIT);
      out.println("at least 10 requests: " + (srq.query().maxWr() >= 10));
      AsyncEvent event = context.getAsyncEvent(); // ibv_get_async_event
      out.println("event: " + event.type());
      event.ack(); // ibv_ack_async_event
      srq.close(); // ibv_destroy_srq
    }
  }

  /** Flow 10. */
  static void queuePairs(List<RdmaDevice> devices, PrintStream out) {
    try (Context context = devices.getFirst().open()) {
      ProtectionDomain pd = context.allocPd();
      CompletionQueue cq = context.createCq(16);
      CompletionQueue receives = context.createCq(16);
      SharedReceiveQueue srq = pd.createSrq(new SrqInitAttr(16, 1));
      QpCapabilities both = new QpCapabilities(2, 2, 1, 1);

      QueuePair qp = pd.createQp(rc(both).sendCq(cq).recvCq(cq)); // ibv_create_qp
      out.println("one CQ: " + qp.query(QpAttrMask.STATE).qpState()); // ibv_query_qp
      qp.close(); // ibv_destroy_qp

      pd.createQp(rc(both).sendCq(cq).recvCq(receives));
      out.println("two CQs");

      QpCapabilities sends = new QpCapabilities(2, 0, 1, 0);
      pd.createQp(rc(sends).sendCq(cq).recvCq(receives).srq(srq));
      out.println("an SRQ");

      QpCapabilities inline = new QpCapabilities(2, 2, 1, 1, 512);
      QueuePair last = pd.createQp(rc(inline).sendCq(cq).recvCq(cq));
      out.println("512 bytes inline: " + (last.cap().maxInlineData() >= 512));
    }
  }

  private static QpInitAttr rc(QpCapabilities capabilities) {
    return new QpInitAttr().qpType(QpType.RC).cap(capabilities);
  }

  /** Flow 11. */
  static void memory(List<RdmaDevice> devices, PrintStream out) {
    try (Context context = devices.getFirst().open();
        Arena arena = Arena.ofShared()) {
      ProtectionDomain pd = context.allocPd();
      MemoryRegion region = // ibv_reg_mr
          pd.registerMemory(arena.allocate(4096), AccessFlags.LOCAL_WRITE);
      out.println("registered " + region.length() + " bytes");
      region.close(); // ibv_dereg_mr
      out.println("gone");
    }
  }
}
