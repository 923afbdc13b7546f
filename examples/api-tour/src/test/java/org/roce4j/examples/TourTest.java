package org.roce4j.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The code in the tour is the code that is run. */
class TourTest {
  @TestFactory
  Stream<DynamicTest> eachPieceOfCodeStandsInAnExample() {
    String sources = withoutIndentation(Tour.sources());
    return Tour.blocks("java").stream()
        .map(
            block ->
                DynamicTest.dynamicTest(
                    block.lines().findFirst().orElse(""),
                    () -> assertTrue(sources.contains(withoutIndentation(block)), block)));
  }

  @Test
  void theTourShowsCodeAndOutput() {
    assertTrue(Tour.blocks("java").size() > 10);
    assertEquals(6, Tour.blocks("text").size());
  }

  private static String withoutIndentation(String text) {
    return text.lines().map(String::strip).collect(Collectors.joining("\n", "", "\n"));
  }
}
