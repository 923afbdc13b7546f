package org.roce4j.engine.path;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

class RoundTripTest {
  /** RFC 6298, section 2: the deviation is from the mean before. */
  @Property(tries = 200)
  void isTheMeanAndDeviationOfTheStandard(
      @ForAll @Size(min = 1, max = 30) List<@LongRange(max = 10_000_000) Long> samples) {
    RoundTrip roundTrip = new RoundTrip();
    long mean = samples.getFirst();
    long deviation = mean / 2;
    roundTrip.sample(mean);
    for (long sample : samples.subList(1, samples.size())) {
      deviation += (Math.abs(mean - sample) - deviation) / 4;
      mean += (sample - mean) / 8;
      roundTrip.sample(sample);
    }
    boolean known = samples.size() >= RoundTrip.LEAST_SAMPLES;
    assertEquals(known, roundTrip.known());
    assertEquals(known ? mean : 7, roundTrip.within(known ? 0 : 7, Long.MAX_VALUE));
    if (known) {
      assertEquals(
          Math.max(RoundTrip.LEAST_PATIENCE_NS, mean + 4 * deviation), roundTrip.patienceNs());
    }
  }
}
