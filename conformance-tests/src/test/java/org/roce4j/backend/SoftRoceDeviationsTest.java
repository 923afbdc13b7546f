package org.roce4j.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.spec.Row;
import org.roce4j.spec.run.Suite;

/** The list of what soft-RoCE does otherwise. */
class SoftRoceDeviationsTest {
  @Test
  void everyDeclarationConcernsRowsThatThereAre() {
    List<String> ids = Suite.rows().stream().map(Row::id).toList();
    List<String> idle =
        SoftRoceDeviations.all().stream()
            .filter(deviation -> ids.stream().noneMatch(deviation::concerns))
            .map(Deviation::rows)
            .toList();
    assertEquals(List.of(), idle);
  }

  @Test
  void noRowIsDeclaredTwice() {
    List<Deviation> deviations = SoftRoceDeviations.all();
    List<String> twice =
        Suite.rows().stream()
            .map(Row::id)
            .filter(id -> deviations.stream().filter(d -> d.concerns(id)).count() > 1)
            .toList();
    assertEquals(List.of(), twice);
  }

  @Test
  void aReasonStandsBeforeItsRows() {
    assertEquals(
        List.of(new Deviation("A-1", "odd"), new Deviation("B-.*", "odd"), new Deviation("C", "2")),
        SoftRoceDeviations.parse("# a comment\nodd\n  A-1\n  B-.*\n\n2\n  C\n"));
    assertThrows(IllegalArgumentException.class, () -> SoftRoceDeviations.parse("  A-1\n"));
  }
}
