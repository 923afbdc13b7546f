package org.roce4j.examples.flows;

import java.io.PrintStream;
import java.lang.foreign.Arena;
import java.util.List;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AddressHandle;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RdmaDevice;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** Flow 12: an address handle of a datagram's completion, and of attributes. */
final class AddressFlow {
  private static final int HEADER = 40;
  private static final int BYTES = 8;

  private AddressFlow() {}

  static void run(List<RdmaDevice> devices, PrintStream out) {
    try (Arena arena = Arena.ofShared();
        Context context = devices.getFirst().open()) {
      ProtectionDomain pd = context.allocPd();
      MemoryRegion region =
          pd.registerMemory(arena.allocate(HEADER + BYTES), AccessFlags.LOCAL_WRITE);
      CompletionQueue receives = context.createCq(1);
      QueuePair qp =
          pd.createQp(
              new QpInitAttr().qpType(QpType.UD).sendCq(context.createCq(1)).recvCq(receives));
      QpBringUp.toRts(qp, QpBringUp.attributes());
      Gid own = context.queryGid(1, 0);
      AddressHandle there = pd.createAh(AhAttr.roce(own, 0)); // ibv_create_ah
      try (WorkCompletions wc = new WorkCompletions(1)) {
        datagram(qp, there, region);
        OwnPeer.await(receives, wc);
        AhAttr attr = // ibv_init_ah_from_wc
            context.initAhFromWc(1, wc, 0, region.memory(), 0);
        AddressHandle back = pd.createAh(attr); // ibv_create_ah
        out.println("an answer goes to the sender: " + attr.grh().dgid().equals(own));
        back.close(); // ibv_destroy_ah
      }
      there.close(); // ibv_destroy_ah
      try {
        pd.createAh(new AhAttr(false, null, 1, 0, 0, 0, 1)); // dlid without GRH, as on InfiniBand
      } catch (VerbsException e) {
        out.println("without a GRH: " + e.errno());
      }
    }
  }

  private static void datagram(QueuePair qp, AddressHandle there, MemoryRegion region) {
    try (RecvRequestList receive = new RecvRequestList(1, 1);
        SendRequestList send = new SendRequestList(1, 1, 0)) {
      qp.postRecvOrThrow(receive.add().sge(region, 0, HEADER + BYTES));
      send.add().opcode(WrOpcode.SEND).ud(there, qp.qpNum(), QpBringUp.QKEY);
      qp.postSendOrThrow(send.sge(region, HEADER, BYTES));
    }
  }
}
