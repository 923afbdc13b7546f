package org.roce4j.tools.console;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Reads what {@link Json} writes: maps, lists, strings, numbers (as {@link Double}, or {@link Long}
 * where they are whole), booleans and null.
 */
public final class JsonReader {
  private static final int DEEPEST = 64;

  private final String text;
  private int at;
  private int depth;

  private JsonReader(String text) {
    this.text = text;
  }

  /**
   * The value that a text holds, and nothing behind it.
   *
   * @throws IllegalArgumentException if it is no JSON, with the place
   */
  public static Object read(String text) {
    JsonReader reader = new JsonReader(text);
    Object value = reader.value();
    reader.skipBlank();
    if (reader.at < text.length()) {
      throw reader.wrong("more follows");
    }
    return value;
  }

  private IllegalArgumentException wrong(String what) {
    return new IllegalArgumentException("no JSON at character " + at + ": " + what);
  }

  private void skipBlank() {
    while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
  }

  private char next() {
    if (at >= text.length()) {
      throw wrong("it ends");
    }
    return text.charAt(at++);
  }

  private boolean takes(char wanted) {
    skipBlank();
    if (at < text.length() && text.charAt(at) == wanted) {
      at++;
      return true;
    }
    return false;
  }

  private void demand(char wanted) {
    if (!takes(wanted)) {
      throw wrong("'" + wanted + "' is due");
    }
  }

  private Object value() {
    skipBlank();
    if (++depth > DEEPEST) {
      throw wrong("too deep");
    }
    Object value = plainOrNested();
    depth--;
    return value;
  }

  private Object plainOrNested() {
    if (takes('{')) {
      return map();
    }
    if (takes('[')) {
      return list();
    }
    if (takes('"')) {
      return string();
    }
    for (Object word : new Object[] {true, false, "null"}) {
      if (text.startsWith(word.toString(), at)) {
        at += word.toString().length();
        return word instanceof Boolean ? word : null;
      }
    }
    return number();
  }

  private Map<String, Object> map() {
    Map<String, Object> map = new LinkedHashMap<>();
    if (takes('}')) {
      return map;
    }
    do {
      demand('"');
      String key = string();
      demand(':');
      map.put(key, value());
    } while (takes(','));
    demand('}');
    return map;
  }

  private List<Object> list() {
    List<Object> list = new ArrayList<>();
    if (takes(']')) {
      return list;
    }
    do {
      list.add(value());
    } while (takes(','));
    demand(']');
    return list;
  }

  private String string() {
    StringBuilder string = new StringBuilder();
    for (char c = next(); c != '"'; c = next()) {
      string.append(c == '\\' ? escaped() : c);
    }
    return string.toString();
  }

  private char escaped() {
    char c = next();
    return switch (c) {
      case 'n' -> '\n';
      case 'r' -> '\r';
      case 't' -> '\t';
      case 'b' -> '\b';
      case 'f' -> '\f';
      case '"', '\\', '/' -> c;
      case 'u' -> unicode();
      default -> throw wrong("no escape");
    };
  }

  private char unicode() {
    int end = at + 4;
    if (end > text.length() || !text.substring(at, end).matches("[0-9a-fA-F]{4}")) {
      throw wrong("four hexadecimal digits are due");
    }
    char c = (char) Integer.parseInt(text.substring(at, end), 16);
    at = end;
    return c;
  }

  private Object number() {
    int from = at;
    while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
      at++;
    }
    String number = text.substring(from, at);
    try {
      if (number.matches("-?[0-9]{1,18}")) {
        return Long.valueOf(number);
      }
      return Double.valueOf(number);
    } catch (NumberFormatException e) {
      at = from;
      throw wrong("no value");
    }
  }
}
