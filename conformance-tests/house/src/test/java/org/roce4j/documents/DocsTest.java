package org.roce4j.documents;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;
import org.roce4j.documents.ConsoleSession.Step;
import org.roce4j.documents.Document.Block;

/**
 * Commands in the documents print what the documents show; copies are equal; links lead somewhere.
 */
class DocsTest {
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(?:#[^)]*)?\\)");

  /** A row of a table whose first cell is a message. */
  private static final Pattern MESSAGE = Pattern.compile("^\\| `([^`]+)` \\| .*");

  /** The step in an excuse's reason that runs the command instead. */
  private static final Pattern STEP = Pattern.compile("step (\\w+) of (\\.ci/\\w+)");

  @TempDir private static Path directory;

  @TestFactory
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "the commands are a Unix shell's")
  Stream<DynamicTest> commandsPrintWhatTheDocumentsSay() {
    return Document.all().stream()
        .filter(document -> document.blocks().stream().anyMatch(DocsTest::isConsole))
        .map(document -> DynamicTest.dynamicTest(document.name(), () -> runAll(document)));
  }

  private static boolean isConsole(Block block) {
    return block.language().equals("console");
  }

  private static void runAll(Document document) throws Exception {
    Path place = Files.createDirectories(directory.resolve(document.name().replace('/', '-')));
    ConsoleSession session = new ConsoleSession(place);
    for (Block block : document.blocks()) {
      if (block.language().equals("properties")) {
        Files.writeString(place.resolve("roce4j.properties"), block.text());
      }
      if (isConsole(block) && isPossible(session, block)) {
        for (Step step : ConsoleSession.steps(block.text())) {
          String printed = session.run(step.command());
          assertTrue(
              step.pattern().matcher(printed).matches(),
              () ->
                  "%s:%d: $ %s\nprints\n%s\nnot\n%s"
                      .formatted(
                          document.name(),
                          block.line(),
                          step.command(),
                          printed,
                          String.join("\n", step.expected())));
        }
      }
    }
  }

  /** {@code needs=unshare}: a command that not every machine allows. */
  private static boolean isPossible(ConsoleSession session, Block block) throws Exception {
    return !"unshare".equals(block.value("needs"))
        || session.run("unshare -Urn ip link set lo up && echo yes").equals("yes\n");
  }

  @Test
  void thereAreCommandsToRun() {
    assertFalse(
        Document.all().stream().flatMap(d -> d.blocks().stream()).noneMatch(DocsTest::isConsole));
  }

  /** A command in a block without output, with the document's name. */
  private record Typed(Document document, int line, String command) {
    static List<Typed> all() {
      List<Typed> all = new ArrayList<>();
      for (Document document : Document.all()) {
        for (Block block : document.blocks()) {
          if (Set.of("", "sh").contains(block.language())) {
            block
                .text()
                .replace("\\\n", "")
                .lines()
                .filter(line -> UnexecutedCommands.COMMAND.matcher(line).matches())
                .map(line -> new Typed(document, block.line(), line.replaceFirst("^\\$ ", "")))
                .forEach(all::add);
          }
        }
      }
      return all;
    }
  }

  /** Commands without output exit with status 0, in the order of the documents, each run once. */
  @TestFactory
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "the commands are a Unix shell's")
  Stream<DynamicTest> otherCommandsEndWell() {
    Set<String> seen = new HashSet<>();
    return Typed.all().stream()
        .filter(typed -> UnexecutedCommands.excuse(typed.command()) == null)
        .filter(
            typed -> UnexecutedCommands.ALL || UnexecutedCommands.slowness(typed.command()) == null)
        .filter(typed -> seen.add(typed.command()))
        .map(typed -> DynamicTest.dynamicTest(typed.command(), () -> endsWell(typed)));
  }

  private static void endsWell(Typed typed) throws Exception {
    Path place =
        Files.createDirectories(directory.resolve(typed.document().name().replace('/', '-')));
    ConsoleSession.Outcome outcome;
    if (typed.command().startsWith("./")) {
      outcome = new ConsoleSession(place).runIsolated(typed.command());
    } else {
      outcome = ConsoleSession.run(List.of("/bin/sh", "-c", typed.command()), Document.ROOT);
    }
    assertEquals(
        0,
        outcome.status(),
        () ->
            "%s:%d: $ %s\nprints\n%s"
                .formatted(
                    typed.document().name(), typed.line(), typed.command(), outcome.output()));
  }

  /** Every excuse belongs to an existing command. */
  @Test
  void excusesAreOfCommandsThatThereAre() {
    Set<String> used = new TreeSet<>();
    Set<String> slow = new TreeSet<>();
    for (Typed typed : Typed.all()) {
      String excuse = UnexecutedCommands.excuse(typed.command());
      String slowness = UnexecutedCommands.slowness(typed.command());
      if (excuse != null) {
        used.add(excuse);
      } else if (slowness != null) {
        slow.add(slowness);
      }
    }
    assertEquals(new TreeSet<>(UnexecutedCommands.reasons().keySet()), used, "excuses");
    assertEquals(new TreeSet<>(UnexecutedCommands.slow()), slow, "slow commands");
  }

  /** A step that an excuse names exists. */
  @Test
  void stepsThatExcusesNameAreThere() throws IOException {
    for (String reason : UnexecutedCommands.reasons().values()) {
      Matcher step = STEP.matcher(reason);
      if (step.find()) {
        String script = Files.readString(Document.ROOT.resolve(step.group(2)));
        assertTrue(script.contains("step_" + step.group(1) + "()"), reason);
      }
    }
  }

  @TestFactory
  Stream<DynamicTest> copiesAreWhatTheFilesHold() {
    return Document.all().stream()
        .flatMap(
            document ->
                document.blocks().stream()
                    .filter(block -> block.value("from") != null)
                    .map(
                        block ->
                            DynamicTest.dynamicTest(
                                document.name() + ":" + block.line(),
                                () ->
                                    assertEquals(
                                        Files.readString(
                                            Document.ROOT.resolve(block.value("from"))),
                                        block.text()))));
  }

  /** As README.md promises; lessons have a list of their own, the specification is linked whole. */
  @Test
  void theListOfDocumentsHasThemAll() throws IOException {
    Path docs = Document.ROOT.resolve("docs");
    String list = Files.readString(docs.resolve("README.md"));
    for (String directory : List.of("", "design/")) {
      try (Stream<Path> files = Files.list(docs.resolve(directory))) {
        files
            .map(file -> directory + file.getFileName())
            .filter(name -> name.endsWith(".md") && !name.equals("README.md"))
            .forEach(name -> assertTrue(list.contains("](" + name + ")"), name));
      }
    }
  }

  @TestFactory
  Stream<DynamicTest> linksLeadSomewhere() {
    return Document.all().stream()
        .map(
            document ->
                DynamicTest.dynamicTest(
                    document.name(),
                    () -> {
                      Matcher links = LINK.matcher(Files.readString(document.file()));
                      assertAll(
                          links
                              .results()
                              .map(link -> document.file().resolveSibling(link.group(1)))
                              .map(
                                  target ->
                                      (Executable)
                                          () ->
                                              assertTrue(Files.exists(target), target::toString)));
                    }));
  }

  @Test
  void messagesInTheTroubleshootingTableAreInTheCode() throws IOException {
    List<String> rows = Files.readAllLines(Document.ROOT.resolve("docs/troubleshooting.md"));
    assumeTrue(Files.isDirectory(Document.ROOT.resolve("verbs-api")));
    String sources = sources();
    int start = rows.indexOf("| message | what it means | what to do |");
    assertTrue(start > 0, "the table of messages is gone");
    for (String row : rows.subList(start + 2, rows.size())) {
      Matcher message = MESSAGE.matcher(row);
      if (!message.matches()) {
        return;
      }
      assertTrue(sources.contains(message.group(1)), () -> "no code says: " + message.group(1));
    }
  }

  private static String sources() throws IOException {
    StringBuilder all = new StringBuilder();
    try (Stream<Path> files = Files.walk(Document.ROOT)) {
      files
          .filter(file -> file.toString().contains("src/main") && file.toString().endsWith(".java"))
          .forEach(
              file -> {
                try {
                  all.append(Files.readString(file));
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
    }
    return all.toString();
  }
}
