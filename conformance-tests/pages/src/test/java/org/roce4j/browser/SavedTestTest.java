package org.roce4j.browser;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The test that a lab saves passes as it is. */
class SavedTestTest {
  @TempDir private Path directory;

  /**
   * A session without actions; more text than a constant can hold; characters that source code must
   * escape; a locale with decimal commas, and one with other digits.
   */
  @ParameterizedTest
  @CsvSource({
    "nothing,      0, en",
    "long,        40, de",
    "one\\ntwo \\\\, 1, de",
    "lossy,        2, ar-u-nu-arab"
  })
  void itPasses(String title, int messages, String language) throws Exception {
    StringBuilder scenario = new StringBuilder("title: \"" + title + "\"\n");
    scenario.append(messages > 0 ? "actions:\n- connect a b\n" : "actions: []\n");
    for (int i = 0; i < messages; i++) {
      scenario.append("- receive b1 bytes=4096\n- 'send a1 bytes=4096 text=\\\"'\n- run\n");
    }
    Path file = Files.writeString(directory.resolve("it.yaml"), scenario);
    Locale usual = Locale.getDefault();
    try (ServedLab lab = ServedLab.open(file.toString())) {
      Locale.setDefault(Locale.forLanguageTag(language));
      SavedLab.passes(lab.get("test.java"), directory);
    } finally {
      Locale.setDefault(usual);
    }
  }
}
