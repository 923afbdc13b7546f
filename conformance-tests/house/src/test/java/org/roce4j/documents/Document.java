package org.roce4j.documents;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A document and its fenced blocks. */
record Document(Path file, List<Block> blocks) {
  static final Path ROOT = Path.of("").toAbsolutePath().getParent().getParent();

  private static final String FENCE = "```";

  /**
   * A fenced block.
   *
   * @param line line of the opening fence, from 1
   * @param info text after the opening fence: a language, then {@code key=value}
   * @param text content of the block
   */
  record Block(int line, String info, String text) {
    String language() {
      return info.replaceFirst(" .*", "");
    }

    /** The value of {@code key=} in the info, or null. */
    String value(String key) {
      for (String word : info.split(" ")) {
        if (word.startsWith(key + "=")) {
          return word.substring(key.length() + 1);
        }
      }
      return null;
    }
  }

  /** Every document of the project. */
  static List<Document> all() {
    try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
      return Stream.concat(Stream.of(ROOT.resolve("README.md")), docs.sorted())
          .filter(file -> file.toString().endsWith(".md"))
          .map(Document::read)
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Document read(Path file) {
    List<Block> blocks = new ArrayList<>();
    try {
      List<String> lines = Files.readAllLines(file);
      int opened = -1;
      for (int i = 0; i < lines.size(); i++) {
        if (!lines.get(i).startsWith(FENCE)) {
          continue;
        }
        if (opened < 0) {
          opened = i;
        } else {
          String text =
              String.join("", lines.subList(opened + 1, i).stream().map(l -> l + "\n").toList());
          blocks.add(new Block(opened + 1, lines.get(opened).substring(FENCE.length()), text));
          opened = -1;
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new Document(file, blocks);
  }

  String name() {
    return ROOT.relativize(file).toString();
  }

  @Override
  public String toString() {
    return name();
  }
}
