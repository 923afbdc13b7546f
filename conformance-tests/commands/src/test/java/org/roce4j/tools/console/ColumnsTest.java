package org.roce4j.tools.console;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ColumnsTest {
  private static final String TEXT = "one two three four five six seven eight nine ten";

  @Test
  void aLongTextGoesOnBelowItsBeginning() {
    assertEquals(
        """
        warn  one two three four five six
              seven eight nine ten\
        """,
        Columns.wrapped("warn  ", TEXT, 36));
  }

  @Test
  void aTextThatFitsIsOneLine() {
    int columns = "warn  ".length() + TEXT.length();
    assertEquals("warn  " + TEXT, Columns.wrapped("warn  ", TEXT, columns));
    assertEquals("warn  " + TEXT, Columns.wrapped("warn  ", TEXT, 0));
  }

  @Test
  void aWordThatDoesNotFitIsNotBroken() {
    String word = "-Droce4j.a.very.long.name.of.a.property";
    assertEquals("x " + word, Columns.wrapped("x ", word, 32));
    assertEquals("x " + word + "\n  end", Columns.wrapped("x ", word + " end", 32));
  }
}
