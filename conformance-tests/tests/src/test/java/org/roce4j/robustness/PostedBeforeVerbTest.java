package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.verbs.QpAttr;
import org.roce4j.verbs.QpState;
import org.roce4j.verbs.WcStatus;

/** A posted request is sent before the next verb changes anything, on any thread. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PostedBeforeVerbTest {
  private static final int ROUNDS = 50;

  @ParameterizedTest
  @ValueSource(strings = {"fabric", "linux", "linux-4", "netty"})
  void isSentThoughItsQueuePairIsResetAtOnce(String transport) {
    try (AnyNetwork network = new AnyNetwork(transport);
        RcSide from = new RcSide(network.device(), 4096);
        RcSide to = new RcSide(network.device(), 4096)) {
      for (int round = 0; round < ROUNDS; round++) {
        RcSide.connect(from, to, 14, 7);
        assertEquals(0, to.receive(round, 0, 64));
        assertEquals(0, from.send(round, 0, 64));
        from.qp.modify(new QpAttr().qpState(QpState.RESET));
        assertEquals(new RcSide.Completion(round, WcStatus.SUCCESS, 64), to.await(1).getFirst());
        to.qp.modify(new QpAttr().qpState(QpState.RESET));
      }
    }
  }
}
