package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.DeviceLimits;
import org.roce4j.engine.Limit;
import org.roce4j.engine.datagram.Transmit;
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
 * A queue pair sends a probe before its ACK timeout if at most {@code maxProbingQp} wait for an
 * acknowledgement.
 */
class ProbingLimitTest {
  private static final int TIMEOUT = 14;

  /** Acknowledgements after which the round trip is known. */
  private static final int SAMPLES = 8;

  private final Transmit train =
      new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), Transmit.MAX_SEGMENTS);
  private long nowNs = 1_000_000;

  @ParameterizedTest(name = "{0} may probe, {1} wait: the last probes {2}")
  @CsvSource({"0, 1, false", "1, 1, true", "1, 3, false", "2, 2, true", "2, 4, false"})
  void theLastThatSendsProbesIfFewWait(int most, int waiting, boolean probes) {
    LoneEngine lone =
        new LoneEngine(
            PlayedPeer.HERE,
            Mtu.MTU_1024,
            DeviceLimits.DEFAULT
                .with(Limit.MAX_PROBING_QP, most)
                .with(Limit.LEAST_PROBED_PACKETS, 0));
    List<QueuePair> qps = new ArrayList<>();
    for (int i = 0; i < waiting; i++) {
      qps.add(lone.qp(QpType.RC));
      QpBringUp.toRts(qps.get(i), PlayedPeer.attributes(Mtu.MTU_1024).timeout(TIMEOUT));
    }
    for (int psn = 0; psn < SAMPLES; psn++) {
      send(lone, qps.getFirst());
      acknowledge(lone, qps.getFirst(), psn);
    }
    nowNs += AckTimeout.ns(TIMEOUT);
    lone.engine.handleTimeout(nowNs);
    qps.forEach(qp -> send(lone, qp));
    for (QueuePair other : qps.subList(0, waiting - 1)) {
      acknowledge(lone, other, other == qps.getFirst() ? SAMPLES : 0);
    }
    nowNs += AckTimeout.ns(TIMEOUT) / 2;
    lone.engine.handleTimeout(nowNs);
    assertEquals(probes ? 1 : 0, sent(lone));
  }

  private void send(LoneEngine lone, QueuePair qp) {
    qp.postSendOrThrow(new SendRequestList(Arena.ofAuto(), 1, 1, 0).add().opcode(WrOpcode.SEND));
    lone.engine.handleDoorbells(nowNs);
    sent(lone);
  }

  private void acknowledge(LoneEngine lone, QueuePair qp, int psn) {
    PlayedPeer peer = new PlayedPeer(lone.engine, qp);
    Aeth.put(peer.buffer, Opcode.RC_ACKNOWLEDGE.aethAt(), Aeth.ACK, psn + 1);
    peer.says(nowNs, Opcode.RC_ACKNOWLEDGE, false, psn);
    sent(lone);
  }

  private int sent(LoneEngine lone) {
    int packets = 0;
    for (int more = 1; more > 0; packets += more) {
      more = lone.engine.pollTransmit(nowNs, train);
    }
    return packets;
  }
}
