package org.roce4j.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Every member of the public API has a comment, and every field of the state machines. */
class DocumentationTest {
  @Test
  void everyMemberThatProgramsSeeHasAComment() {
    Map<String, List<String>> found = UndocumentedMembers.found();
    assertTrue(found.size() > 20, "packages that were looked at: " + found.keySet());
    Map<String, List<String>> silent = new TreeMap<>(found);
    silent.values().removeIf(List::isEmpty);
    assertEquals(Map.of(), silent, "members without a comment");
  }

  @Test
  void everyFieldOfAStateMachineIsExplained() {
    assertEquals(List.of(), UndocumentedState.found(), "fields without a comment");
  }
}
