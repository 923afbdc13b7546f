package org.roce4j.plans;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.roce4j.verbs.Errno;
import org.roce4j.verbs.VerbsException;
import org.roce4j.verbs.text.Wording;

/**
 * A YAML file, and so a JSON file, read value by value. What the reader does not expect is refused
 * with EINVAL, file, line and column.
 */
public final class YamlReader {
  private static final Pattern MARK =
      Pattern.compile("^ in '.*', line (\\d+), column (\\d+):$", Pattern.MULTILINE);

  private final String file;
  private final YAMLParser parser;

  private YamlReader(String file, YAMLParser parser) {
    this.file = file;
    this.parser = parser;
  }

  /** Makes an object from a file. */
  @FunctionalInterface
  public interface Content<T> {
    /** Called with the reader at the file's only value. */
    T read(YamlReader yaml) throws IOException;
  }

  /** Reads an item of a list. */
  @FunctionalInterface
  public interface Item {
    /** Called with the reader at the item. */
    void read() throws IOException;
  }

  /** Reads the value of a key. */
  @FunctionalInterface
  public interface Entry {
    /**
     * Called with the reader at the value.
     *
     * @param place of the key
     */
    void read(String key, String place) throws IOException;
  }

  /**
   * Reads a file.
   *
   * @throws VerbsException ENOENT for a file that cannot be read, EINVAL for a file that is not
   *     text
   */
  public static <T> T read(Path file, Content<T> content) {
    try {
      return read(file.toString(), Files.readString(file), content);
    } catch (NoSuchFileException e) {
      throw new VerbsException(Errno.ENOENT, "there is no file " + file);
    } catch (CharacterCodingException e) {
      throw new VerbsException(Errno.EINVAL, file + " is not UTF-8 text");
    } catch (IOException e) {
      throw new VerbsException(Errno.ENOENT, "cannot read " + file + ": " + e.getMessage());
    }
  }

  /**
   * Reads a text.
   *
   * @param file the name that refusals give it
   */
  public static <T> T read(String file, String text, Content<T> content) throws IOException {
    try (YAMLParser parser = new YAMLFactory().createParser(text)) {
      parser.nextToken();
      T made = content.read(new YamlReader(file, parser));
      if (parser.nextToken() != null) {
        throw refused(place(file, parser.currentTokenLocation()), "a file holds one value");
      }
      return made;
    } catch (JsonProcessingException e) {
      throw refused(place(file, e), why(e));
    }
  }

  /** Where the parser stopped: from its message, because its location is that of the last token. */
  private static String place(String file, JsonProcessingException e) {
    return MARK.matcher(e.getOriginalMessage())
        .results()
        .reduce((first, last) -> last)
        .map(mark -> file + ":" + mark.group(1) + ":" + mark.group(2))
        .orElseGet(() -> place(file, e.getLocation()));
  }

  /** The first lines of the message, without the excerpt of the file, which is indented. */
  private static String why(JsonProcessingException e) {
    return e.getOriginalMessage()
        .lines()
        .filter(line -> !line.startsWith(" "))
        .limit(2)
        .collect(Collectors.joining(", "));
  }

  private static String place(String file, JsonLocation at) {
    return at == null ? file : Wording.of("%s:%d:%d", file, at.getLineNr(), at.getColumnNr());
  }

  /** The refusal of a value, by its place. */
  public static VerbsException refused(String place, String why) {
    return new VerbsException(Errno.EINVAL, place + ": " + why);
  }

  /** The refusal of the value that the reader is at. */
  public VerbsException refused(String why) {
    return refused(place(), why);
  }

  /** The reader's place: {@code plan.yaml:3:5}. */
  public String place() {
    return place(file, parser.currentTokenLocation());
  }

  /** Whether the file has no value. */
  public boolean isEmpty() {
    return parser.currentToken() == null;
  }

  /** Whether the value has keys. */
  public boolean isObject() {
    return parser.currentToken() == JsonToken.START_OBJECT;
  }

  /** Whether the value is {@code null} or no text at all. */
  public boolean isNothing() throws IOException {
    return parser.currentToken() == JsonToken.VALUE_NULL || parser.getText().isEmpty();
  }

  /**
   * Reads the keys of a value, each once.
   *
   * @param why a value without keys is refused
   */
  public void object(String why, Entry each) throws IOException {
    require(JsonToken.START_OBJECT, why);
    Set<String> known = new HashSet<>();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String key = parser.currentName();
      String place = place();
      if (!known.add(key)) {
        throw refused(Wording.of("'%s' stands here twice", key));
      }
      parser.nextToken();
      each.read(key, place);
    }
  }

  /**
   * Reads the items of a list.
   *
   * @param why what is no list is refused
   */
  public void list(String why, Item each) throws IOException {
    require(JsonToken.START_ARRAY, why);
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      each.read();
    }
  }

  /**
   * A number or words.
   *
   * @param why a list or keys are refused
   */
  public String scalar(String why) throws IOException {
    if (parser.isCurrentAlias()) {
      throw refused(Wording.of("an alias is not read: write out what *%s means", parser.getText()));
    }
    if (!parser.currentToken().isScalarValue()) {
      throw refused(why);
    }
    return parser.getText();
  }

  private void require(JsonToken token, String why) {
    if (parser.currentToken() != token) {
      throw refused(why);
    }
  }
}
