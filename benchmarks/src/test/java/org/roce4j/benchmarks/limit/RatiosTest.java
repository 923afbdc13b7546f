package org.roce4j.benchmarks.limit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class RatiosTest {
  @Test
  void theMedianOfPairsIsTold() {
    Ratios odd = Ratios.of(new double[] {0.9, 0.5, 0.7});
    assertEquals(0.7, odd.median());
    assertEquals(0.5, odd.least());
    assertEquals(0.9, odd.most());
    assertEquals(0.6, Ratios.of(new double[] {0.5, 0.7}).median(), 1e-12);
  }

  @Test
  void equalPairsLeaveNoDoubt() {
    assertEquals(new Ratios(0.5, 0.5, 0.5, 0.5, 0.5), Ratios.of(new double[] {0.5, 0.5, 0.5, 0.5}));
  }

  @Property(tries = 20)
  void theIntervalHoldsTheMedianAndLiesWithinTheSpread(
      @ForAll @Size(min = 7, max = 15) double[] pairs) {
    double[] ratios = pairs.clone();
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] = Double.isFinite(ratios[i]) ? Math.abs(ratios[i]) % 10 : 1;
    }
    Ratios summary = Ratios.of(ratios);
    assertTrue(summary.least() <= summary.low());
    assertTrue(summary.low() <= summary.median());
    assertTrue(summary.median() <= summary.high());
    assertTrue(summary.high() <= summary.most());
  }
}
