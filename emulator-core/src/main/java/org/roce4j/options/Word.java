package org.roce4j.options;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.roce4j.verbs.VerbsException;

/**
 * A word of a line of options: {@code KEY} or {@code KEY=VALUE}.
 *
 * @param value value; null: none
 * @param place its place in a file, such as {@code plan.yaml:4:7}; empty: not from a file
 */
public record Word(String key, String value, String place) {
  /** A word that is not from a file. */
  public Word(String key, String value) {
    this(key, value, "");
  }

  /** The words of a line, between white space. */
  public static List<Word> line(String text) {
    return Stream.of(text.strip().split("\\s+"))
        .filter(word -> !word.isEmpty())
        .map(Word::of)
        .toList();
  }

  private static Word of(String text) {
    int equals = text.indexOf('=');
    return equals < 0
        ? new Word(text, null)
        : new Word(text.substring(0, equals), text.substring(equals + 1));
  }

  /**
   * The value as read by a reader such as {@link Quantity#probability}.
   *
   * @throws VerbsException EINVAL with the reader's remedy, naming this word
   */
  public <T> T read(Function<String, T> reader) {
    try {
      return reader.apply(value == null ? "" : value);
    } catch (VerbsException e) {
      throw Quantity.refuse("%s: %s", this, e.remedy());
    }
  }

  /** The exception of a reader, with this word and its place in the file. */
  public VerbsException refused(VerbsException e) {
    return place.isEmpty() ? e : Quantity.refuse("%s: %s", place, e.remedy());
  }

  /**
   * Reads {@code on} and {@code off}.
   *
   * @throws VerbsException EINVAL for any other text
   */
  public static boolean isOn(String text) {
    return switch (text) {
      case "on" -> true;
      case "off" -> false;
      default -> throw Quantity.refuse("give on or off");
    };
  }

  @Override
  public String toString() {
    return value == null ? key : key + "=" + value;
  }
}
