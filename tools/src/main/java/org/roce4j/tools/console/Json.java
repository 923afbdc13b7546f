package org.roce4j.tools.console;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.roce4j.verbs.text.Wording;

/**
 * Maps, lists, strings, numbers, booleans and null as JSON (RFC 8259) on one line. Keys keep the
 * order of the map. A {@link Double} has three decimals; NaN and the infinities become null.
 */
public final class Json {
  private static final JsonFactory FACTORY = new JsonFactory();

  private Json() {}

  /** The JSON text of a value. */
  public static String text(Object value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator out = FACTORY.createGenerator(text)) {
      write(out, value);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }

  private static void write(JsonGenerator out, Object value) throws IOException {
    switch (value) {
      case Map<?, ?> map -> {
        out.writeStartObject();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          out.writeFieldName(entry.getKey().toString());
          write(out, entry.getValue());
        }
        out.writeEndObject();
      }
      case List<?> list -> {
        out.writeStartArray();
        for (Object element : list) {
          write(out, element);
        }
        out.writeEndArray();
      }
      case Double number when number.isNaN() || number.isInfinite() -> out.writeNull();
      case Double number -> out.writeNumber(Wording.of("%.3f", number));
      case BigDecimal number -> out.writeNumber(number.toPlainString());
      case Number number -> out.writeNumber(number.toString());
      case null -> out.writeNull();
      case Boolean flag -> out.writeBoolean(flag);
      default -> out.writeString(value.toString());
    }
  }

  /**
   * Reads a text that holds one JSON value. Whole numbers become {@link Integer} or a larger type,
   * other numbers {@link Double}.
   *
   * @throws IllegalArgumentException if the text is not JSON
   */
  public static Object read(String text) {
    try (JsonParser in = FACTORY.createParser(text)) {
      in.nextToken();
      Object value = value(in);
      if (in.nextToken() != null) {
        throw new IllegalArgumentException("more than one JSON value");
      }
      return value;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException(e.getMessage(), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Object value(JsonParser in) throws IOException {
    return switch (in.currentToken()) {
      case START_OBJECT -> {
        Map<String, Object> map = new LinkedHashMap<>();
        while (in.nextToken() != JsonToken.END_OBJECT) {
          String name = in.currentName();
          in.nextToken();
          map.put(name, value(in));
        }
        yield map;
      }
      case START_ARRAY -> {
        List<Object> list = new ArrayList<>();
        while (in.nextToken() != JsonToken.END_ARRAY) {
          list.add(value(in));
        }
        yield list;
      }
      case VALUE_STRING -> in.getText();
      case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> in.getNumberValue();
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_NULL -> null;
      case null, default -> throw new IllegalArgumentException("no JSON value");
    };
  }
}
