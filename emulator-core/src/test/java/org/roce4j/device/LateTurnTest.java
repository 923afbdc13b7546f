package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.engine.datagram.Transmit;
import org.roce4j.verbs.Mtu;
import org.roce4j.verbs.QpBringUp;
import org.roce4j.verbs.QpCapabilities;
import org.roce4j.verbs.QpInitAttr;
import org.roce4j.verbs.QpRateLimitAttr;
import org.roce4j.verbs.QueuePair;
import org.roce4j.verbs.SendRequestList;
import org.roce4j.verbs.WrOpcode;

/** A rate is kept although the engine's turns come late, but a long delay is not caught up. */
class LateTurnTest {
  private static final int REQUESTS = 1024;

  /** A header and an ICRC, which the port adds. */
  private static final int BITS = 8 * 16;

  private final LoneEngine lone = new LoneEngine(PlayedPeer.HERE, Mtu.MTU_1024);

  private int sent(long nowNs, Transmit train) {
    lone.engine.handleTimeout(nowNs);
    int packets = 0;
    for (int some; (some = lone.engine.pollTransmit(nowNs, train)) > 0; ) {
      packets += some;
    }
    return packets;
  }

  /** Up to a millisecond is caught up. */
  @ParameterizedTest(name = "{1} packets late, {0} in a train: {2} at once")
  @CsvSource({
    "1, 1, 1",
    "1, 2, 2",
    "1, 90, 90",
    "1, 900, 101",
    "64, 2, 2",
    "64, 10, 10",
    "64, 90, 90",
    "64, 200, 101",
    "64, 900, 101"
  })
  void whatWasMissedIsMadeUpFor(int trainLength, int late, int atOnce) {
    Transmit train = train(trainLength);
    QueuePair qp = withRequests();
    qp.modifyRateLimit(new QpRateLimitAttr(BITS * 100)); // one packet in 10 us
    long nowNs = 1_000_000_000;
    assertEquals(1, sent(nowNs, train));
    assertEquals(0, sent(nowNs + 9_999, train));
    assertEquals(atOnce, sent(nowNs + 10_000L * late, train));
  }

  /** A burst is as many typical packets as fit its size, or packets of the path MTU. */
  @ParameterizedTest(name = "{0} bytes in packets of {1}: {2} at once")
  @CsvSource({"0, 0, 1", "1023, 0, 1", "2048, 0, 2", "2048, 512, 4", "1048576, 0, 64"})
  void aBurstIsAsLongAsTheProgramSays(int bytes, int typical, int atOnce) {
    QueuePair qp = withRequests();
    qp.modifyRateLimit(new QpRateLimitAttr(BITS * 100, bytes, typical));
    assertEquals(atOnce, sent(1_000_000_000, train(64)));
  }

  @Test
  void aHigherRateNeedNotWaitForTheLowerOne() {
    QueuePair qp = withRequests();
    qp.modifyRateLimit(new QpRateLimitAttr(1));
    assertEquals(1, sent(1_000_000_000, train(64)));
    assertEquals(0, sent(1_000_000_001, train(64)));
    qp.modifyRateLimit(QpRateLimitAttr.NONE);
    assertTrue(lone.engine.pollTransmit(1_000_000_002, train(64)) > 0);
  }

  private static Transmit train(int length) {
    return new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), length);
  }

  private QueuePair withRequests() {
    QueuePair qp =
        lone.pd.createQp(
            new QpInitAttr()
                .cq(lone.pd.context().createCq(REQUESTS))
                .cap(new QpCapabilities(REQUESTS, 1, 1, 1, 0)));
    QpBringUp.toRts(qp, PlayedPeer.attributes(Mtu.MTU_1024));
    SendRequestList list = new SendRequestList(Arena.ofAuto(), 1, 1, 0);
    list.add().opcode(WrOpcode.SEND);
    for (int i = 0; i < REQUESTS; i++) {
      qp.postSendOrThrow(list);
    }
    lone.engine.handleDoorbells(0);
    return qp;
  }
}
