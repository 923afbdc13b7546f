package org.roce4j.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

class SimulationOptionsTest {
  @Property(tries = 500)
  void whatIsPrintedIsReadBack(@ForAll long seed) {
    SimulationOptions drawn = SimulationOptions.draw(seed);
    assertEquals(drawn, SimulationOptions.parse(drawn.toString()));
  }

  @Property(tries = 500)
  void everyKnobIsDrawnWithinItsRange(@ForAll long seed) {
    SimulationOptions drawn = SimulationOptions.draw(seed);
    for (Knob knob : Knob.values()) {
      long value = drawn.get(knob);
      assertTrue(value >= knob.least() && value <= knob.most(), () -> knob.key() + "=" + value);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "seed=x, seed=x",
    "seed=1 mtu=1000, mtu must be one of",
    "seed=1 devices=9, give a whole number from 2 to 5",
    "seed=1 engines=3, engines must be one of",
    "seed=1 retry-cnt=8, give a whole number from 0 to 7",
    "seed=1 nonsense=1, no option of a link",
    "seed=1 loss=2, give a probability"
  })
  void shouldRefuseWhatIsNoOption(String line, String why) {
    VerbsException refusal =
        assertThrows(VerbsException.class, () -> SimulationOptions.parse(line));
    assertEquals(Errno.EINVAL, refusal.errno());
    assertTrue(refusal.remedy().contains(why), refusal.remedy());
  }
}
