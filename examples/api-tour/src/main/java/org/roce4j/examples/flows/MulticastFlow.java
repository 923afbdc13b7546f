package org.roce4j.examples.flows;

import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.verbs.cm.CmEvent;
import org.roce4j.verbs.cm.CmId;
import org.roce4j.verbs.cm.EventChannel;
import org.roce4j.verbs.cm.PortSpace;
import org.roce4j.verbs.cm.RdmaCm;
import org.roce4j.verbs.cm.RdmaVerbs;
import org.roce4j.verbs.cm.UdParam;

/** Flow 20: two members of a group that meet by the connection manager. */
final class MulticastFlow {
  private static final int TIMEOUT_MS = 2000;
  private static final int HEADER = 40;
  private static final int BYTES = 64;

  private MulticastFlow() {}

  static void run(List<RdmaDevice> devices, PrintStream out) throws Exception {
    // A group of this process, so that no other run receives it.
    String group = "239.5." + ProcessHandle.current().pid() % 256 + ".92";
    try (Context near = devices.get(0).open();
        Context far = devices.get(1).open();
        Member sender = new Member(near, InetAddress.getByName(group));
        Member hearer = new Member(far, InetAddress.getByName(group))) {
      MemorySegment landing = hearer.memory.asSlice(0, HEADER + BYTES);
      RdmaVerbs.postRecv(hearer.id, 1, landing, hearer.region); // rdma_post_recv
      sender.send("to all");
      hearer.received();
      out.println("a member heard: " + hearer.memory.getString(HEADER));
      sender.leave();
      hearer.leave();
    }
  }

  /** A member: an id with a queue pair, and where the group is. */
  private static final class Member implements AutoCloseable {
    private final Arena arena = Arena.ofShared();
    private final RdmaCm cm;
    private final EventChannel channel;
    private final CmId id;
    private final InetAddress group;
    private final MemorySegment memory;
    private final MemoryRegion region;
    private final WorkCompletions completion = new WorkCompletions(arena, 1);
    private final UdParam where;

    Member(Context device, InetAddress group) {
      this.group = group;
      cm = RdmaCm.open(device);
      channel = cm.createEventChannel(); // rdma_create_event_channel
      id = channel.createId(PortSpace.UDP); // rdma_create_id
      InetSocketAddress own = new InetSocketAddress(device.queryGid(1, 0).toInetAddress(), 0);
      // rdma_resolve_addr
      id.resolveAddr(own, new InetSocketAddress(group, 0), TIMEOUT_MS);
      take(CmEvent.AddrResolved.class);
      id.createQp( // rdma_create_qp
          null,
          new QpInitAttr().qpType(QpType.UD).cap(new QpCapabilities(1, 1, 1, 1)).sqSigAll(true));
      memory = arena.allocate(HEADER + BYTES);
      region = RdmaVerbs.regMsgs(id, memory); // rdma_reg_msgs
      id.joinMulticast(group, null); // rdma_join_multicast
      where = take(CmEvent.MulticastJoin.class);
    }

    /** rdma_get_cm_event and rdma_ack_cm_event. */
    private UdParam take(Class<? extends CmEvent> wanted) {
      try (CmEvent event = channel.getCmEvent()) {
        if (!wanted.isInstance(event)) {
          throw new IllegalStateException(event.toString());
        }
        return event.ud();
      }
    }

    void send(String text) {
      memory.setString(0, text);
      try (AddressHandle ah = id.pd().createAh(where.ahAttr()); // ibv_create_ah
          SendRequestList list = new SendRequestList(1, 1, 0)) {
        list.add().opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
        list.ud(ah, where.qpNum(), where.qkey()).sge(region, 0, BYTES);
        id.qp().postSendOrThrow(list); // ibv_post_send
        RdmaVerbs.getSendComp(id, completion);
      }
      demandSuccess();
    }

    void received() {
      RdmaVerbs.getRecvComp(id, completion); // rdma_get_recv_comp
      demandSuccess();
    }

    private void demandSuccess() {
      if (completion.status(0) != WcStatus.SUCCESS) {
        throw new IllegalStateException(completion.toString(0));
      }
    }

    void leave() {
      id.leaveMulticast(group); // rdma_leave_multicast
    }

    @Override
    public void close() {
      region.close(); // rdma_dereg_mr
      id.close(); // rdma_destroy_qp, rdma_destroy_id
      channel.close(); // rdma_destroy_event_channel
      cm.close();
      arena.close();
    }
  }
}
