package org.roce4j.device;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
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
    Transmit train = new Transmit(ByteBuffer.allocateDirect(Transmit.MAX_BYTES + 1), trainLength);
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
    int bits = 8 * 16; // a header and an ICRC, which the port adds
    qp.modifyRateLimit(new QpRateLimitAttr(bits * 100)); // one packet in 10 us
    long nowNs = 1_000_000_000;
    assertEquals(1, sent(nowNs, train));
    assertEquals(0, sent(nowNs + 9_999, train));
    assertEquals(atOnce, sent(nowNs + 10_000L * late, train));
  }
}
