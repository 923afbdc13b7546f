package org.roce4j.examples.flows;

import java.io.PrintStream;
import java.util.List;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WorkRequestBuilder;
import org.roce4j.verbs.WrOpcode;

/** Flows that move data. */
final class TrafficFlows {
  /** Where in the region messages are received. */
  static final int LANDING = 2048;

  private static final int BYTES = 64;

  private TrafficFlows() {}

  /** Flow 17. */
  static void builder(List<RdmaDevice> devices, PrintStream out) {
    try (OwnPeer own = new OwnPeer(devices.getFirst())) { // ibv_create_qp_ex, send_ops_flags
      own.postReceive(3, 0, 0);
      own.region.memory().setString(0, "written");
      long remote = own.region.iova() + LANDING;
      int rkey = own.region.rkey();
      WorkRequestBuilder wr = own.qp.builder(); // ibv_qp_to_qp_ex
      wr.start(); // ibv_wr_start
      wr.wrId(1); // wr_id = my_wr_id_1
      wr.rdmaWrite(rkey, remote); // ibv_wr_rdma_write
      wr.setSge(own.region.lkey(), own.region.iova(), BYTES); // ibv_wr_set_sge
      wr.wrId(2); // wr_id = my_wr_id_2
      wr.flags(SendFlags.SIGNALED); // send_flags
      wr.rdmaWriteImmediate(rkey, remote + BYTES, 0x1234); // ibv_wr_rdma_write_imm
      wr.setSge(own.region.lkey(), own.region.iova(), BYTES); // ibv_wr_set_sge
      int error = wr.complete(); // ibv_wr_complete
      out.println("ibv_wr_complete: " + error);
      try (WorkCompletions wc = new WorkCompletions(1)) {
        for (int i = 0; i < 2; i++) {
          OwnPeer.await(own.cq, wc); // ibv_poll_cq
          if (wc.wrId(0) == 3) {
            out.printf("immediate 0x%x%n", wc.immediate(0));
          }
        }
      }
      out.println(own.region.memory().getString(LANDING));
    }
  }

  /** Flow 24. */
  static void sendReceive(List<RdmaDevice> devices, PrintStream out) {
    try (OwnPeer own = new OwnPeer(devices.getFirst())) {
      message(own, "a message");
      out.println(own.region.memory().getString(LANDING));
    }
  }

  /** Sends a message from the queue pair to itself, and waits for both completions. */
  static void message(OwnPeer own, String text) {
    post(own, text);
    try (WorkCompletions wc = new WorkCompletions(1)) {
      OwnPeer.await(own.cq, wc); // ibv_poll_cq
      OwnPeer.await(own.cq, wc);
    }
  }

  /** Posts a receive and the send that it takes. */
  static void post(OwnPeer own, String text) {
    own.postReceive(1, LANDING, BYTES); // ibv_post_recv
    own.region.memory().setString(0, text);
    try (SendRequestList list = new SendRequestList(1, 1, 0)) {
      list.add().wrId(2).opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
      own.qp.postSendOrThrow(list.sge(own.region, 0, BYTES)); // ibv_post_send
    }
  }
}
