package org.roce4j.tools.console;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

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
}
