package org.roce4j.conformance.table;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntFunction;
import org.roce4j.conformance.Covers;
import org.roce4j.conformance.Row;
import org.roce4j.conformance.bench.Expect;
import org.roce4j.verbs.EventType;
import org.roce4j.verbs.NodeType;
import org.roce4j.verbs.PortState;
import org.roce4j.verbs.WcStatus;
import org.roce4j.verbs.WrOpcode;

/** The texts of {@code ibv_*_str} (verbs-tables 6). */
public final class StringTable {
  private static final int[] NEVER_THERE = {-1, -2, 24, 100, 255, 256, Integer.MIN_VALUE};

  private static final Map<String, IntFunction<String>> FUNCTIONS =
      Map.of(
          "ibv_wc_status_str", WcStatus::describe,
          "ibv_event_type_str", EventType::describe,
          "ibv_node_type_str", NodeType::describe,
          "ibv_port_state_str", PortState::describe,
          "ibv_wr_opcode_str", WrOpcode::describe);

  private StringTable() {}

  /** All rows: one for each text, and one for each function's unknown numbers. */
  @Covers({"ibv_node_type_str", "ibv_port_state_str", "ibv_wc_status_str", "ibv_event_type_str"})
  public static List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    Map<String, List<Integer>> known = new HashMap<>();
    for (String[] cells : TextTable.read("strings.txt")) {
      String function = cells[0];
      int value = Integer.parseInt(cells[1]);
      known.computeIfAbsent(function, f -> new ArrayList<>()).add(value);
      rows.add(
          row(
              function,
              String.valueOf(value),
              function + "(" + value + ") is \"" + cells[2] + '"',
              () -> Expect.equal("the text", cells[2], FUNCTIONS.get(function).apply(value))));
    }
    for (String function : FUNCTIONS.keySet().stream().sorted().toList()) {
      rows.add(
          row(
              function,
              "UNKNOWN",
              function + " of any other number is \"unknown\"",
              () -> unknown(FUNCTIONS.get(function), known.get(function))));
    }
    return rows;
  }

  private static void unknown(IntFunction<String> function, List<Integer> known) {
    for (int value = 0; value < 64; value++) {
      if (!known.contains(value)) {
        Expect.equal("the text of " + value, "unknown", function.apply(value));
      }
    }
    for (int value : NEVER_THERE) {
      Expect.equal("the text of " + value, "unknown", function.apply(value));
    }
  }

  private static Row row(String function, String what, String title, Runnable check) {
    String name = function.substring("ibv_".length(), function.length() - "_str".length());
    return new Row(
        "STR-" + name.toUpperCase(Locale.ROOT) + "-" + what,
        "verbs-tables 6",
        title,
        bench -> check.run());
  }
}
