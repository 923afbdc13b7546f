package org.roce4j.tools.console;

import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Writes maps, lists, strings, numbers, booleans and null as JSON (RFC 8259), on one line. Keys
 * keep the order of the map; numbers that JSON cannot say become null.
 */
public final class Json {
  private Json() {}

  /** The JSON text of a value. */
  public static String text(Object value) {
    StringBuilder out = new StringBuilder();
    write(out, value);
    return out.toString();
  }

  private static void write(StringBuilder out, Object value) {
    switch (value) {
      case null -> out.append("null");
      case Map<?, ?> map -> writeMap(out, map);
      case List<?> list -> writeList(out, list);
      case Double number -> writeNumber(out, number);
      case Number number -> out.append(number);
      case Boolean flag -> out.append(flag);
      default -> writeString(out, value.toString());
    }
  }

  private static void writeMap(StringBuilder out, Map<?, ?> map) {
    out.append('{');
    Iterator<? extends Map.Entry<?, ?>> entries = map.entrySet().iterator();
    while (entries.hasNext()) {
      Map.Entry<?, ?> entry = entries.next();
      writeString(out, entry.getKey().toString());
      out.append(':');
      write(out, entry.getValue());
      if (entries.hasNext()) {
        out.append(',');
      }
    }
    out.append('}');
  }

  private static void writeList(StringBuilder out, List<?> list) {
    out.append('[');
    for (int i = 0; i < list.size(); i++) {
      if (i > 0) {
        out.append(',');
      }
      write(out, list.get(i));
    }
    out.append(']');
  }

  private static void writeNumber(StringBuilder out, double number) {
    out.append(Double.isFinite(number) ? String.format(Locale.ROOT, "%.3f", number) : "null");
  }

  private static void writeString(StringBuilder out, String text) {
    out.append('"');
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      switch (c) {
        case '"' -> out.append("\\\"");
        case '\\' -> out.append("\\\\");
        case '\n' -> out.append("\\n");
        case '\r' -> out.append("\\r");
        case '\t' -> out.append("\\t");
        default -> {
          if (c < 0x20) {
            out.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
          } else {
            out.append(c);
          }
        }
      }
    }
    out.append('"');
  }
}
