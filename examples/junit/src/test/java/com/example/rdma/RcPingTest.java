package com.example.rdma;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.roce4j.fabric.Fabric;
import org.roce4j.junit.EmulatedRdma;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.ProtectionDomain;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpCapabilities;
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

/** A message over a reliable connection, tested without RDMA hardware. */
class RcPingTest {
  @Test
  @EmulatedRdma
  void pingArrives(Context client, Context server) {
    assertEquals("ping", ping(client, server));
  }

  @Test
  @EmulatedRdma(faults = "loss=10% duplicate=5%", seed = 42)
  void pingArrivesAlthoughPacketsAreLost(Context client, Context server, Fabric fabric) {
    for (int i = 0; i < 20; i++) {
      assertEquals("ping", ping(client, server));
    }
    assertTrue(fabric.counts().dropped() > 0, fabric.counts().toString());
  }

  @Test
  @EmulatedRdma(transport = EmulatedRdma.UDP)
  void pingArrivesOverRealSockets(Context client, Context server) {
    assertEquals("ping", ping(client, server));
  }

  /** What arrives at the server when the client sends "ping". */
  private static String ping(Context client, Context server) {
    try (Arena arena = Arena.ofShared();
        ProtectionDomain clientPd = client.allocPd();
        ProtectionDomain serverPd = server.allocPd();
        CompletionQueue clientCq = client.createCq(1);
        CompletionQueue serverCq = server.createCq(1);
        QueuePair clientQp = clientPd.createQp(reliable(clientCq));
        QueuePair serverQp = serverPd.createQp(reliable(serverCq));
        MemoryRegion sent = clientPd.registerMemory(arena.allocateFrom("ping"), 0);
        MemoryRegion received =
            serverPd.registerMemory(arena.allocate(64), AccessFlags.LOCAL_WRITE);
        RecvRequestList receive = new RecvRequestList(1, 1);
        SendRequestList send = new SendRequestList(1, 1, 0)) {
      connect(clientQp, serverQp);
      connect(serverQp, clientQp);

      assertEquals(0, serverQp.postRecv(receive.add().wrId(1).sge(received, 0, 64)));
      assertEquals(
          0,
          clientQp.postSend(
              send.add()
                  .wrId(2)
                  .opcode(WrOpcode.SEND)
                  .flags(SendFlags.SIGNALED)
                  .sge(sent, 0, (int) sent.length())));

      assertEquals(WcStatus.SUCCESS, next(clientCq));
      assertEquals(WcStatus.SUCCESS, next(serverCq));
      MemorySegment message = received.memory();
      return message.getString(0);
    }
  }

  private static QpInitAttr reliable(CompletionQueue cq) {
    return new QpInitAttr().qpType(QpType.RC).cq(cq).cap(new QpCapabilities(1, 1, 1, 1, 0));
  }

  /** Takes a queue pair through INIT and RTR to RTS, as ibv_modify_qp would. */
  private static void connect(QueuePair qp, QueuePair peer) {
    qp.modify(new QpAttr().qpState(QpState.INIT).pkeyIndex(0).portNum(1).qpAccessFlags(0));
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTR)
            .pathMtu(qp.context().queryPort(1).activeMtu())
            .destQpNum(peer.qpNum())
            .rqPsn(0)
            .maxDestRdAtomic(1)
            .minRnrTimer(12)
            .ahAttr(AhAttr.roce(peer.context().queryGid(1, 0), 0)));
    qp.modify(
        new QpAttr()
            .qpState(QpState.RTS)
            .timeout(14)
            .retryCnt(7)
            .rnrRetry(7)
            .sqPsn(0)
            .maxRdAtomic(1));
  }

  /** Polls until a request completes; on the fabric this is what makes time pass. */
  private static WcStatus next(CompletionQueue cq) {
    try (WorkCompletions completions = new WorkCompletions(1)) {
      while (cq.poll(completions) == 0) {
        Thread.onSpinWait();
      }
      return completions.status(0);
    }
  }
}
