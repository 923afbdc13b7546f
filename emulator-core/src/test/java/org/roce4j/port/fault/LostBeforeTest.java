package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.roce4j.wire.Opcode;

/** A rule behind another one that loses all its datagrams is reported, and no other rule. */
class LostBeforeTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "drop; delay",
        "drop direction=out; duplicate direction=out opcode=RC_SEND_ONLY nth=3",
        "drop; delay qpn=5",
        "drop service=RC; delay opcode=RC_SEND_FIRST",
        "drop service=RC; delay opcode=RC_SEND_ONLY",
        "blackhole psn=5; corrupt psn=5 state=new",
        "port-down=1ms; drop nth=7",
        "drop nth=3; delay nth=3 probability=50%",
        "drop first=3; delay nth=5",
        "drop every=2; delay every=4 times=3",
        "drop every=2 times=9; delay first=3 every=4 times=3",
        "drop after=1s; delay after=2s until=3s",
        "mark-ecn; drop; delay",
        "drop every=2; delay every=4",
        "drop service=RC; delay service=RC",
        "drop direction=out; delay direction=out",
        "drop every=2; delay first=3 every=3 times=1",
        "drop times=9; delay first=9 every=5 times=1",
        "drop every=2 times=3; delay every=2 times=3",
        "drop state=new; delay state=new",
        "drop qpn=3; delay qpn=3 psn=5",
        "drop opcode=RC_SEND_ONLY; delay opcode=RC_SEND_ONLY",
      })
  void theSecondNeverHappens(String plan) {
    assertTrue(whyNever(plan).contains("a rule before it loses them all"), plan);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "drop probability=99%; delay",
        "drop nth=3; delay",
        "drop nth=3; delay nth=4",
        "drop nth=3 direction=out; delay nth=3",
        "drop direction=out; delay",
        "drop opcode=RC_SEND_ONLY; delay service=RC",
        "drop after=1s; delay",
        "drop until=1s; delay after=500ms",
        "drop every=2; delay every=3",
        "drop every=2 times=9; delay first=3 every=4",
        "drop every=4 times=9; delay every=4 times=4611686018427387905",
        "drop times=100; delay first=10 every=4611686018427387904 times=5",
        "drop every=2 times=3; delay every=2 times=4",
        "drop times=9; delay nth=10",
        "drop state=new; delay",
        "drop state=new; delay state=repeated",
        "drop qpn=3; delay qpn=4",
        "drop psn=5; delay psn=6",
        "drop opcode=RC_SEND_ONLY; delay opcode=RC_SEND_LAST",
        "drop direction=in; delay direction=out",
        "drop service=RC; delay service=UC",
        "delay; drop",
        "duplicate; delay",
        "burst leave=0; delay",
      })
  void theSecondMayHappen(String plan) {
    assertEquals("", whyNever(plan));
  }

  @Test
  void whatIsNotProbableNeverHappens() {
    assertEquals("It never happens: its probability is 0.", whyNever("drop; delay probability=0"));
    assertEquals("", whyNever("delay probability=0.000001"));
  }

  private static String whyNever(String text) {
    FaultPlan plan = FaultPlan.parse(text);
    return plan.whyNever(plan.rules().size() - 1).orElse("");
  }

  /** In random plans, a rule that is reported never applies. */
  @Test
  void whatIsSaidNeverToHappenDoesNot() {
    SplittableRandom draw = new SplittableRandom(1);
    int never = 0;
    for (int round = 0; round < 3000; round++) {
      FaultPlan plan = FaultPlan.parse("drop" + words(draw) + "; mark-ecn" + words(draw));
      if (plan.whyNever(1).isPresent()) {
        never++;
        assertEquals(0, timesOfTheSecond(plan, draw), plan::toString);
      }
    }
    assertTrue(never > 300, never + " plans");
  }

  private static String words(SplittableRandom draw) {
    StringBuilder words = new StringBuilder();
    Stream.of(
            "direction=out", "opcode=RC_SEND_ONLY", "service=RC", "psn=1", "after=3us", "until=9us")
        .filter(word -> draw.nextInt(5) == 0)
        .forEach(word -> words.append(' ').append(word));
    switch (draw.nextInt(4)) {
      case 0 -> words.append(" nth=").append(1 + draw.nextInt(3));
      case 1 -> words.append(" first=").append(1 + draw.nextInt(3));
      case 2 ->
          words
              .append(" every=")
              .append(1 + draw.nextInt(4))
              .append(" times=")
              .append(1 + draw.nextInt(4));
      default -> {}
    }
    return words.toString();
  }

  private static long timesOfTheSecond(FaultPlan plan, SplittableRandom draw) {
    FaultInjector injector = new FaultInjector(plan, 0);
    Fate fate = new Fate();
    for (int i = 0; i < 60; i++) {
      Opcode opcode = draw.nextBoolean() ? Opcode.RC_SEND_ONLY : Opcode.UD_SEND_ONLY;
      ByteBuffer packet = ByteBuffer.allocate(64);
      packet.put(0, (byte) opcode.code());
      packet.putInt(8, draw.nextInt(3)); // AckReq and PSN
      FaultDirection way = draw.nextBoolean() ? FaultDirection.OUT : FaultDirection.IN;
      long nowNs = i * 250L;
      fate.begin(nowNs);
      injector.decide(way, packet, 0, packet.capacity(), packet.capacity(), nowNs, fate);
    }
    return injector.applied(1);
  }
}
