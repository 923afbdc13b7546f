package org.roce4j.tools.console;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonTest {
  @Test
  void keepsTheOrderOfKeysAndNests() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("z", 1);
    map.put("a", List.of(true, "x", Map.of()));
    map.put("n", null);

    assertEquals("{\"z\":1,\"a\":[true,\"x\",{}],\"n\":null}", Json.text(map));
  }

  @Test
  void escapesWhatAStringMustNotHold() {
    assertEquals("\"\\\"\\\\\\n\\r\\t\\u0001ä\"", Json.text("\"\\\n\r\t\u0001ä"));
  }

  @Test
  void saysNullForANumberThatJsonCannotSay() {
    assertEquals(
        "[1.500,null,null]", Json.text(Arrays.asList(1.5, Double.NaN, Double.POSITIVE_INFINITY)));
  }

  @Test
  void readsWhatItWrites() {
    Map<String, Object> map = new LinkedHashMap<>();
    map.put("z", Arrays.asList(1, -7L << 40, 1.5, true, false, null));
    map.put("a", Map.of("text", "\"\\\n\r\t\u0001ä", "empty", List.of()));

    assertEquals(map, Json.read(" " + Json.text(map) + "\n"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "[1,]", "{\"a\":1,}", "\"open", "nul", "1 2", "]"})
  void refusesWhatIsNoJson(String text) {
    assertThrows(IllegalArgumentException.class, () -> Json.read(text));
  }

  @Test
  void refusesWhatIsTooDeepInsteadOfOverflowing() {
    assertThrows(IllegalArgumentException.class, () -> Json.read("[".repeat(100_000)));
  }
}
