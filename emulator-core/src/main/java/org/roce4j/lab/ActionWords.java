package org.roce4j.lab;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.roce4j.options.Quantity;
import org.roce4j.options.Word;

/** The words of an action's line: objects by position, then {@code key=value}. */
final class ActionWords {
  private static final Pattern WORD = Pattern.compile("([^\\s=']+)(?:=(?:'([^']*)'|(\\S*)))?");

  private final String line;
  private final Deque<Word> plain = new ArrayDeque<>();
  private final Map<String, Word> named = new LinkedHashMap<>();

  ActionWords(String line) {
    this.line = line;
    Matcher words = WORD.matcher(line);
    int end = 0;
    while (words.find()) {
      requireBlank(line.substring(end, words.start()));
      end = words.end();
      String value = words.group(2) != null ? words.group(2) : words.group(3);
      Word word = new Word(words.group(1), value);
      if (value == null) {
        plain.add(word);
      } else if (named.put(word.key(), word) != null) {
        throw Quantity.refuse("%s: '%s' is there twice", line, word.key());
      }
    }
    requireBlank(line.substring(end));
  }

  private void requireBlank(String between) {
    if (!between.isBlank()) {
      throw Quantity.refuse("%s: \"%s\" is not understood there", line, between.strip());
    }
  }

  /** The next word without a value. */
  String next(String meaning) {
    if (plain.isEmpty()) {
      throw Quantity.refuse("%s: name %s", line, meaning);
    }
    return plain.poll().key();
  }

  boolean has(String key) {
    return named.containsKey(key);
  }

  String text(String key, String otherwise) {
    Word word = named.remove(key);
    return word == null ? otherwise : word.value();
  }

  int number(String key, int otherwise, int most) {
    Word word = named.remove(key);
    return word == null ? otherwise : word.read(text -> (int) Quantity.COUNT.read(text, 0, most));
  }

  /** A 64-bit number, with a sign or without. */
  long wide(String key) {
    Word word = named.remove(key);
    return word == null ? 0 : word.read(ActionWords::bits);
  }

  private static long bits(String text) {
    try {
      return text.startsWith("0x")
          ? Long.parseUnsignedLong(text, 2, text.length(), 16)
          : Long.parseUnsignedLong(text);
    } catch (NumberFormatException e) {
      return Quantity.COUNT.read(text);
    }
  }

  /** A 32-bit number, or null. */
  Integer optional(String key) {
    Word word = named.remove(key);
    return word == null
        ? null
        : (Integer) word.read(text -> (int) Quantity.COUNT.read(text, 0, 0xFFFF_FFFFL)).intValue();
  }

  /** A time in nanoseconds, or null. */
  Long time(String key) {
    Word word = named.remove(key);
    return word == null ? null : word.read(text -> Quantity.TIME.read(text, 0, Long.MAX_VALUE / 4));
  }

  /** A constant of an enumeration, in lower or upper case; null if absent. */
  <E extends Enum<E>> E constant(String key, Class<E> type) {
    Word word = named.remove(key);
    if (word == null) {
      return null;
    }
    for (E constant : type.getEnumConstants()) {
      if (constant.name().equalsIgnoreCase(word.value())) {
        return constant;
      }
    }
    throw Quantity.refuse("%s: '%s' is none of %s", line, word, List.of(type.getEnumConstants()));
  }

  /** All settings of a queue pair in the line. */
  Map<QpSetting, Integer> settings() {
    Map<QpSetting, Integer> settings = new EnumMap<>(QpSetting.class);
    for (QpSetting setting : QpSetting.values()) {
      if (has(setting.key())) {
        settings.put(setting, number(setting.key(), 0, setting.most()));
      }
    }
    return settings;
  }

  /** The remaining words, unchanged. */
  String rest() {
    StringBuilder rest = new StringBuilder();
    plain.forEach(word -> rest.append(word).append(' '));
    named.values().forEach(word -> rest.append(word).append(' '));
    plain.clear();
    named.clear();
    return rest.toString().strip();
  }

  /** Refuses words that were not read. */
  void done() {
    String rest = rest();
    if (!rest.isEmpty()) {
      throw Quantity.refuse("%s: '%s' is not understood there", line, rest);
    }
  }
}
