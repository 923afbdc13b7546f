package org.roce4j.plans;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.emulator.Faults;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/** Each statement of the reader that refuses a file is reached by a row, with errno and words. */
class EveryRefusalTest {
  private static final Path SOURCES = Path.of("src/main/java/org/roce4j/plans");

  /** A statement may go on for some lines, and its frame names any of them. */
  private static final int LINES = 3;

  private static final List<Refused> ROWS =
      List.of(
          new Refused("seed: 1\nseed: 2\n", Errno.EINVAL, ":2:1: 'seed' stands here twice"),
          new Refused("seed: [1]\n", Errno.EINVAL, ":1:7: 'seed' has one value"),
          new Refused("seed: 1\n--- 2\n", Errno.EINVAL, "a file holds one value"),
          new Refused("speed: 1\n", Errno.EINVAL, ":1:1: 'speed' is no key of a plan"),
          new Refused("seed: &a 1\n$schema: *a\n", Errno.EINVAL, ":2:10: an alias is not read"),
          new Refused("[]\n", Errno.EINVAL, ":1:1: a plan has the keys seed links rules"),
          new Refused("rules: {}\n", Errno.EINVAL, ":1:8: rules are a list"),
          new Refused("rules:\n  - {}\n", Errno.EINVAL, ":2:5: a rule begins with its fault"),
          new Refused("rules:\n\t- drop\n", Errno.EINVAL, ":2:1: while scanning"),
          new Refused("links: []\n", Errno.EINVAL, ":1:8: links have options"),
          new Refused("seed: \"\n", Errno.EINVAL, "while scanning a quoted scalar"),
          new Refused("\u00ff", Errno.EINVAL, " is not UTF-8 text"),
          new Refused(null, Errno.ENOENT, "there is no file "),
          new Refused("", Errno.ENOENT, "cannot read "));

  @TempDir private Path directory;

  /**
   * A file that is refused.
   *
   * @param text empty: a directory; null: no file; in Latin-1
   */
  private record Refused(String text, Errno errno, String words) {}

  @Test
  void eachStatementThatRefusesIsReached() throws IOException {
    Map<String, List<Integer>> reached = new LinkedHashMap<>();
    for (Refused row : ROWS) {
      String file = file(row.text()).toString();
      VerbsException e = assertThrows(VerbsException.class, () -> Faults.parse(file), row.words());
      assertEquals(row.errno(), e.errno(), row.words());
      assertTrue(e.remedy().contains(row.words()), e.remedy());
      assertTrue(e.remedy().contains(file), e.remedy());
      for (StackTraceElement frame : e.getStackTrace()) {
        reached
            .computeIfAbsent(frame.getFileName(), name -> new ArrayList<>())
            .add(frame.getLineNumber());
      }
    }
    List<String> missed = new ArrayList<>();
    for (String source : List.of("YamlReader.java", "YamlRules.java")) {
      List<String> lines = Files.readAllLines(SOURCES.resolve(source));
      for (int i = 0; i < lines.size(); i++) {
        int first = i + 1;
        if (lines.get(i).strip().startsWith("throw ")
            && reached.get(source).stream().noneMatch(at -> at >= first && at < first + LINES)) {
          missed.add("%s:%d %s".formatted(source, first, lines.get(i).strip()));
        }
      }
    }
    assertEquals(List.of(), missed);
  }

  private Path file(String text) throws IOException {
    Path file = directory.resolve("plan.yaml");
    Files.deleteIfExists(file);
    if (text == null) {
      return file;
    }
    return text.isEmpty()
        ? Files.createDirectory(file)
        : Files.write(file, text.getBytes(StandardCharsets.ISO_8859_1));
  }
}
