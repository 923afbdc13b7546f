package org.roce4j.port.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which datagrams a rule chooses, in words. */
class FaultChoiceTest {
  /** A number that is drawn is from 0 to less than 1, so that no probability is exceeded. */
  @ParameterizedTest
  @CsvSource({"0, false", "1, true"})
  void aDatagramIsChosenIfItsNumberIsLessThanTheProbability(int greaterBy, boolean chosen) {
    double drawn = new SplittableRandom(1).nextDouble();
    FaultChoice choice = FaultChoice.ALL.withProbability(drawn + greaterBy * Math.ulp(drawn));
    FaultRule rule = new FaultRule(FaultMatcher.ALL, choice, FaultAction.of(FaultAction.Kind.DROP));
    assertEquals(chosen, new RuleState(rule, new SplittableRandom(1)).happens());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                          | each",
        "nth=1                     | the 1st",
        "nth=2                     | the 2nd",
        "nth=3                     | the 3rd",
        "nth=4                     | the 4th",
        "nth=11                    | the 11th",
        "nth=12                    | the 12th",
        "nth=13                    | the 13th",
        "nth=21                    | the 21st",
        "nth=22                    | the 22nd",
        "nth=111                   | the 111th",
        "nth=123                   | the 123rd",
        "every=2                   | every 2nd",
        "first=3                   | each from the 3rd on",
        "times=5                   | each, 5 at most",
        "first=3 every=10 times=7  | every 10th from the 3rd on, 7 at most",
        "after=3ms                 | each, after 3ms",
        "until=5ms                 | each, until 5ms",
        "probability=0.5           | each, with a probability of 50%",
        "probability=0.0001        | each, with a probability of 0.01%",
        "nth=3 after=1ms until=9ms probability=0.25"
            + "                    | the 3rd, after 1ms, until 9ms, with a probability of 25%",
      })
  void isExplained(String words, String sentence) {
    String rule = words == null ? "drop" : "drop " + words;
    assertEquals(sentence, FaultPlan.parse(rule).rules().getFirst().choice().explain());
  }
}
