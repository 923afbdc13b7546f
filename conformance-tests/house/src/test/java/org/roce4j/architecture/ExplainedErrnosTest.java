package org.roce4j.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.roce4j.verbs.Explanation;

/** An errno that a verb or a message gives has an explanation. */
class ExplainedErrnosTest {
  private static final Pattern ERRNO = Pattern.compile("\\bErrno\\.(E[A-Z0-9]+)\\b");

  /** The artifacts whose verbs and messages throw. */
  private static final List<String> MODULES =
      List.of(
          "verbs-api",
          "verbs-hardware",
          "ports/contract",
          "emulator-core",
          "ports/linux",
          "ports/netty");

  /** Errnos that the product compares with the kernel's answer and replaces by another one. */
  private static final Set<String> INSIDE = Set.of("ENOTDIR");

  @Test
  void everyErrnoThatTheSourcesNameIsExplained() throws IOException {
    Set<String> explained =
        Explanation.all().stream()
            .filter(row -> row.kind().equals("errno"))
            .map(Explanation::name)
            .collect(Collectors.toSet());
    Map<String, Path> named = new TreeMap<>();
    for (Path file : SourceTree.javaFiles()) {
      if (MODULES.stream()
          .anyMatch(m -> file.startsWith(SourceTree.TOP.resolve(m + "/src/main")))) {
        ERRNO
            .matcher(Files.readString(file))
            .results()
            .forEach(found -> named.putIfAbsent(found.group(1), file));
      }
    }
    assertTrue(named.size() > 20, named::toString);
    named.keySet().removeAll(explained);
    named.keySet().removeAll(INSIDE);
    assertEquals(Map.of(), named, "errnos without a row in explanations.txt, and a file of each");
  }
}
