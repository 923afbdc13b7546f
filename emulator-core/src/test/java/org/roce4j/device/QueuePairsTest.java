package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Progress;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.engine.time.Deadlines;
import org.roce4j.verbs.CompletionQueue;
import org.roce4j.verbs.Context;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.RecvRequestList;
import org.roce4j.verbs.SendFlags;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Opcode;

/**
 * The reported attributes of a queue pair, each number under its own name, before and after a
 * flush.
 */
class QueuePairsTest {
  @AutoClose private final Arena arena = Arena.ofShared();
  private final Device device =
      LoneEngine.device(PlayedPeer.HERE, Mtu.MTU_1024, DeviceLimits.DEFAULT);

  /** The attributes as the statistics have them. */
  private record Told(
      int number,
      String service,
      String state,
      String peer,
      long sends,
      int sendsOutstanding,
      long receives,
      int receivesPosted,
      boolean sharedReceives,
      long rnrNaks) {}

  private QueuePair connected() {
    return connected(PlayedPeer.attributes(Mtu.MTU_1024).sqPsn(0).rnrRetry(7));
  }

  private QueuePair connected(QpAttr attributes) {
    device.attach(PortControl.NONE, Progress.NONE);
    Context context = EmulatedContext.open(device, () -> {});
    CompletionQueue cq = context.createCq(16);
    QueuePair qp =
        context.allocPd().createQp(new QpInitAttr().cq(cq).cap(new QpCapabilities(8, 8, 1, 1, 0)));
    QpBringUp.toRts(qp, attributes);
    return qp;
  }

  @Test
  void whatWasDoneAndWhatIsPostedAreDifferentNumbers() {
    QueuePair qp = connected();
    for (int i = 0; i < 3; i++) {
      assertEquals(0, qp.postRecv(new RecvRequestList(arena, 1, 0).add()));
    }
    SendRequestList send = new SendRequestList(arena, 1, 1, 0).add().opcode(WrOpcode.SEND);
    for (int i = 0; i < 2; i++) {
      assertEquals(0, qp.postSend(send.flags(SendFlags.SIGNALED)));
    }
    String peer = "0x11 at 10.0.0.2";
    assertEquals(new Told(qp.qpNum(), "RC", "RTS", peer, 0, 2, 0, 3, false, 0), told(qp), "posted");
    qp.modify(new QpAttr().qpState(QpState.ERR));
    device.engine(0).handleDoorbells(0);
    device.engine(0).pollTransmit(0, new Transmit(ByteBuffer.allocateDirect(4096), 1));
    assertEquals(
        new Told(qp.qpNum(), "RC", "ERR", peer, 2, 0, 3, 0, false, 0), told(qp), "flushed");
  }

  /** A receiver that is ready again was late: nothing waits for it any more. */
  @Test
  void rnrNaksAreCountedUntilARequestIsAcknowledged() {
    QueuePair qp = connected();
    Engine engine = device.engine(0);
    PlayedPeer peer = new PlayedPeer(engine, qp);
    Transmit train = new Transmit(ByteBuffer.allocateDirect(4096), 1);
    assertEquals(0, qp.postSend(new SendRequestList(arena, 1, 1, 0).add().opcode(WrOpcode.SEND)));
    engine.handleDoorbells(0);
    for (int naks = 1; naks <= 3; naks++) {
      long nowNs = naks * 1_000_000L;
      engine.handleTimeout(nowNs);
      assertEquals(1, engine.pollTransmit(nowNs, train), "it is sent again");
      answers(peer, nowNs, 0, Aeth.rnrNak(1));
      assertEquals(0, engine.pollTransmit(nowNs, train), "it waits for the receiver");
      assertEquals(naks, told(qp).rnrNaks());
    }
    answers(peer, 4_000_000, 0, Aeth.ACK);
    assertEquals(0, told(qp).rnrNaks());
    assertEquals(0, told(qp).sendsOutstanding());
  }

  /** The packets of a queue pair as a page of its windows has them. */
  private record Packets(
      int number,
      int oldest,
      int sending,
      int next,
      int expected,
      int retries,
      int rnrRetries,
      long ackDueNs,
      long rnrDueNs) {}

  @Test
  void aWindowTellsEachPsnBothBudgetsAndBothTimers() {
    QueuePair qp =
        connected(
            PlayedPeer.attributes(Mtu.MTU_1024)
                .sqPsn(20)
                .rqPsn(9)
                .timeout(14)
                .retryCnt(6)
                .rnrRetry(3));
    Engine engine = device.engine(0);
    Transmit train = new Transmit(ByteBuffer.allocateDirect(4096), 1);
    for (int i = 0; i < 3; i++) {
      assertEquals(0, qp.postSend(new SendRequestList(arena, 1, 1, 0).add().opcode(WrOpcode.SEND)));
    }
    engine.handleDoorbells(0);
    assertEquals(1, engine.pollTransmit(0, train));
    long due = 67_108_864; // timeout 14
    int number = qp.qpNum();
    assertEquals(new Packets(number, 20, 21, 21, 9, 6, 3, due, Deadlines.NEVER), packets(), "sent");
    engine.pollTransmit(0, train);
    engine.handleTimeout(due);
    assertEquals(1, engine.pollTransmit(due, train));
    assertEquals(
        new Packets(number, 20, 21, 22, 9, 5, 3, 2 * due, Deadlines.NEVER),
        packets(),
        "sent again");
    answers(new PlayedPeer(engine, qp), due, 20, Aeth.rnrNak(1));
    assertEquals(
        new Packets(number, 20, 20, 22, 9, 5, 2, Deadlines.NEVER, due + 10_000),
        packets(),
        "the receiver is not ready");
  }

  private Packets packets() {
    return QueuePairs.windows(device, Packets::new).getFirst();
  }

  private static void answers(PlayedPeer peer, long nowNs, int psn, int syndrome) {
    Opcode opcode = Opcode.RC_ACKNOWLEDGE;
    Aeth.put(peer.buffer, opcode.aethAt(), syndrome, 1);
    peer.says(nowNs, opcode, false, psn);
  }

  private Told told(QueuePair qp) {
    List<Told> all = QueuePairs.of(device, Told::new);
    assertEquals(1, all.size());
    assertEquals(qp.qpNum(), all.getFirst().number());
    return all.getFirst();
  }
}
