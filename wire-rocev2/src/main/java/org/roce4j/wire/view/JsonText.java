package org.roce4j.wire.view;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Iterator;
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
    try {
      write(text, value);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  /** A list that is written with a line for each element; the elements may be made meanwhile. */
  record Lines(Iterator<?> elements) {}

  static void write(Appendable out, Object value) throws IOException {
    switch (value) {
      case null -> out.append("null");
      case Number number -> out.append(number.toString());
      case Boolean flag -> out.append(flag.toString());
      case Map<?, ?> map -> {
        String comma = "{";
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          string(out.append(comma), entry.getKey().toString());
          write(out.append(':'), entry.getValue());
          comma = ",";
        }
        out.append(map.isEmpty() ? "{}" : "}");
      }
      case List<?> list -> elements(out, list.iterator(), "");
      case Lines lines -> elements(out, lines.elements(), "\n");
      default -> string(out, value.toString());
    }
  }

  private static void elements(Appendable out, Iterator<?> elements, String line)
      throws IOException {
    String comma = "[";
    while (elements.hasNext()) {
      write(out.append(comma).append(line), elements.next());
      comma = ",";
    }
    out.append(comma.equals("[") ? "[]" : "]");
  }

  private static void string(Appendable text, String plain) throws IOException {
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
