package org.roce4j.backend;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Where Linux's soft-RoCE does otherwise than the specification, from {@code soft-roce.txt}: a line
 * with the reason, then the rows it concerns, indented.
 */
final class SoftRoceDeviations {
  private static final String RESOURCE = "soft-roce.txt";

  private SoftRoceDeviations() {}

  static List<Deviation> all() {
    try (InputStream resource = SoftRoceDeviations.class.getResourceAsStream(RESOURCE)) {
      return parse(new String(resource.readAllBytes(), StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException(RESOURCE + " cannot be read", e);
    }
  }

  static List<Deviation> parse(String text) {
    List<Deviation> deviations = new ArrayList<>();
    String reason = null;
    for (String line : text.lines().toList()) {
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      if (!line.startsWith(" ")) {
        reason = line.strip();
      } else if (reason == null) {
        throw new IllegalArgumentException("rows before a reason: " + line.strip());
      } else {
        deviations.add(new Deviation(line.strip(), reason));
      }
    }
    return List.copyOf(deviations);
  }
}
