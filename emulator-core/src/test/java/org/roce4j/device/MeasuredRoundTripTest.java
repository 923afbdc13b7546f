package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Limit;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpType;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.AckTimeout;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Opcode;

/**
 * The answers that measure the round trip: a requester whose path is known probes soon after it,
 * and one whose path is unknown waits for the ACK timeout.
 */
class MeasuredRoundTripTest {
  private static final int TIMEOUT = 14;
  private static final int PACKET = 1024;

  /** Answers after which the round trip is known. */
  private static final int SAMPLES = 8;

  /** Longer than the patience of a requester whose answers come at once. */
  private static final long SOON_NS = 1_000_000;

  private final Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), 1);
  private final LoneEngine lone;
  private final Engine engine;
  private final MemoryRegion region;
  private final QueuePair qp;
  private final PlayedPeer peer;
  private long nowNs = 1_000_000;

  MeasuredRoundTripTest() {
    lone =
        new LoneEngine(
            PlayedPeer.HERE,
            Mtu.MTU_1024,
            DeviceLimits.DEFAULT.with(Limit.LEAST_PROBED_PACKETS, 0));
    engine = lone.engine;
    region = lone.pd.registerMemory(Arena.ofAuto().allocate(2 * PACKET), AccessFlags.LOCAL_WRITE);
    qp = lone.qp(QpType.RC);
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024).timeout(TIMEOUT));
    peer = new PlayedPeer(engine, qp);
  }

  /** It may answer either of the two packets. */
  @Test
  void anAnswerToWhatWasSentAgainMeasuresNothing() {
    for (int psn = 0; psn < SAMPLES; psn++) {
      write(1);
      assertEquals(1, sent());
      after(AckTimeout.ns(TIMEOUT));
      assertEquals(1, sent());
      acknowledge(psn);
    }
    write(1);
    assertEquals(1, sent());
    after(SOON_NS);
    assertEquals(0, sent());
  }

  /** The first packet of each message asks for no answer, and the second one follows much later. */
  @Test
  void anAnswerMeasuresThePacketThatAskedForIt() {
    for (int message = 0; message < SAMPLES; message++) {
      write(2);
      assertEquals(1, engine.pollTransmit(nowNs, train));
      after(10 * SOON_NS);
      assertEquals(1, sent());
      acknowledge(2 * message + 1);
    }
    write(1);
    assertEquals(1, sent());
    after(SOON_NS);
    assertEquals(1, sent());
  }

  private void write(int packets) {
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    list.add().opcode(WrOpcode.RDMA_WRITE).sge(region, 0, packets * PACKET);
    qp.postSendOrThrow(list);
    engine.handleDoorbells(nowNs);
  }

  private void after(long ns) {
    nowNs += ns;
    engine.handleTimeout(nowNs);
  }

  private int sent() {
    return lone.packetsSent(nowNs, train);
  }

  private void acknowledge(int psn) {
    Aeth.put(peer.buffer, Opcode.RC_ACKNOWLEDGE.aethAt(), Aeth.ACK, psn + 1);
    peer.says(nowNs, Opcode.RC_ACKNOWLEDGE, false, psn);
    sent();
  }
}
