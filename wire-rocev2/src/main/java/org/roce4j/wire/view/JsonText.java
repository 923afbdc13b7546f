package org.roce4j.wire.view;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Maps, lists, texts, numbers and booleans as JSON (RFC 8259). This class keeps the artifact free
 * of dependencies. It escapes {@code <}, so the text can be embedded in an HTML page.
 */
final class JsonText {
  private JsonText() {}

  static String of(Object value) {
    StringBuilder text = new StringBuilder();
    append(text, value);
    return text.toString();
  }

  static void append(StringBuilder text, Object value) {
    switch (value) {
      case null -> text.append("null");
      case Number number -> text.append(number);
      case Boolean flag -> text.append(flag);
      case Map<?, ?> map -> {
        String comma = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          string(text.append(comma), entry.getKey().toString());
          append(text.append(':'), entry.getValue());
          comma = ",";
        }
        text.append(map.isEmpty() ? "{}" : "}");
      }
      case List<?> list -> {
        String comma = "[";
        for (Object element : list) {
          append(text.append(comma), element);
          comma = ",";
        }
        text.append(list.isEmpty() ? "[]" : "]");
      }
      default -> string(text, value.toString());
    }
  }

  private static void string(StringBuilder text, String plain) {
    text.append('"');
    for (int i = 0; i < plain.length(); i++) {
      char c = plain.charAt(i);
      if (c == '"' || c == '\\') {
        text.append('\\').append(c);
      } else if (c < ' ' || c == '<' || c == '\u2028' || c == '\u2029') {
        text.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
      } else {
        text.append(c);
      }
    }
    text.append('"');
  }
}
