package org.roce4j.tools.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonReaderTest {
  @Test
  void readsWhatJsonWrites() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("z", Arrays.asList(1L, -7L, 1.5, true, false, null));
    map.put("a", Map.of("text", "\"\\\n\r\t\u0001ä", "empty", List.of()));
    map.put("n", Map.of());

    assertEquals(map, JsonReader.read(" " + Json.text(map) + "\n"));
  }

  @Test
  void readsEscapesThatOthersWrite() {
    assertEquals("/\b\fé", JsonReader.read("\"\\/\\b\\f\\u00E9\""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{",
        "[1",
        "[1,]",
        "{\"a\"}",
        "{\"a\":1,}",
        "\"open",
        "\"\\x\"",
        "\"\\u00g0\"",
        "nul",
        "1 2",
        "--1",
        "]"
      })
  void refusesWhatIsNoJsonAndSaysWhere(String text) {
    String message =
        assertThrows(IllegalArgumentException.class, () -> JsonReader.read(text)).getMessage();
    assertTrue(message.startsWith("no JSON at character "), message);
  }

  @Test
  void refusesWhatIsTooDeepInsteadOfOverflowing() {
    assertThrows(IllegalArgumentException.class, () -> JsonReader.read("[".repeat(100_000)));
  }
}
