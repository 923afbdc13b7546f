package org.roce4j.fabric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.roce4j.port.FaultCase;
import org.roce4j.port.NumberedDatagrams;
import org.roce4j.port.fault.FaultAction;
import org.roce4j.port.fault.FaultAction.Kind;
import org.roce4j.verbs.Gid;

/** The table of faults, held by the network and by the document. */
class FaultCaseTest {
  private static final Gid A = Gid.parse("10.0.0.1");
  private static final Gid B = Gid.parse("10.0.0.2");

  @AutoClose private final Fabric fabric = new Fabric(FabricOptions.of(1));

  @ParameterizedTest
  @MethodSource("org.roce4j.port.FaultCase#all")
  void theNetworkDoesWhatTheTableSays(FaultCase row) {
    FabricPort left = fabric.attach(List.of(A));
    FabricPort right = fabric.attach(List.of(B));
    List<String> arrived = new ArrayList<>();
    fabric.faults(row.plan(), A);
    FaultCase.sendTen(left, NumberedDatagrams.path(A, B, 0, 64));
    while (fabric.step()) {
      right.receive(in -> arrived.add(FaultCase.told(in)), 100);
    }
    right.receive(in -> arrived.add(FaultCase.told(in)), 100);
    String cutOnTheWay = row.arrivals().replace("2-20", "!");
    assertEquals(cutOnTheWay, String.join(" ", arrived));
  }

  @Test
  void eachFaultHasACase() {
    Set<Kind> known =
        FaultCase.all().stream().map(row -> row.action().kind()).collect(Collectors.toSet());
    assertEquals(EnumSet.allOf(Kind.class), known);
  }

  @Test
  void theDocumentShowsTheTable() throws IOException {
    StringBuilder table = new StringBuilder();
    table.append("| action | details (default) | what happens | such as | of 0 to 9 arrive |\n");
    table.append("|---|---|---|---|---|\n");
    for (FaultCase row : FaultCase.all()) {
      FaultAction usual = FaultAction.of(row.action().kind());
      String amount =
          usual.kind().quantity() == null
              ? ""
              : "=" + usual.kind().quantity().print(usual.amount());
      String details =
          usual.kind().details().stream()
              .map(detail -> "`" + detail.text() + "` (" + detail.usual() + ")")
              .collect(Collectors.joining(", "));
      table.append(
          "| `%s%s` | %s | %s | `%s` | %s |\n"
              .formatted(
                  usual.kind().text(),
                  amount,
                  details,
                  usual.explain(),
                  row.rule(),
                  row.arrivals()));
    }
    Path written = Path.of("target/faults.md");
    Files.createDirectories(written.getParent());
    Files.writeString(written, table);
    String document = Files.readString(Path.of("../docs/faults.md"));
    assertTrue(document.contains(table), "copy the table of " + written + " to docs/faults.md");
  }
}
