package org.roce4j.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ExplanationTest {
  private static List<String> names(String kind) {
    return Explanation.all().stream()
        .filter(row -> row.kind().equals(kind))
        .map(Explanation::name)
        .toList();
  }

  private static List<String> constants(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).toList();
  }

  @Test
  void everyStatusStateAndEventHasARow() {
    assertEquals(constants(WcStatus.values()), names("status"));
    assertEquals(constants(QpState.values()), names("state"));
    assertEquals(constants(EventType.values()), names("event"));
    assertTrue(constants(Errno.values()).containsAll(names("errno")));
    assertEquals(
        Explanation.all().size(),
        Stream.of("status", "state", "event", "errno").mapToInt(kind -> names(kind).size()).sum());
  }

  @Test
  void everyCellSaysSomethingAndEndsWithoutAFullStop() {
    for (Explanation row : Explanation.all()) {
      for (String cell : List.of(row.meaning(), row.causes(), row.look())) {
        assertFalse(cell.isBlank() || cell.endsWith(".") || cell.contains("|"), row::toString);
      }
    }
  }

  @Test
  void namesAreFoundAsPeopleWriteThem() {
    String name = "REM_ACCESS_ERR";
    for (String written : List.of(name, "rem_access_err", "IBV_WC_REM_ACCESS_ERR")) {
      assertEquals(name, Explanation.of(written).orElseThrow().name());
    }
    assertEquals("File exists", Explanation.of("EEXIST").orElseThrow().meaning());
    assertTrue(Explanation.of("NO_SUCH_NAME").isEmpty());
  }
}
