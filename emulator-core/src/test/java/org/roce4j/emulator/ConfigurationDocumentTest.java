package org.roce4j.emulator;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The documentation of the settings equals the code's. */
class ConfigurationDocumentTest {
  private static final Path DOCUMENT = Path.of("..", "docs", "configuration.md");

  @Test
  void theTableListsEverySettingAsTheCodeKnowsIt() throws IOException {
    StringBuilder table = new StringBuilder();
    table.append("| setting | values | default | meaning |\n|---|---|---|---|\n");
    for (Setting setting : Setting.ALL) {
      table.append(
          "| `%s`%s | %s | %s | %s |\n"
              .formatted(
                  setting.key(),
                  setting.ownOnly() ? " (of a device)" : "",
                  setting.values(),
                  setting.fallback(),
                  setting.meaning()));
    }
    String text = Files.readString(DOCUMENT);
    assertTrue(
        text.contains(table), () -> DOCUMENT + " must contain this table:\n\n" + table + "\n");
  }
}
