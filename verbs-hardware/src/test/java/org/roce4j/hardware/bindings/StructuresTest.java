package org.roce4j.hardware.bindings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The offsets equal those of the C compiler ({@code abi/control-layouts.c}). */
class StructuresTest {
  @Test
  void offsetsAndSizesAreThoseOfTheCompiler() throws IOException, IllegalAccessException {
    compare("/abi/control-layouts.txt", Structures.class);
  }

  @Test
  void offsetsAndSizesOfTheConnectionManagerAreThoseOfTheCompiler()
      throws IOException, IllegalAccessException {
    compare("/abi/cm-layouts.txt", CmLayouts.class);
  }

  @Test
  void offsetsAndSizesOfLaterVerbsAreThoseOfTheCompiler()
      throws IOException, IllegalAccessException {
    compare("/abi/extended-layouts.txt", ExtendedLayouts.class);
  }

  private static void compare(String resource, Class<?> structures)
      throws IOException, IllegalAccessException {
    Map<String, Integer> expected = new TreeMap<>();
    try (InputStream golden = StructuresTest.class.getResourceAsStream(resource)) {
      String text = new String(golden.readAllBytes(), StandardCharsets.UTF_8);
      for (String line : text.lines().toList()) {
        String[] columns = line.split(" ");
        expected.put(columns[0] + "." + columns[1], Integer.parseInt(columns[2]));
      }
    }
    Map<String, Integer> actual = new TreeMap<>();
    for (Class<?> structure : structures.getClasses()) {
      for (var field : structure.getFields()) {
        actual.put(structure.getSimpleName() + "." + field.getName(), field.getInt(null));
      }
    }
    assertEquals(expected, actual);
  }
}
