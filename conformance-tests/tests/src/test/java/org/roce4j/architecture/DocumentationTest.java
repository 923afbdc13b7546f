package org.roce4j.architecture;

import static java.util.Map.entry;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What programs see has a comment. */
class DocumentationTest {
  /** Members without one, by package; the numbers may only fall, and what is not here has none. */
  private static final Map<String, Integer> MOST_MISSING =
      Map.ofEntries(
          entry("conformance", 80),
          entry("conformance.backend", 6),
          entry("conformance.bench", 11),
          entry("conformance.dialogue", 22),
          entry("conformance.error", 13),
          entry("conformance.remote", 47),
          entry("conformance.run", 2),
          entry("engine.counter", 67),
          entry("engine.datagram", 17),
          entry("engine.time", 5),
          entry("fabric", 40),
          entry("port", 8),
          entry("port.fault", 25),
          entry("simulation", 29),
          entry("verbs", 86),
          entry("verbs.cm", 25));

  @Test
  void everyMemberThatProgramsSeeHasAComment() {
    Map<String, List<String>> tooMany = new TreeMap<>();
    UndocumentedMembers.found()
        .forEach(
            (name, members) -> {
              if (members.size() > MOST_MISSING.getOrDefault(name.replace("org.roce4j.", ""), 0)) {
                tooMany.put(name + " " + members.size(), members);
              }
            });
    assertEquals(Map.of(), tooMany, "members without a comment");
  }
}
