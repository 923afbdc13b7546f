package org.roce4j.benchmarks.table;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.roce4j.benchmarks.table.BenchRow.Section;
import org.roce4j.tools.console.Json;

/**
 * The table with its results.
 *
 * @param about the measured machine, Java and transport
 * @param rows the rows, in order
 */
record BenchReport(Map<String, String> about, List<BenchRow> rows) {
  /** The mark in a Markdown file after which the table is written. */
  static final String BEGIN = "<!-- roce4j bench: begin -->";

  static final String END = "<!-- roce4j bench: end -->";

  /**
   * Reads the output of {@link #json}.
   *
   * @throws IllegalArgumentException if the text is something else
   */
  static BenchReport read(String text) {
    try {
      Map<String, String> about = new LinkedHashMap<>();
      Map<?, ?> json = (Map<?, ?>) Json.read(text);
      json.forEach(
          (name, value) -> {
            if (!name.equals("rows")) {
              about.put(name.toString(), value.toString());
            }
          });
      List<?> rows = (List<?>) json.get("rows");
      return new BenchReport(
          about, rows.stream().map(row -> BenchRow.read((Map<?, ?>) row)).toList());
    } catch (ClassCastException | NullPointerException e) {
      throw new IllegalArgumentException("no table of roce4j bench --json: " + e.getMessage(), e);
    }
  }

  Map<String, Object> json() {
    Map<String, Object> json = new LinkedHashMap<>(about);
    json.put("rows", rows.stream().map(BenchRow::json).toList());
    return json;
  }

  /** A row as a line of text. */
  static String text(BenchRow row) {
    StringBuilder line = new StringBuilder();
    line.append(String.format(Locale.ROOT, "  %-24s %10s", row.series(), row.count()));
    for (String cell : row.cells()) {
      line.append(String.format(Locale.ROOT, "  %16s", cell));
    }
    return line.toString();
  }

  /** The machine and software of the measurement, in a sentence. */
  String introduction() {
    List<String> parts = new ArrayList<>();
    about.forEach((name, value) -> parts.add(name + " " + value));
    return String.join(", ", parts);
  }

  /** The rows of a section. */
  List<BenchRow> of(Section section) {
    return rows.stream().filter(row -> row.section() == section).toList();
  }

  String markdown() {
    StringBuilder text = new StringBuilder();
    text.append(BEGIN).append("\n\nMade by `./roce4j bench`: ").append(introduction());
    text.append(".\n");
    for (Section section : Section.values()) {
      List<BenchRow> part = of(section);
      if (part.isEmpty()) {
        continue;
      }
      text.append("\n**").append(section.title()).append("**\n\n");
      text.append("| test | ").append(section.axis()).append(" | ").append(section.unit());
      text.append(" | | allocated | socket drops |\n|---|---|---|---|---|---|\n");
      for (BenchRow row : part) {
        text.append("| ").append(row.series()).append(" | ").append(row.count());
        List<String> cells = row.cells();
        for (int i = 0; i < BenchRow.CELLS; i++) {
          text.append(" | ").append(i < cells.size() ? cells.get(i) : "");
        }
        text.append(" |\n");
      }
    }
    return text.append('\n').append(END).toString();
  }
}
