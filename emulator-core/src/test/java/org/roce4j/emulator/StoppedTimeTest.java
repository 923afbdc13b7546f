package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.roce4j.emulator.statistics.PsnWindow;
import org.roce4j.fabric.FabricOptions;
import org.roce4j.verbs.AhAttr;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Gid;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WorkCompletions;
import org.roce4j.verbs.WrOpcode;

/** Devices whose time passes only in steps. */
class StoppedTimeTest {
  @Test
  void polledOrNotNothingHappensUntilTheNetworkIsStepped() {
    try (FabricDevices network = new FabricDevices(FabricOptions.of(1)).stopTime()) {
      EmulatedDevice near = network.device("near", Gid.ofIpv4(0x0A000001));
      EmulatedDevice far = network.device("far", Gid.ofIpv4(0x0A000002));
      try (Context client = near.open();
          Context server = far.open();
          SendRequestList empty = new SendRequestList(1, 1, 0);
          RecvRequestList receive = new RecvRequestList(1, 1);
          WorkCompletions completions = new WorkCompletions(1)) {
        QueuePair sender = queuePair(client);
        QueuePair receiver = queuePair(server);
        connect(sender, server, receiver);
        connect(receiver, client, sender);
        receive.add();
        receiver.postRecvOrThrow(receive);
        empty.add().opcode(WrOpcode.SEND).flags(SendFlags.SIGNALED);
        sender.postSendOrThrow(empty);
        for (int i = 0; i < 100; i++) {
          assertEquals(0, sender.sendCq().poll(completions));
        }
        assertEquals(0, network.fabric().nowNs());
        assertEquals(1, network.fabric().underWay().datagrams().size());
        PsnWindow window = near.psnWindows().getFirst();
        assertEquals(0, window.oldestUnacknowledged());
        assertEquals(1, window.neverSent());
        assertTrue(window.ackTimerNs() < PsnWindow.STOPPED);

        network.fabric().run(10_000);
        assertEquals(1, far.psnWindows().getFirst().expected());
        assertEquals(1, near.psnWindows().getFirst().oldestUnacknowledged());
        assertEquals(PsnWindow.STOPPED, near.psnWindows().getFirst().ackTimerNs());
      }
    }
  }

  private static QueuePair queuePair(Context context) {
    CompletionQueue cq = context.createCq(4);
    return context
        .allocPd()
        .createQp(
            new QpInitAttr()
                .qpType(QpType.RC)
                .sendCq(cq)
                .recvCq(cq)
                .cap(new QpCapabilities(1, 1, 1, 1, 0)));
  }

  private static void connect(QueuePair qp, Context peer, QueuePair to) {
    QpBringUp.toRts(qp, QpBringUp.attributes(AhAttr.roce(peer.queryGid(1, 0), 0), to.qpNum()));
  }
}
