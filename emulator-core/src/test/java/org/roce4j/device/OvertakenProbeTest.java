package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Engine;
import org.roce4j.engine.Limit;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.AccessFlags;
import org.roce4j.verbs.MemoryRegion;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;
import org.roce4j.wire.Aeth;
import org.roce4j.wire.Opcode;

/**
 * An acknowledgement is overdue, and arrives before the probe has found room in a train. Then
 * another packet is the oldest, and it is not overdue: sending it again would count it twice.
 */
class OvertakenProbeTest {
  private static final long PATIENCE_NS = 200_000;

  /** Acknowledgements after which the round trip is known. */
  private static final int SAMPLES = 8;

  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), Transmit.MAX_SEGMENTS);
  private final LoneEngine lone;
  private final Engine engine;
  private final QueuePair qp;
  private final PlayedPeer peer;
  private final MemoryRegion region;
  private long nowNs = 1_000_000;

  OvertakenProbeTest() {
    lone =
        new LoneEngine(
            PlayedPeer.HERE,
            Mtu.MTU_1024,
            DeviceLimits.DEFAULT.with(Limit.MAX_PROBING_QP, 1).with(Limit.LEAST_PROBED_PACKETS, 0));
    engine = lone.engine;
    region = lone.pd.registerMemory(Arena.ofAuto().allocate(8, 8), AccessFlags.LOCAL_WRITE);
    qp =
        lone.pd.createQp(
            new QpInitAttr()
                .cq(lone.pd.context().createCq(64))
                .cap(new QpCapabilities(16, 1, 1, 1, 0)));
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024).timeout(14).maxRdAtomic(4));
    peer = new PlayedPeer(engine, qp);
    for (int psn = 0; psn < SAMPLES; psn++) {
      posts(WrOpcode.SEND);
      assertEquals(1, sent());
      acknowledges(psn);
    }
  }

  @Test
  void aReadBehindWhatWasOverdueIsNotSentAgain() {
    posts(WrOpcode.SEND);
    posts(WrOpcode.RDMA_READ);
    assertEquals(2, sent());
    nowNs += PATIENCE_NS;
    engine.handleTimeout(nowNs);
    acknowledges(SAMPLES);
    assertEquals(0, sent());
  }

  /**
   * The answer to a probe acknowledges no more than the probe, so what followed is probably lost. A
   * READ is requested again with all that follows it; another packet is probed once more first.
   */
  @ParameterizedTest
  @CsvSource({"RDMA_READ, 2", "SEND, 1"})
  void aReadThatAProbeShowsToBeLostIsRequestedAgainAtOnce(WrOpcode second, int again) {
    posts(WrOpcode.SEND);
    posts(second);
    posts(WrOpcode.SEND);
    assertEquals(3, sent());
    nowNs += PATIENCE_NS;
    engine.handleTimeout(nowNs);
    assertEquals(1, sent());
    acknowledges(SAMPLES);
    assertEquals(again, sent());
  }

  private void posts(WrOpcode opcode) {
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    list.add().opcode(opcode).remote(0, 0).sge(region, 0, 8);
    assertEquals(0, qp.postSend(list));
    engine.handleDoorbells(nowNs);
  }

  private int sent() {
    return lone.packetsSent(nowNs, train);
  }

  private void acknowledges(int psn) {
    Opcode opcode = Opcode.RC_ACKNOWLEDGE;
    Aeth.put(peer.buffer, opcode.aethAt(), Aeth.ACK, psn + 1);
    peer.says(nowNs, opcode, false, psn);
  }
}
