package org.roce4j.conformance.backend;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.remote.WireDialogue;
import org.roce4j.conformance.remote.WireDialogues;
import org.roce4j.conformance.run.Suite;

/** The list of the deviations of soft-RoCE. */
class SoftRoceDeviationsTest {
  @Test
  void everyDeclarationConcernsRowsThatThereAre() {
    assertEquals(List.of(), idle(SoftRoceDeviations.rows(), rows()));
    assertEquals(List.of(), idle(SoftRoceDeviations.rowsOfTheNearEnd(), rows()));
    assertEquals(List.of(), idle(SoftRoceDeviations.rowsOfTheFarEnd(), rows()));
    assertEquals(List.of(), idle(SoftRoceDeviations.dialogues(), dialogues()));
  }

  private static List<String> rows() {
    return Suite.rows().stream().map(Row::id).toList();
  }

  private static List<String> dialogues() {
    return WireDialogues.all().stream().map(WireDialogue::id).toList();
  }

  private static List<String> idle(List<Deviation> deviations, List<String> ids) {
    return deviations.stream()
        .filter(deviation -> ids.stream().noneMatch(deviation::concerns))
        .map(Deviation::rows)
        .toList();
  }

  @Test
  void aReasonOfADialogueNamesTheFunctionOfTheKernel() {
    assertEquals(
        List.of(),
        SoftRoceDeviations.dialogues().stream()
            .map(Deviation::reason)
            .filter(reason -> !reason.matches(".*\\([A-Za-z]+_[A-Za-z_]+.*\\)"))
            .toList());
  }

  @Test
  void noRowIsDeclaredTwice() {
    assertEquals(List.of(), twice(SoftRoceDeviations.rows(), rows()));
    assertEquals(List.of(), twice(SoftRoceDeviations.rowsOfTheNearEnd(), rows()));
    assertEquals(List.of(), twice(SoftRoceDeviations.rowsOfTheFarEnd(), rows()));
    assertEquals(List.of(), twice(SoftRoceDeviations.dialogues(), dialogues()));
  }

  private static List<String> twice(List<Deviation> deviations, List<String> ids) {
    return ids.stream()
        .filter(id -> deviations.stream().filter(d -> d.concerns(id)).count() > 1)
        .toList();
  }

  @Test
  void aReasonStandsBeforeItsRows() {
    assertEquals(
        List.of(new Deviation("A-1", "odd"), new Deviation("B-.*", "odd"), new Deviation("C", "2")),
        Deviation.list("# a comment\nodd\n  A-1\n  B-.*\n\n2\n  C\n"));
    assertThrows(IllegalArgumentException.class, () -> Deviation.list("  A-1\n"));
  }

  @Test
  void rowsOfAFatalReasonAreMarked() {
    assertEquals(
        List.of(new Deviation("A-1", "it panics", true), new Deviation("B", "odd", false)),
        Deviation.list("fatal: it panics\n  A-1\nodd\n  B\n"));
  }
}
