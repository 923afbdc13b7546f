package org.roce4j.conformance.table;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** A table in a text file: a line for each row, two or more spaces between columns, # comments. */
final class TextTable {
  private TextTable() {}

  static List<String[]> read(String name) {
    try (InputStream in = TextTable.class.getResourceAsStream(name);
        BufferedReader lines =
            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
      return lines
          .lines()
          .filter(line -> !line.isBlank() && !line.startsWith("#"))
          .map(line -> line.strip().split("\\s{2,}"))
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException("the table " + name + " is not in the jar", e);
    }
  }

  /** The words of a cell, separated by commas; a dash means none. */
  static List<String> words(String cell) {
    return cell.equals("-") ? List.of() : List.of(cell.split(","));
  }
}
