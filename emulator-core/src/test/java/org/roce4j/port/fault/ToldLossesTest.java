package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.wire.Bth;
import org.roce4j.wire.Opcode;

/**
 * A datagram that a plan loses names the rule, also if the rule did not choose it but its effect
 * lasted.
 */
class ToldLossesTest {
  private static final int PACKET = 60;
  private static final int DATAGRAMS = 40;

  private final Fate fate = new Fate();

  /** An ACK comes after each SEND, a microsecond later. */
  @ParameterizedTest
  @CsvSource({
    "drop, 80",
    "drop every=4, 20",
    "drop opcode=RC_SEND_ONLY, 40",
    "burst leave=0, 80",
    "burst leave=0 nth=3, 78",
    "burst leave=100% nth=3, 1",
    "blackhole=10us, 80",
    "blackhole=10us nth=3, 10",
    "blackhole=10us opcode=RC_SEND_ONLY nth=3, 5",
    "port-down=10us nth=3, 10",
    "port-down=10us opcode=RC_SEND_ONLY nth=3, 10",
    "port-down=10us direction=in nth=3, 10",
    "rate=1M queue=100, 79",
  })
  void namesItsRule(String rule, int losses) {
    FaultPlan plan = FaultPlan.parse("mark-ecn nth=1; " + rule + "; delay=1us");
    FaultInjector injector = new FaultInjector(plan, 0);
    String words = plan.rules().get(1).toString();
    int lost = 0;
    for (int i = 0; i < 2 * DATAGRAMS; i++) {
      meet(injector, i % 2 == 0 ? FaultDirection.OUT : FaultDirection.IN, i);
      if (fate.lostBy() != null) {
        lost++;
        assertEquals("rule 2 (" + words + ")", fate.reason(), "datagram " + i);
      }
    }
    assertEquals(losses, lost);
    assertTrue(injector.applied(1) >= losses, "each is counted");
  }

  private void meet(FaultInjector injector, FaultDirection direction, int psn) {
    boolean sent = direction == FaultDirection.OUT;
    Opcode opcode = sent ? Opcode.RC_SEND_ONLY : Opcode.RC_ACKNOWLEDGE;
    ByteBuffer packet = ByteBuffer.allocate(PACKET);
    Bth.put(packet, 0, opcode.code(), false, 0, 0xffff, 17, false, psn);
    long nowNs = psn * 1000L;
    fate.begin(nowNs);
    injector.decide(direction, packet, 0, PACKET, PACKET, nowNs, fate);
  }
}
