package org.roce4j.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.code_intelligence.jazzer.junit.FuzzTest;
import java.nio.charset.StandardCharsets;
import org.roce4j.tools.console.Json;
import org.roce4j.tools.console.JsonReader;

/** The reader of saved reports. */
class JsonFuzzTest {
  @FuzzTest(maxDuration = "1m")
  void aTextIsReadAsItIsWrittenOrRefused(byte[] bytes) {
    if (bytes == null) {
      return;
    }
    Object value;
    try {
      value = JsonReader.read(new String(bytes, StandardCharsets.UTF_8));
    } catch (IllegalArgumentException refused) {
      return;
    }
    String text = Json.text(value);
    assertEquals(text, Json.text(JsonReader.read(text)));
  }
}
