package org.roce4j.broken;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every broken engine is caught by the suite that is meant to, which names the rule. With {@code
 * -Droce4j.broken=all} all of them, with any other value those whose name contains it as a regular
 * expression, else those that are marked for every build.
 */
class BrokenEnginesTest {
  private static final Recompilation RECOMPILATION = new Recompilation();

  static Stream<BrokenEngine> engines() {
    String asked = System.getProperty("roce4j.broken");
    Predicate<BrokenEngine> wanted =
        asked == null
            ? BrokenEngine::always
            : engine -> asked.equals("all") || Pattern.compile(asked).matcher(engine.name()).find();
    return BrokenEngines.all().stream().filter(wanted);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("engines")
  void isCaught(BrokenEngine engine) throws Exception {
    SuiteInside suite = new SuiteInside(new EngineLoader(RECOMPILATION.compile(engine.changes())));
    for (String catcher : engine.catchers()) {
      List<String> complaints = suite.run(catcher);
      assertTrue(
          complaints.stream().anyMatch(complaint -> namesOneOf(engine.rules(), complaint)),
          () -> catcher + " does not name " + engine.rules() + " but " + complaints);
    }
  }

  private static boolean namesOneOf(List<String> rules, String complaint) {
    return rules.stream()
        .anyMatch(rule -> Pattern.compile("\\b" + rule + "\\b").matcher(complaint).find());
  }

  @Test
  void theUnbrokenEngineIsNotBlamed() throws Exception {
    SuiteInside suite = new SuiteInside(new EngineLoader(Map.of()));
    for (String catcher :
        new TreeSet<>(engines().flatMap(engine -> engine.catchers().stream()).toList())) {
      assertEquals(List.of(), suite.run(catcher), catcher);
    }
  }
}
