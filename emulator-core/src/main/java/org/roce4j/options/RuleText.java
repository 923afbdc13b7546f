package org.roce4j.options;

import java.nio.file.Path;
import java.util.List;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Rules as words, from a line or from the file that the line names. */
public final class RuleText {
  private static final Pattern FILE = Pattern.compile("[^;\n]+\\.(yaml|yml|json)");

  private RuleText() {}

  /**
   * The rules of a text, each as a list of words. A semicolon or the end of the line ends a rule. A
   * text that ends in {@code .yaml}, {@code .yml} or {@code .json} is the name of a file with
   * rules.
   *
   * @throws org.roce4j.verbs.VerbsException EINVAL or ENOENT for a file that cannot be understood
   */
  public static List<List<Word>> read(String text) {
    String line = text.strip();
    return FILE.matcher(line).matches() ? file(line) : lines(text).map(Word::line).toList();
  }

  /** The words as text of a line. */
  public static String line(List<Word> words) {
    return words.stream().map(Word::toString).collect(Collectors.joining(" "));
  }

  private static Stream<String> lines(String text) {
    return Stream.of(text.split("[;\\n]")).map(String::strip).filter(part -> !part.isEmpty());
  }

  private static List<List<Word>> file(String name) {
    return ServiceLoader.load(RuleFile.class)
        .findFirst()
        .orElseThrow(
            () ->
                Quantity.refuse(
                    "%s: nothing here reads rules from files; add the artifact"
                        + " org.roce4j:roce4j-plans",
                    name))
        .read(Path.of(name));
  }
}
