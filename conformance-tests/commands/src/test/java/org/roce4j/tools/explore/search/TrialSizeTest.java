package org.roce4j.tools.explore.search;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.roce4j.emulator.Faults;

/** Each criterion by which one trial is smaller than another, and what a trial adds to a plan. */
class TrialSizeTest {
  private static Trial trial(String plan) {
    Faults parsed = Faults.parse("seed=1; " + plan);
    return new Trial(parsed.seed(), parsed.packets(), parsed.verbs());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // the number of faults
        "drop nth=9                                 | drop times=2",
        "drop times=999                             | drop",
        "drop times=5                               | drop times=5 probability=10%",
        "drop times=999                             | burst nth=1",
        "late=1us nth=1                             | late=1us times=2",
        // the number of rules
        "drop times=2                               | drop nth=1; drop nth=2",
        "late=1us times=2                           | late=1us nth=1; late=1us nth=2",
        // the complexity of the fault
        "refuse=EINVAL call=modify nth=2            | late=1us nth=1",
        // amounts
        "delay=1us nth=2                            | delay=2us nth=1",
        "burst leave=10% nth=2                      | burst leave=20% nth=1",
        "late=1us nth=2                             | late=2us nth=1",
        // names
        "drop direction=in opcode=RC_SEND_ONLY nth=2 | drop direction=in nth=1",
        "drop direction=in opcode=RC_SEND_ONLY nth=2 | drop opcode=RC_SEND_ONLY nth=1",
        "drop direction=in opcode=RC_SEND_ONLY nth=2 | drop direction=in opcode=RC_SEND_ONLY"
            + " state=repeated nth=1",
        // places
        "drop nth=1                                 | drop nth=2",
        "drop every=2 times=4                       | drop every=3 times=4",
        "late=1us nth=1                             | late=1us nth=2",
      })
  void oneIsSmaller(String smaller, String larger) {
    assertTrue(TrialSize.SMALLER.compare(trial(smaller), trial(larger)) < 0);
    assertTrue(TrialSize.SMALLER.compare(trial(larger), trial(smaller)) > 0);
  }

  /** A state counts as much as two names that are missing; which errno is returned is no amount. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "drop nth=1 | drop direction=in opcode=RC_SEND_ONLY state=repeated nth=1",
        "refuse=ENOMEM call=modify nth=1 | refuse=EINVAL call=modify nth=1",
        "fail=RETRY_EXC_ERR nth=1 | fail=LOC_LEN_ERR nth=1",
        "drop nth=1000000 | drop nth=2000000",
      })
  void bothAreAlike(String one, String other) {
    assertEquals(0, TrialSize.SMALLER.compare(trial(one), trial(other)));
  }

  @Test
  void theKindsOfFaultsGetMoreComplex() {
    List<String> kinds =
        List.of(
            "drop",
            "duplicate",
            "delay=1us",
            "reorder",
            "mark-ecn",
            "corrupt-icrc",
            "corrupt-payload",
            "corrupt-header",
            "corrupt",
            "latency=1us",
            "forge-rnr");
    for (int i = 1; i < kinds.size(); i++) {
      oneIsSmaller(kinds.get(i - 1) + " nth=2", kinds.get(i) + " nth=1");
    }
  }

  @Test
  void aSeedNearerToZeroIsSmaller() {
    Trial trial = trial("drop nth=1");
    assertTrue(TrialSize.SMALLER.compare(trial.withSeed(-2), trial.withSeed(3)) < 0);
    assertTrue(TrialSize.SMALLER.compare(trial.withSeed(2), trial.withSeed(-3)) < 0);
  }

  /** The rules of the plan that the user gives come first, each kind among its own. */
  @Test
  void aTrialFollowsThePlanThatIsAlwaysThere() {
    Faults always = Faults.parse("seed=3; drop nth=1; refuse=ENOMEM call=modify nth=1");
    Trial added = trial("delay=1us nth=2; late=1us nth=4").withSeed(5);
    assertEquals(
        "seed=5; drop nth=1; delay=1us nth=2; refuse=ENOMEM call=modify nth=1; late=1us nth=4",
        added.behind(always).toString());
  }
}
