package org.roce4j.plans;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.roce4j.options.RuleFile;
import org.roce4j.options.Word;
import org.roce4j.verbs.text.Wording;

/**
 * Reads the rules of a plan from YAML, and so from JSON: {@code rules}, a list whose items are
 * lines such as {@code drop nth=3} or keys with values; beside it {@code links} with the options of
 * every way, {@code seed} and {@code description}. The caller interprets the words; each knows its
 * line and column.
 */
public final class YamlRules implements RuleFile {
  private static final String KEYS = "seed links rules description $schema";

  @Override
  public List<List<Word>> read(Path file) {
    return YamlReader.read(file, yaml -> new ParsedPlan(yaml, new ArrayList<>()).read());
  }

  private record ParsedPlan(YamlReader yaml, List<List<Word>> parts) {
    List<List<Word>> read() throws IOException {
      if (!yaml.isEmpty()) {
        yaml.object("a plan has the keys " + KEYS, this::entry);
      }
      return parts;
    }

    private void entry(String key, String place) throws IOException {
      switch (key) {
        case "seed" -> parts.add(List.of(new Word(key, value(key), yaml.place())));
        case "links" -> links(place);
        case "rules" -> yaml.list("rules are a list: begin each with a hyphen", this::item);
        case "description", "$schema" -> value(key);
        default ->
            throw YamlReader.refused(
                place, Wording.of("'%s' is no key of a plan; there are: %s", key, KEYS));
      }
    }

    /** Reads the options of the links, after a word that says that they are those. */
    private void links(String place) throws IOException {
      List<Word> words = new ArrayList<>(List.of(new Word("links", null, place)));
      words.addAll(words("links have options, such as loss: 1%"));
      parts.add(words);
    }

    private List<Word> words(String otherwise) throws IOException {
      List<Word> words = new ArrayList<>();
      yaml.object(
          otherwise,
          (key, at) -> words.add(new Word(key, yaml.isNothing() ? null : value(key), at)));
      return words;
    }

    private void item() throws IOException {
      String place = yaml.place();
      int before = parts.size();
      if (yaml.isObject()) {
        add(words(""));
      } else {
        for (String line : value("rule").split("[;\n]")) {
          add(
              Word.line(line).stream()
                  .map(word -> new Word(word.key(), word.value(), place))
                  .toList());
        }
      }
      if (parts.size() == before) {
        throw YamlReader.refused(place, "a rule begins with its fault, such as drop");
      }
    }

    private void add(List<Word> rule) {
      if (!rule.isEmpty()) {
        parts.add(rule);
      }
    }

    private String value(String key) throws IOException {
      return yaml.scalar(Wording.of("'%s' has one value, a number or words", key));
    }
  }
}
