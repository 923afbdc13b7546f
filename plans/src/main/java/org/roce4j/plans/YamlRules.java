package org.roce4j.plans;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.roce4j.options.RuleFile;
import org.roce4j.options.Word;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;

/**
 * Reads the rules of a plan from YAML, and so from JSON: {@code rules}, a list whose items are
 * lines such as {@code drop nth=3} or keys with values; beside it {@code seed} and {@code
 * description}. What the words mean is the reader's business; each knows its line and column.
 */
public final class YamlRules implements RuleFile {
  private static final String KEYS = "seed rules description $schema";

  @Override
  public List<List<Word>> read(Path file) {
    try (InputStream in = Files.newInputStream(file);
        YAMLParser parser = new YAMLFactory().createParser(in)) {
      return new Reading(file.toString(), parser).plan();
    } catch (NoSuchFileException e) {
      throw new VerbsException(Errno.ENOENT, "there is no file " + file);
    } catch (JsonProcessingException e) {
      String why = e.getOriginalMessage().lines().findFirst().orElse("it is no YAML");
      throw refuse(place(file.toString(), e.getLocation()), why);
    } catch (IOException e) {
      throw new VerbsException(Errno.ENOENT, "cannot read " + file + ": " + e.getMessage());
    }
  }

  private static VerbsException refuse(String place, String why, Object... words) {
    return new VerbsException(Errno.EINVAL, place + ": " + why.formatted(words));
  }

  private static String place(String file, JsonLocation at) {
    return at == null ? file : "%s:%d:%d".formatted(file, at.getLineNr(), at.getColumnNr());
  }

  /** A file under way. */
  private record Reading(String file, YAMLParser parser) {
    List<List<Word>> plan() throws IOException {
      List<List<Word>> parts = new ArrayList<>();
      if (parser.nextToken() == null) {
        return parts;
      }
      require(JsonToken.START_OBJECT, "a plan has the keys " + KEYS);
      Set<String> known = new HashSet<>();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String key = key(known);
        parser.nextToken();
        switch (key) {
          case "seed" -> parts.add(List.of(new Word(key, scalar(key), place())));
          case "rules" -> rules(parts);
          case "description", "$schema" -> scalar(key);
          default -> throw refuse(place(), "'%s' is no key of a plan; there are: %s", key, KEYS);
        }
      }
      if (parser.nextToken() != null) {
        throw refuse(place(), "a file holds one plan");
      }
      return parts;
    }

    private void rules(List<List<Word>> parts) throws IOException {
      require(JsonToken.START_ARRAY, "rules are a list: begin each with a hyphen");
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        if (parser.currentToken() == JsonToken.START_OBJECT) {
          parts.add(rule());
        } else {
          String place = place();
          for (String line : scalar("rule").split("[;\n]")) {
            List<Word> words =
                Word.line(line).stream()
                    .map(word -> new Word(word.key(), word.value(), place))
                    .toList();
            if (!words.isEmpty()) {
              parts.add(words);
            }
          }
        }
      }
    }

    private List<Word> rule() throws IOException {
      String begin = place();
      List<Word> words = new ArrayList<>();
      Set<String> known = new HashSet<>();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String place = place();
        String key = key(known);
        JsonToken token = parser.nextToken();
        boolean none = token == JsonToken.VALUE_NULL || parser.getText().isEmpty();
        words.add(new Word(key, none ? null : scalar(key), place));
      }
      if (words.isEmpty()) {
        throw refuse(begin, "a rule begins with its fault, such as drop");
      }
      return words;
    }

    private String key(Set<String> known) throws IOException {
      String key = parser.currentName();
      if (!known.add(key)) {
        throw refuse(place(), "'%s' stands here twice", key);
      }
      return key;
    }

    private String scalar(String key) throws IOException {
      if (!parser.currentToken().isScalarValue() || parser.isCurrentAlias()) {
        throw refuse(place(), "'%s' has one value, a number or words", key);
      }
      return parser.getText();
    }

    private void require(JsonToken token, String why) throws IOException {
      if (parser.currentToken() != token) {
        throw refuse(place(), why);
      }
    }

    private String place() {
      return YamlRules.place(file, parser.currentTokenLocation());
    }
  }
}
