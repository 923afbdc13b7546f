package org.roce4j.documents;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A class or member that a document names exists in the package that the document says. */
class NamesInDocumentsTest {
  /** {@code Engine}, {@code engine.Engine}, {@code Engine.pollTransmit}, {@code ready(int)}. */
  private static final Pattern NAME =
      Pattern.compile(
          "`((?:[a-z]\\w*\\.)*)([A-Z]\\w*[a-z]\\w*)(?:\\.([a-z]\\w*))?(?:\\([^`]*\\))?`");

  private static final Pattern TYPE =
      Pattern.compile("\\b(?:class|interface|enum|record) ([A-Z]\\w*)");
  private static final Pattern IMPORT =
      Pattern.compile("(?m)^import (?:static )?[\\w.]+?\\.([A-Z]\\w*)");
  private static final Pattern BLOCK = Pattern.compile("(?s)```.*?```");

  /**
   * Names that are no Java classes: an option of the page, a counter of Linux, words of examples.
   */
  private static final Set<String> OTHERS =
      Set.of("Class", "Filter", "RcvbufErrors", "IntegerUnixChannelOption");

  /** Prefix of the names of flight recorder events, which differ from their classes' names. */
  private static final String EVENTS = "org.roce4j.";

  private static final Map<String, List<Path>> FILES = new HashMap<>();

  @BeforeAll
  static void readTheSources() throws IOException {
    for (Path file : below(Document.ROOT, ".java")) {
      String source = Files.readString(file);
      add(file.getFileName().toString().replace(".java", ""), file);
      TYPE.matcher(source).results().forEach(found -> add(found.group(1), file));
      IMPORT.matcher(source).results().forEach(found -> FILES.putIfAbsent(found.group(1), null));
    }
    assertTrue(FILES.size() > 1000, "types: " + FILES.size());
  }

  private static void add(String type, Path file) {
    FILES.compute(type, (_, known) -> known == null ? new ArrayList<>() : known).add(file);
  }

  private static List<Path> below(Path directory, String ending) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files
          .filter(file -> file.toString().endsWith(ending))
          .filter(file -> !file.toString().contains("/target/"))
          .toList();
    }
  }

  @Test
  void everyNameIsThatOfSomething() throws IOException {
    List<Path> documents = new ArrayList<>(below(Document.ROOT.resolve("docs"), ".md"));
    documents.add(Document.ROOT.resolve("README.md"));
    documents.add(Document.ROOT.resolve("CONTRIBUTING.md"));
    List<String> unknown = new ArrayList<>();
    int names = 0;
    for (Path document : documents) {
      Matcher name = NAME.matcher(BLOCK.matcher(Files.readString(document)).replaceAll(""));
      while (name.find()) {
        names++;
        if (!isKnown(name)) {
          unknown.add(Document.ROOT.relativize(document) + ": " + name.group());
        }
      }
    }
    assertTrue(names > 500, "names: " + names);
    assertEquals(List.of(), unknown);
  }

  private static boolean isKnown(Matcher name) throws IOException {
    String type = name.group(2);
    if (OTHERS.contains(type) || isOfJava(type) || name.group(1).equals(EVENTS)) {
      return true;
    }
    List<Path> files = FILES.get(type);
    if (files == null) {
      return FILES.containsKey(type);
    }
    String place = name.group(1).replace('.', '/') + type + ".java";
    Pattern member = name.group(3) == null ? null : Pattern.compile("\\b" + name.group(3) + "\\b");
    for (Path file : files) {
      boolean placed = name.group(1).isEmpty() || file.toString().endsWith("/" + place);
      if (placed && (member == null || member.matcher(Files.readString(file)).find())) {
        return true;
      }
    }
    return false;
  }

  private static boolean isOfJava(String type) {
    try {
      Class.forName("java.lang." + type);
      return true;
    } catch (ClassNotFoundException e) {
      return false;
    }
  }
}
