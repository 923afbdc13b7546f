package org.roce4j.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The floors of the map in docs/design.md agree with what the packages may import. */
class FloorsOfTheDesignTest {
  /** Cells: directory, packages, floor. */
  private static final Pattern ROW = Pattern.compile("\\|[^|]*\\|([^|]*)\\| (\\d+) \\|.*");

  private static final Pattern PACKAGE = Pattern.compile("`([a-z.]+)`");

  @Test
  void aPackageImportsItsOwnFloorAndThoseBelow() {
    Map<String, Integer> floors = floors();
    assertTrue(floors.keySet().containsAll(List.of("verbs", "engine", "tools")), floors::toString);
    List<String> upwards = new ArrayList<>();
    for (String from : Floors.names()) {
      for (String to : Floors.names()) {
        boolean onTheMap = floors.containsKey(from) && floors.containsKey(to);
        if (onTheMap && Floors.mayImport(from, to) && floors.get(from) < floors.get(to)) {
          upwards.add(from + " imports " + to);
        }
      }
    }
    assertEquals(List.of(), upwards);
  }

  private static Map<String, Integer> floors() {
    Map<String, Integer> floors = new HashMap<>();
    SourceTree.read(SourceTree.TOP.resolve("docs/design.md"))
        .lines()
        .map(ROW::matcher)
        .filter(row -> row.matches())
        .forEach(
            row ->
                PACKAGE
                    .matcher(row.group(1))
                    .results()
                    .forEach(name -> floors.put(name.group(1), Integer.parseInt(row.group(2)))));
    return floors;
  }
}
