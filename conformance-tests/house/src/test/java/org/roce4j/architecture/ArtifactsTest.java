package org.roce4j.architecture;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.roce4j.tools.console.Json;

/** The published artifacts, and their listing in the BOM and in docs/artifacts.md. */
class ArtifactsTest {
  private static final Path TOP = SourceTree.TOP;
  private static final Pattern NAME = Pattern.compile("<artifactId>(.*?)</artifactId>");
  private static final Pattern AUTOMATIC =
      Pattern.compile("<Automatic-Module-Name>(.*?)</Automatic-Module-Name>");
  private static final Pattern DECLARED = Pattern.compile("(?m)^(?:open )?module (\\S+) \\{");
  private static final String DESCRIPTOR = "module-info.java";
  private static final Pattern PACKAGE = Pattern.compile("(?m)^package (\\S+);");
  private static final Pattern IMPORT =
      Pattern.compile("(?m)^import (?:static )?(org\\.roce4j[a-z0-9.]*)\\.[A-Z]");
  private static final Pattern ROW = Pattern.compile("(?m)^\\| `(roce4j-\\S+)` \\| `(\\S+)`");

  private record Artifact(Path directory, String pom) {
    /** The first {@code name} after the parent's. */
    String name() {
      return first(NAME, pom.substring(pom.indexOf("</parent>")));
    }

    boolean published() {
      return !pom.contains("<maven.deploy.skip>true<");
    }

    String module() {
      return isDeclared()
          ? first(DECLARED, SourceTree.read(sources().resolve(DESCRIPTOR)))
          : first(AUTOMATIC, pom);
    }

    boolean isDeclared() {
      return Files.exists(sources().resolve(DESCRIPTOR));
    }

    Path sources() {
      return directory.resolve("src/main/java");
    }

    Set<String> packages() {
      return named(PACKAGE);
    }

    /** The packages that its sources import. */
    Set<String> imports() {
      return named(IMPORT);
    }

    private Set<String> named(Pattern line) {
      return SourceTree.javaBelow(sources())
          .flatMap(file -> all(line, SourceTree.read(file)))
          .map(found -> found.group(1))
          .collect(Collectors.toCollection(TreeSet::new));
    }

    /** The options by which another artifact's Javadoc would see the packages of this module. */
    Set<String> hidden(Set<String> used, Artifact from) {
      String descriptor = SourceTree.read(sources().resolve(DESCRIPTOR));
      Set<String> hidden = new TreeSet<>();
      Set<String> both = packages();
      both.retainAll(used);
      for (String name : both) {
        String option = "--add-exports=%s/%s=%s".formatted(module(), name, from.module());
        if (!descriptor.contains("exports " + name + ";")
            && !from.pom.contains("<additionalOption>" + option + "<")) {
          hidden.add(option);
        }
      }
      return hidden;
    }
  }

  /**
   * Artifacts of the project's group; an example that uses published artifacts has another group.
   */
  private static List<Artifact> artifacts() {
    return SourceTree.modules().stream()
        .map(d -> new Artifact(d, SourceTree.read(d.resolve("pom.xml"))))
        .filter(a -> a.pom.contains("<artifactId>roce4j-parent<"))
        .toList();
  }

  @Test
  void everyArtifactIsOursByNameAndSaysWhatItIs() {
    assertTrue(artifacts().size() > 10);
    assertAll(
        artifacts().stream()
            .map(
                a ->
                    () -> {
                      assertTrue(a.name().startsWith("roce4j-"), a.name());
                      assertTrue(a.pom.contains("  <name>roce4j: "), a.name());
                      assertTrue(a.pom.contains("  <description>"), a.name());
                    }));
  }

  @Test
  void theBomNamesWhatIsPublishedAndNothingElse() {
    Set<String> published = new TreeSet<>();
    artifacts().stream().filter(Artifact::published).forEach(a -> published.add(a.name()));
    String bom = SourceTree.read(TOP.resolve("bom.xml"));
    String managed =
        bom.substring(
            bom.indexOf("<dependencyManagement>"), bom.indexOf("</dependencyManagement>"));
    assertEquals(published, new TreeSet<>(all(NAME, managed).map(m -> m.group(1)).toList()));
  }

  @Test
  void theDocumentNamesTheModuleOfEachPublishedArtifact() {
    Set<String> published = new TreeSet<>();
    artifacts().stream()
        .filter(Artifact::published)
        .forEach(a -> published.add(a.name() + " is " + a.module()));
    String document = SourceTree.read(TOP.resolve("docs/artifacts.md"));
    assertEquals(
        published,
        new TreeSet<>(
            all(ROW, document).map(row -> row.group(1) + " is " + row.group(2)).toList()));
  }

  /** A port is compiled against the artifact of the contract, which has no engine. */
  @Test
  void aPortRequiresNoEngine() {
    List<Artifact> ports =
        artifacts().stream().filter(a -> a.directory.startsWith(TOP.resolve("ports"))).toList();
    assertEquals(3, ports.size(), ports::toString);
    for (Artifact port : ports) {
      String descriptor = SourceTree.read(port.sources().resolve(DESCRIPTOR));
      assertFalse(descriptor.contains("org.roce4j.emulator"), descriptor);
    }
  }

  /**
   * Javadoc reads an artifact as a module, though without a descriptor it uses what modules do not
   * export. Only a release runs it for all artifacts.
   */
  @Test
  void javadocSeesEachPackageThatAnArtifactWithoutDescriptorUses() {
    List<Artifact> declared = artifacts().stream().filter(Artifact::isDeclared).toList();
    for (Artifact artifact : artifacts()) {
      if (artifact.published() && !artifact.isDeclared()) {
        Set<String> used = artifact.imports();
        Set<String> missing = new TreeSet<>();
        declared.forEach(module -> missing.addAll(module.hidden(used, artifact)));
        assertEquals(Set.of(), missing, artifact.name());
      }
    }
  }

  /** No test has JBang or Windows: their files must name what exists. */
  @Test
  void theCatalogOfJbangAndTheScriptOfWindowsStartTheCommandAsTheLauncherDoes() throws Exception {
    String launcher = SourceTree.read(TOP.resolve("roce4j"));
    String script = SourceTree.read(TOP.resolve("roce4j.cmd"));
    Map<?, ?> catalog = (Map<?, ?>) Json.read(SourceTree.read(TOP.resolve("jbang-catalog.json")));
    Map<?, ?> alias = (Map<?, ?>) ((Map<?, ?>) catalog.get("aliases")).get("roce4j");
    assertEquals(
        Set.of("description", "script-ref", "main", "java", "runtime-options"), alias.keySet());
    assertEquals("org.roce4j:roce4j-tools:RELEASE", alias.get("script-ref"));
    assertTrue(
        artifacts().stream().anyMatch(a -> a.published() && a.name().equals("roce4j-tools")));
    Class.forName((String) alias.get("main")).getMethod("main", String[].class);
    String release =
        first(
            Pattern.compile("<maven.compiler.release>(\\d+)<"),
            SourceTree.read(TOP.resolve("pom.xml")));
    assertEquals(release + "+", alias.get("java"));
    for (String start : List.of(launcher, script)) {
      assertTrue(start.contains(" " + alias.get("main") + " "), start);
      ((List<?>) alias.get("runtime-options"))
          .forEach(o -> assertTrue(start.contains(" " + o + " ")));
    }
    all(Pattern.compile("goto (\\w+)"), script)
        .forEach(to -> assertTrue(script.contains("\n:" + to.group(1)), to.group()));
  }

  private static String first(Pattern pattern, String text) {
    return all(pattern, text).findFirst().map(m -> m.group(1)).orElse("nothing");
  }

  private static Stream<MatchResult> all(Pattern pattern, String text) {
    return pattern.matcher(text).results();
  }
}
