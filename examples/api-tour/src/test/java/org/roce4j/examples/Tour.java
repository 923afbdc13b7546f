package org.roce4j.examples;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The document that walks through the examples, and their sources. */
final class Tour {
  private static final Path DOCUMENT = Path.of("../../docs/api-tour.md");
  private static final Path MESSAGES = Path.of("../../docs/messages.md");
  private static final Path CONNECTIONS = Path.of("../../docs/connection-manager.md");
  private static final Path SOURCES = Path.of("src/main/java/org/roce4j/examples");
  private static final Pattern BLOCK =
      Pattern.compile("```(\\w+)( \\w+)?\n(.*?)```", Pattern.DOTALL);

  private Tour() {}

  /** The blocks in this language. */
  static List<String> blocks(String language) {
    List<String> found = new ArrayList<>();
    Matcher blocks = BLOCK.matcher(text(DOCUMENT));
    while (blocks.find()) {
      if (blocks.group(1).equals(language)) {
        found.add(blocks.group(3));
      }
    }
    return found;
  }

  /** The output of a program according to the documents. */
  static String printed(String program) {
    Matcher blocks = BLOCK.matcher(text(DOCUMENT) + text(MESSAGES) + text(CONNECTIONS));
    while (blocks.find()) {
      if (blocks.group(1).equals("text") && (" " + program).equals(blocks.group(2))) {
        return blocks.group(3);
      }
    }
    throw new AssertionError("the documents do not say what " + program + " prints");
  }

  static String sources() {
    return text(SOURCES.resolve("ReliableConnectionExample.java"))
        + text(SOURCES.resolve("MulticastExample.java"));
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
