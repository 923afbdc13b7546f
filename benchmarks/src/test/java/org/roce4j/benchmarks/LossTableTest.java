package org.roce4j.benchmarks;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.roce4j.verbs.WrOpcode;

/** The greatest cost of random loss, in virtual time, so that it does not depend on the machine. */
class LossTableTest {
  private static final int BYTES = 1 << 16;
  private static final long TOTAL = 32L << 20;

  @ParameterizedTest
  @EnumSource(names = {"RDMA_WRITE", "SEND", "RDMA_READ"})
  void noLossWaitsForTheAckTimeout(WrOpcode opcode) {
    double lossless = LossTable.mean(opcode, BYTES, 0, TOTAL);
    double atOneInAThousand = LossTable.mean(opcode, BYTES, 0.001, TOTAL) / lossless;
    double atOneInAHundred = LossTable.mean(opcode, BYTES, 0.01, TOTAL) / lossless;
    assertTrue(atOneInAThousand >= 0.9, "at 0.1 %: " + atOneInAThousand);
    assertTrue(atOneInAHundred >= 0.5, "at 1 %: " + atOneInAHundred);
  }
}
