package org.roce4j.robustness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A program posts a burst of small requests and then nothing: the last requests are sent, too. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HeldBurstTest {
  /**
   * Sixteen requests that leave at once, two full trains of sixteen, and a rest that waits in vain
   * for more.
   */
  private static final int BURST = 55;

  private static final int ROUNDS = 20;

  @ParameterizedTest
  @CsvSource({"linux,1", "linux,4", "netty,1"})
  void arrivesThoughNobodyPollsAndNobodyLooksIn(String transport, int engines) {
    try (UnattendedDevice sender = new UnattendedDevice(transport, engines);
        UnattendedDevice receiver = new UnattendedDevice(transport, engines);
        RcSide from = new RcSide(sender.open(), 4096);
        RcSide to = new RcSide(receiver.open(), 4096)) {
      RcSide.connect(from, to, 0, 7);
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < BURST; i++) {
          assertEquals(0, to.receive(i, 0, 64));
        }
        for (int i = 0; i < BURST; i++) {
          assertEquals(0, from.send(i, 0, 64));
        }
        assertEquals(BURST, to.await(BURST).size());
        assertEquals(List.of(), to.poll()); // acknowledges the last
        assertEquals(BURST, from.await(BURST).size());
      }
    }
  }
}
