package org.roce4j.documents;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * {@code docs/verbs-coverage.md}: every call that the manuals name, with the tests that use it as
 * documented, collected from the annotations in the sources.
 */
class VerbsCoverageTest {
  private static final Path DOCUMENT = Path.of("..", "..", "docs", "verbs-coverage.md");
  private static final Path WRITTEN = Path.of("target", "verbs-coverage.md");
  private static final int CALLS = 239;
  private static final String NO_TEST = "**no test**";

  /** The rows that the interop case {@code verbs} runs. */
  private static final String EVERY_RUN = "VRB|MAN|ECQ|WRB";

  private static final String PREFACE =
      """
      # Every call of the manuals

      The calls that the manuals of libibverbs, librdmacm and rsockets name, what they are called here, and a test that uses each as its
      manual describes it. The list of calls is
      [verbs.txt](../conformance-tests/house/src/test/resources/org/roce4j/documents/verbs.txt); the rest is gathered by a test
      (`VerbsCoverageTest`) from the annotations of tests, `@Tag("ibv_...")`, and of conformance rows, `@Covers("ibv_...")`. A call
      without such a test says so.

      *Emulator*: `rows` are conformance rows, which run on both backends; other tests are named.

      *Hardware*: `rxe` is a call that conformance rows make of the real libibverbs (or librdmacm) with Linux's soft-RoCE, in the guest of
      [interop](../conformance-tests/interop/README.md): the rows `%s` in every run of `.ci/run`, the others in
      `.ci/full`. With an errno: soft-RoCE refuses the call with exactly that errno; `deviates`: it does otherwise than the row. Each such
      row is [declared](../conformance-tests/suite/src/main/resources/org/roce4j/conformance/backend/soft-roce.txt), and a run fails for
      one that is not, or that holds in spite of it. `stub` is a test with a libibverbs that the test plays: what the backend asks of it.
      `-` as Java name: there is nothing by that name.

      %d calls: %d have a test on the emulator, %d on the hardware backend, %d of them on soft-RoCE, which refuses %d; %d come later.
      """;

  /** A line of the list: a call, or the title of a chapter. */
  private record Call(String name, String java, String remark) {
    static Call of(String line) {
      if (line.startsWith("= ")) {
        return new Call("", line.substring(2), "");
      }
      String[] cells = line.split("\\s*\\|\\s*", -1);
      return new Call(cells[0], cells[1], cells.length > 2 ? cells[2] : "");
    }

    boolean chapter() {
      return name.isEmpty();
    }

    boolean later() {
      return remark.startsWith("later");
    }
  }

  private final List<Call> list = read();
  private final CoveringTests tests = CoveringTests.ofTheSources();
  private final SoftRoceVerbs softRoce = new SoftRoceVerbs();

  private static List<Call> read() {
    try (InputStream file = VerbsCoverageTest.class.getResourceAsStream("verbs.txt")) {
      return new String(file.readAllBytes(), UTF_8)
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(Call::of)
          .toList();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private List<Call> calls() {
    return list.stream().filter(call -> !call.chapter()).toList();
  }

  @Test
  void theListHasEveryCallOnceAndTestsNameNoOther() {
    List<String> names = calls().stream().map(Call::name).toList();
    assertEquals(CALLS, Set.copyOf(names).size());
    assertEquals(CALLS, names.size());
    Set<String> unknown = new TreeSet<>(tests.calls());
    unknown.removeAll(names);
    assertEquals(Set.of(), unknown, "tests cover calls that verbs.txt does not have");
  }

  @Test
  void whatACallIsNamedHereExists() {
    for (Call call : calls()) {
      for (String name : call.java().split(", ")) {
        assertTrue(name.equals("-") || exists(name), () -> call.name() + ": no " + name);
      }
    }
  }

  private static boolean exists(String name) {
    int dot = name.lastIndexOf('.');
    try {
      Class<?> type = Class.forName("org.roce4j.verbs." + name.substring(0, dot));
      return Arrays.stream(type.getMethods())
          .map(Method::getName)
          .anyMatch(name.substring(dot + 1)::equals);
    } catch (ClassNotFoundException e) {
      return false;
    }
  }

  @Test
  void everyCallHasATestOnBothBackends() {
    assertEquals(
        List.of(),
        calls().stream()
            .filter(call -> !call.later() && !call.java().equals("-"))
            .map(Call::name)
            .filter(name -> tests.onEmulator(name).isEmpty() || onHardware(name).isEmpty())
            .toList());
  }

  /** Calls that need no library are tested without one. */
  @Test
  void everyCallOfTheLibraryIsMadeOfTheRealOne() {
    assertEquals(
        List.of(),
        calls().stream()
            .filter(call -> !call.later())
            .map(Call::name)
            .filter(name -> !tests.withAPlayedLibrary(name).isEmpty() && !tests.inRows(name))
            .toList());
  }

  @Test
  void theRowsOfEveryRunAreThoseOfTheInteropCase() throws IOException {
    String cases = Files.readString(Path.of("..", "interop", "cases.sh"));
    assertTrue(cases.contains("\"verbs quick conformance network=1500 rows=" + EVERY_RUN + "\""));
    assertTrue(SoftRoceVerbs.rows().stream().allMatch(id -> id.matches("(" + EVERY_RUN + ")-.*")));
  }

  private String onHardware(String name) {
    List<String> found = new ArrayList<>();
    if (tests.inRows(name)) {
      found.add(softRoce.verdict(name));
    }
    String played = tests.withAPlayedLibrary(name);
    if (!played.isEmpty()) {
      found.add("stub: " + played);
    }
    found.add(tests.withoutBackend(name));
    return found.stream().filter(each -> !each.isEmpty()).collect(Collectors.joining("; "));
  }

  private long count(Predicate<String> what) {
    return calls().stream().map(Call::name).filter(what).count();
  }

  @Test
  void theDocumentSaysWhichTestsThereAre() throws IOException {
    StringBuilder text =
        new StringBuilder(
            PREFACE.formatted(
                EVERY_RUN.replace("|", "-`, `") + "-",
                CALLS,
                count(name -> !tests.onEmulator(name).isEmpty()),
                count(name -> !onHardware(name).isEmpty()),
                count(tests::inRows),
                count(softRoce::refuses),
                calls().stream().filter(Call::later).count()));
    for (Call call : list) {
      text.append(call.chapter() ? chapter(call) : row(call));
    }
    Files.createDirectories(WRITTEN.getParent());
    Files.writeString(WRITTEN, text);
    assertEquals(
        text.toString(),
        Files.exists(DOCUMENT) ? Files.readString(DOCUMENT) : "",
        "cp conformance-tests/house/" + WRITTEN + " docs/verbs-coverage.md");
  }

  private static String chapter(Call call) {
    return "\n## %s\n\n| C | Java | emulator | hardware | |\n|---|---|---|---|---|\n"
        .formatted(call.java());
  }

  private String row(Call call) {
    return "| `%s` | %s | %s | %s | %s |\n"
        .formatted(
            call.name(),
            call.java().equals("-") ? "-" : "`" + call.java().replace(", ", "`, `") + "`",
            cell(call, tests.onEmulator(call.name())),
            cell(call, onHardware(call.name())),
            call.remark());
  }

  private static String cell(Call call, String found) {
    return found.isEmpty() && !call.later() && call.remark().isEmpty()
        ? NO_TEST
        : found.isEmpty() ? "-" : found;
  }
}
