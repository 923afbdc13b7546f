package org.roce4j.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The map in docs/design.md names every package that has main sources, and no other; the README's
 * first tables name every module.
 */
class DesignMapTest {
  private static final String ROOT = "org/roce4j/";

  @Test
  void theMapNamesEveryPackageAndNoOther() throws IOException {
    String design = Files.readString(Document.ROOT.resolve("docs/design.md"));
    String map =
        design.substring(
            design.indexOf("## Where things live"), design.indexOf("## The walk of one message"));
    assertEquals(packages(), named(map, 2, "[a-z.]+"));
  }

  /**
   * The names in code type in a column of tables.
   *
   * @param column from 1 on
   */
  private static Set<String> named(String tables, int column, String name) {
    Pattern pattern = Pattern.compile("`(" + name + ")`");
    return tables
        .lines()
        .filter(line -> line.startsWith("|"))
        .map(line -> line.split("\\|", -1)[column])
        .flatMap(cell -> pattern.matcher(cell).results())
        .map(found -> found.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void theFirstTablesOfTheReadmeNameEveryModule() throws IOException {
    String readme = Files.readString(Document.ROOT.resolve("README.md"));
    String pom = Files.readString(Document.ROOT.resolve("pom.xml"));
    Set<String> modules =
        Pattern.compile("<module>([\\w/-]+)</module>")
            .matcher(pom)
            .results()
            .map(found -> found.group(1).replaceFirst("^examples/.*", "examples"))
            .collect(Collectors.toCollection(TreeSet::new));
    modules.add("docs");
    modules.add("conformance-tests/interop"); // scripts
    String first = readme.substring(readme.indexOf("\n| "));
    String tables = first.substring(0, first.indexOf("\n## "));
    assertEquals(modules, named(tables, 1, "[\\w/-]+"));
  }

  private static Set<String> packages() throws IOException {
    try (Stream<Path> files =
        Files.find(
            Document.ROOT,
            12,
            (file, attributes) ->
                file.endsWith("package-info.java")
                    && file.toString().contains("/src/main/java/"))) {
      Set<String> names =
          files
              .map(file -> file.getParent().toString())
              .filter(directory -> directory.contains(ROOT))
              .map(directory -> directory.substring(directory.indexOf(ROOT) + ROOT.length()))
              .map(directory -> directory.replace('/', '.'))
              .collect(Collectors.toCollection(TreeSet::new));
      assertTrue(names.size() > 30, "packages: " + names);
      return names;
    }
  }
}
