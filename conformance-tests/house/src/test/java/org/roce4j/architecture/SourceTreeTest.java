package org.roce4j.architecture;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodInvocationTree;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The laws about source files. */
class SourceTreeTest {

  /** A longer method does not fit a screen. */
  private static final int LONGEST_METHOD = 40;

  /** A longer file holds two concepts. */
  private static final int LONGEST_FILE = 500;

  /** A longer method lists rows of a table, perhaps for each of several kinds. */
  private static final int BRANCHES_OF_A_TABLE = 2;

  /**
   * Exceptions: a table, and the 42 calls of an id of librdmacm with their contracts and a line
   * each.
   */
  private static final Set<String> LONGER_FILES = Set.of("BadCallTable.java", "CmId.java");

  /** Vague phrases in a comment, also across lines; a name would say more. */
  private static final Pattern VAGUE =
      Pattern.compile(
          ".{0,40}\\b(?:so many|that many|that much|whoever|of which|by and by|all the same"
              + "|likewise|such a one|on whose behalf|(?i:as above))\\b.{0,40}");

  private static final Pattern COMMENT = Pattern.compile("(?s)/\\*.*?\\*/|(?-s:(?://.*\\R\\s*)+)");

  private static final Pattern ENDLESS_POLL =
      Pattern.compile(
          "while \\([\\w.()]+\\.poll\\w*\\(\\w+\\) (?:== 0|!= 1)\\) \\{\\s*"
              + "(?:Thread\\.\\w+\\(\\);\\s*)?\\}");

  /** Methods that take a format and its values. */
  private static final Pattern FORMATTING =
      Pattern.compile("Wording\\.of|Errno\\.\\w+\\.refusal|ToolFailure\\.(usage|atRunTime)");

  private static final Pattern SPECIFIER =
      Pattern.compile("%(?:(\\d+)\\$)?[-#+ 0,(]*\\d*(?:\\.\\d+)?([a-zA-Z%])");

  private static final Pattern COMPARED_DEADLINE = Pattern.compile("[!=]= Deadlines\\.NEVER\\b");

  private static final Pattern PRODUCT =
      Pattern.compile("^(?!conformance-tests/|benchmarks/|examples/)");

  private static final Pattern LEFT_FOR_LATER = Pattern.compile("\\b(TO" + "DO|FIX" + "ME)\\b");

  @Test
  void theSourcesOfEveryModuleAreFound() {
    List<Path> packages = SourceTree.mainPackages();
    for (String module : List.of("verbs-api", "wire-rocev2", "ports/contract", "emulator-core")) {
      assertTrue(
          packages.stream().anyMatch(p -> p.startsWith(SourceTree.TOP.resolve(module))), module);
    }
  }

  @Test
  void everyPackageSaysWhichDoorItIs() {
    List<String> silent =
        SourceTree.mainPackages().stream()
            .filter(p -> !hasDescription(p.resolve("package-info.java")))
            .map(SourceTreeTest::relative)
            .toList();
    assertEquals(List.of(), silent, "packages whose package-info is missing or says nothing");
  }

  @Test
  void noMethodIsLongerThanPeopleHoldInTheirHead() {
    List<SourceTree.Method> tooLong =
        SourceTree.methods().stream()
            .filter(m -> m.lines() > LONGEST_METHOD && m.branches() > BRANCHES_OF_A_TABLE)
            .toList();
    assertEquals(List.of(), tooLong, "methods of more than " + LONGEST_METHOD + " lines");
  }

  @Test
  void noFileHoldsTwoConcepts() {
    Set<String> longer =
        SourceTree.javaFiles().stream()
            .filter(f -> SourceTree.read(f).lines().count() > LONGEST_FILE)
            .map(f -> f.getFileName().toString())
            .collect(Collectors.toSet());
    assertEquals(LONGER_FILES, longer, "files of more than " + LONGEST_FILE + " lines");
  }

  /**
   * A reader who meets a name in a comment or a stack trace knows which type is meant. Only two
   * nested types may share a name, because their outer types distinguish them.
   */
  @Test
  void noTwoTypesOfTheProductShareAName() {
    Map<String, List<String>> places = new TreeMap<>();
    Map<String, List<String>> nested = new TreeMap<>();
    List<Path> main =
        SourceTree.javaFiles().stream().filter(f -> f.toString().contains("/src/main/")).toList();
    for (CompilationUnitTree unit : SourceTree.parse(main).units()) {
      String file = relative(Path.of(unit.getSourceFile().toUri()));
      for (String type : SourceTree.types(unit)) {
        boolean outer = file.endsWith("/" + type + ".java");
        if (outer || PRODUCT.matcher(file).find()) {
          (outer ? places : nested).computeIfAbsent(type, _ -> new ArrayList<>()).add(file);
        }
      }
    }
    assertTrue(places.size() > 600, () -> "types: " + places.size());
    places.forEach(
        (type, files) -> {
          if (files.stream().anyMatch(PRODUCT.asPredicate())) {
            files.addAll(nested.getOrDefault(type, List.of()));
          }
        });
    places.values().removeIf(files -> files.size() == 1);
    assertEquals(Map.of(), places, "types with one name");
  }

  /** Error Prone knows the formats of {@code String.format} only. */
  @Test
  void everyFormatNamesItsValues() {
    List<String> wrong = new ArrayList<>();
    int known = 0;
    List<Path> main =
        SourceTree.javaFiles().stream().filter(f -> f.toString().contains("/main/")).toList();
    for (CompilationUnitTree unit : SourceTree.parse(main).units()) {
      for (MethodInvocationTree call : SourceTree.calls(unit, FORMATTING)) {
        String format = SourceTree.constant(call.getArguments().getFirst());
        if (format != null && !isPlainFailure(call)) {
          known++;
          if (values(format) != call.getArguments().size() - 1) {
            wrong.add(unit.getSourceFile().getName() + ": " + call);
          }
        }
      }
    }
    assertEquals(List.of(), wrong);
    assertTrue(known > 400, () -> "formats found");
  }

  /** A failure of a tool has values in its words, or none and possibly a cause. */
  private static boolean isPlainFailure(MethodInvocationTree call) {
    boolean caused = call.getArguments().getLast().toString().equals("e");
    return call.getMethodSelect().toString().startsWith("ToolFailure.")
        && (call.getArguments().size() == 1 || caused);
  }

  /** The number of values that a format takes. */
  private static int values(String format) {
    int next = 0;
    int most = 0;
    Matcher specifiers = SPECIFIER.matcher(format);
    while (specifiers.find()) {
      if (specifiers.group(1) != null) {
        most = Math.max(most, Integer.parseInt(specifiers.group(1)));
      } else if (!"%n".contains(specifiers.group(2))) {
        next++;
      }
    }
    return Math.max(next, most);
  }

  @Test
  void nothingIsLeftForLaterInTheSources() {
    assertEquals(List.of(), filesWith(LEFT_FOR_LATER, "/"));
  }

  /** A comparison elsewhere is arithmetic elsewhere, which forgets that a clock may wrap. */
  @Test
  void oneClassKnowsWhatNoDeadlineMeans() {
    List<String> compared = filesWith(COMPARED_DEADLINE, "/src/main/");
    assertEquals(List.of(), compared, "call Deadlines.isSet, left or isDue");
  }

  /** A test that polls for ever turns a lost completion into a build that hangs. */
  @Test
  void noTestPollsForEver() {
    List<String> endless = filesWith(ENDLESS_POLL, "/src/test/");
    assertEquals(List.of(), endless, "tests that poll without a limit (see Arrival)");
  }

  @Test
  void commentsNameWhatTheySpeakOf() {
    List<String> vague =
        SourceTree.javaFiles().stream()
            .flatMap(f -> vaguePhrases(f).map(phrase -> relative(f) + ": " + phrase))
            .toList();
    assertEquals(List.of(), vague, "name the parameter, the thread, the number");
  }

  private static Stream<String> vaguePhrases(Path file) {
    return COMMENT
        .matcher(SourceTree.read(file))
        .results()
        .map(comment -> comment.group().replaceAll("\\R\\s*(?:\\*|//)?\\s*", " "))
        .flatMap(comment -> VAGUE.matcher(comment).results().map(MatchResult::group));
  }

  @Test
  void whatModulesImportOfEachOtherIsExportedAndRequired() {
    ModuleDescriptors modules = new ModuleDescriptors();
    assertTrue(modules.names().containsAll(List.of("org.roce4j.verbs", "org.roce4j.emulator")));
    assertEquals(List.of(), modules.unreadable(), "repair module-info.java");
  }

  /**
   * The files that match a pattern.
   *
   * @param place part of their paths
   */
  private static List<String> filesWith(Pattern pattern, String place) {
    return SourceTree.javaFiles().stream()
        .filter(f -> f.toString().contains(place))
        .filter(f -> pattern.matcher(SourceTree.read(f)).find())
        .map(SourceTreeTest::relative)
        .toList();
  }

  private static boolean hasDescription(Path packageInfo) {
    return Files.isRegularFile(packageInfo)
        && SourceTree.read(packageInfo).replaceAll("(?s).*/\\*\\*(.*)\\*/.*", "$1").length() > 20;
  }

  private static String relative(Path path) {
    return SourceTree.TOP.relativize(path).toString();
  }
}
