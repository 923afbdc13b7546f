package org.roce4j.conformance;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.remote.WireDialogues;
import org.roce4j.conformance.run.Suite;

class SpecificationSectionTest {
  /** The sources that rows may cite besides the specification's tables. */
  private static final Pattern ELSEWHERE = Pattern.compile("(docs/|man |the manual of ).*");

  @Test
  void everyRowAndDialogueCitesSectionsThatExist() {
    Set<String> sources =
        Stream.concat(
                Suite.rows().stream().map(Row::source),
                WireDialogues.all().stream().map(dialogue -> dialogue.rule().source()))
            .flatMap(source -> Stream.of(source.split("; ")))
            .collect(Collectors.toSet());
    assertTrue(sources.size() > 50, sources.toString());
    for (String source : sources) {
      assertEquals(
          ELSEWHERE.matcher(source).matches(),
          SpecificationSection.cited(source).isEmpty(),
          source);
    }
  }

  @Test
  void aSectionHasItsOwnWordsAlone() {
    List<SpecificationSection> cited = SpecificationSection.cited("rc-transport 6.1, 0 R9");
    assertEquals(2, cited.size());
    assertEquals("Operations", cited.getFirst().chapter());
    assertEquals("RDMA", cited.getFirst().heading());
    assertFalse(cited.getFirst().text().contains("6.2"), cited.getFirst().text());
    assertTrue(cited.getLast().text().contains("| R9 |"), cited.getLast().text());
  }

  @Test
  void aSectionThatIsNotThereIsAMistake() {
    assertThrows(
        IllegalArgumentException.class, () -> SpecificationSection.cited("rc-transport 99"));
  }
}
